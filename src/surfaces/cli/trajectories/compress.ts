import { resolve } from 'node:path';
import { resolveHome } from '../../../config/index.ts';
import { loadModels } from '../../../runtime/index.ts';
import { openSummaries } from '../../../runtime/trajectories/index.ts';
import {
  type CompressionTotals,
  compressFile,
  openTokenizer,
  type SummaryQuestion,
} from '../../../trajectories/index.ts';
import { counted } from '../../text/counted.ts';
import type { CliIo } from '../cli-io.ts';
import { createProgressLine, type ProgressText } from '../output/progress-line.ts';
import { writeReport } from '../report-error.ts';
import { withStore } from '../sessions/with-store.ts';
import { writeJson } from '../sessions/write-json.ts';
import { printable } from '../style.ts';
import { requireReadable } from './stats.ts';

/** `model` is false for `--no-model`. */
export type CompressOptions = {
  target: number;
  summary: number;
  keepLast: number;
  concurrency: number;
  timeout: number;
  model: boolean;
  json?: boolean;
};

type Summarise = ((question: SummaryQuestion) => Promise<string>) | undefined;

export async function compressTrajectories(
  inputName: string,
  outputName: string,
  options: CompressOptions,
  io: CliIo,
  signal: AbortSignal,
): Promise<number> {
  const [input, output] = [await requireReadable(inputName, io), resolve(io.workingDirectory, outputName)];
  const { target: targetTokens, summary: summaryTokens, keepLast, concurrency } = options;
  const tokenizer = await openTokenizer();
  const progress = createProgressLine(io, { isWanted: !options.json });
  const totals = await withSummaries(options, io, signal, (summarise) =>
    compressFile({
      input,
      output,
      concurrency,
      signal,
      tokenizer,
      summarise,
      goal: { targetTokens, summaryTokens, keepLast },
      onProgress: (soFar) => progress.draw(() => describeProgress(soFar)),
      onUnreadable: (line, reason) => {
        progress.clear();
        writeReport(io, { message: `Skipped line ${line} of ${input}: ${reason}.` });
      },
    }).finally(progress.clear),
  );
  if (options.json) writeJson(io.stdout, { file: output, tokenizer: tokenizer.name, ...totals });
  else io.stdout.write(describe(output, totals, targetTokens));
  return 0;
}

/** Uses the auxiliary model for compression, if there is one. Its cost is stored like that of other calls. */
async function withSummaries<Value>(
  { model, summary: summaryTokens, timeout: timeoutSeconds }: CompressOptions,
  io: CliIo,
  signal: AbortSignal,
  use: (summarise: Summarise) => Promise<Value>,
): Promise<Value> {
  if (!model) return use(undefined);
  const { settings, models } = await loadModels({ home: resolveHome(io.env), env: io.env });
  const routes = models?.auxiliaryRoutes;
  if (routes === undefined) {
    writeReport(io, {
      message: 'No model is configured, so turns are removed without a summary; each such place is marked.',
      hint: 'Configure one with `hermes setup`, or pass --no-model to hide this warning.',
    });
    return use(undefined);
  }
  return withStore(io, (store) =>
    use(openSummaries({ settings, routes, store }, { summaryTokens, timeoutSeconds, signal })),
  );
}

function describeProgress({ read, summarised, extracted }: CompressionTotals): ProgressText {
  return { text: `${counted(read, 'line')}, ${summarised + extracted} compressed …` };
}

function describe(file: string, totals: CompressionTotals, target: number): string {
  const { read, kept, summarised, extracted, unreadable, stillOver, tokensBefore, tokensAfter } = totals;
  const figure = (value: number) => value.toLocaleString('en-US');
  const without = extracted === 0 ? '' : `, ${figure(extracted)} of them without a summary`;
  const lines = [
    `Wrote ${counted(read - unreadable, 'trajectory', 'trajectories')} to ${printable(file)}: ${figure(kept)} unchanged, ${figure(summarised + extracted)} compressed${without}.`,
    `Tokens: ${figure(tokensBefore)} before, ${figure(tokensAfter)} after.`,
  ];
  if (unreadable > 0) lines.push(`Skipped ${counted(unreadable, 'line')} that could not be read.`);
  if (stillOver > 0)
    lines.push(
      `${figure(stillOver)} ${stillOver === 1 ? 'is' : 'are'} still above ${figure(target)} tokens, because the part that must be kept is too long.`,
    );
  return `${lines.join('\n')}\n`;
}
