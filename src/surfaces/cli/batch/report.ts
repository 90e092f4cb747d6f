import { exitFacts } from '../../../base/index.ts';
import type { BatchReport } from '../../batch/index.ts';
import { counted } from '../../text/counted.ts';
import { formatCost } from '../../text/format-cost.ts';
import { formatDuration } from '../../text/format-duration.ts';
import type { CliIo } from '../cli-io.ts';
import { writeReport } from '../report-error.ts';
import { printable } from '../style.ts';

/**
 * 0: everything is done; 3: some prompts failed or are left; 4: a limit was reached; 1: an error that affects all
 * prompts.
 */
export function exitCodeOf({ stop, failed, left }: Pick<BatchReport, 'stop' | 'failed' | 'left'>): number {
  switch (stop?.reason) {
    case 'signal':
      return exitFacts('interrupted').exitCode;
    case 'spending':
      return exitFacts('limit_reached').exitCode;
    case 'failures':
    case 'disk':
      return exitFacts('failed').exitCode;
    case undefined:
      return failed > 0 || left > 0 ? exitFacts('truncated').exitCode : 0;
  }
}

/** `again` is the command that retries failed prompts, if it is not the same command. */
type ReportStyle = { json: boolean; again?: string };

/** Writes the result of a batch run: numbers to stdout, problems to stderr. */
export function writeBatchReport(report: BatchReport, { json, again }: ReportStyle, io: CliIo): void {
  const { folder, stop, failed } = report;
  if (json) io.stdout.write(`${JSON.stringify(report.statistics, undefined, 2)}\n`);
  else io.stdout.write(describeReport(report));
  if (stop !== undefined) writeReport(io, stop);
  else if (failed > 0) {
    const message = `${counted(failed, 'prompt')} failed; see ${printable(folder)}/failed.jsonl for the reasons.`;
    writeReport(io, { message, hint: `${again ?? 'The same command with --resume'} retries them.` });
  }
}

function describeReport({ folder, prompts, kept, dropped, failed, left, ...figures }: BatchReport): string {
  const { usd, costKnown, seconds } = figures;
  const cost = formatCost({ usd: usd === 0 && !costKnown ? null : usd, unpriced: costKnown ? 0 : 1 });
  return [
    `${counted(kept, 'sample')} of ${counted(prompts, 'prompt')} in ${printable(folder)}/trajectories.jsonl`,
    ...(dropped > 0 ? [`${counted(dropped, 'sample')} dropped (no reasoning)`] : []),
    ...(failed > 0 ? [`${counted(failed, 'prompt')} failed`] : []),
    ...(left > 0 ? [`${counted(left, 'prompt')} left`] : []),
    `${formatDuration(seconds)}; ${cost === 'unknown' ? 'cost unknown' : `${cost} in total`}`,
    '',
  ].join('\n');
}
