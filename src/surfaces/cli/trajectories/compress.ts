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
import { showable } from '../style.ts';
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
        writeReport(io, { message: `Line ${line} of ${input} is left out: ${reason}.` });
      },
    }).finally(progress.clear),
  );
  if (options.json) writeJson(io.stdout, { file: output, tokenizer: tokenizer.name, ...totals });
  else io.stdout.write(describe(output, totals, targetTokens));
  return 0;
}

/** With the model for compression, where there is one; what it costs is stored with everything else. */
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
      message: 'No model is set up, so turns are left out without a summary; each such place says so.',
      hint: 'Set one up with `hermes setup`, or say --no-model if this is what you want.',
    });
    return use(undefined);
  }
  return withStore(io, (store) =>
    use(openSummaries({ settings, routes, store }, { summaryTokens, timeoutSeconds, signal })),
  );
}

function describeProgress({ read, summarised, extracted }: CompressionTotals): ProgressText {
  return { text: `${counted(read, 'line')}, ${summarised + extracted} shortened …` };
}

function describe(file: string, totals: CompressionTotals, target: number): string {
  const { read, kept, summarised, extracted, unreadable, stillOver, tokensBefore, tokensAfter } = totals;
  const figure = (value: number) => value.toLocaleString('en-US');
  const without = extracted === 0 ? '' : `, ${figure(extracted)} of them without a summary`;
  const lines = [
    `Wrote ${counted(read - unreadable, 'trajectory', 'trajectories')} to ${showable(file)}: ${figure(kept)} as they were, ${figure(summarised + extracted)} shortened${without}.`,
    `Tokens: ${figure(tokensBefore)} before, ${figure(tokensAfter)} now.`,
  ];
  if (unreadable > 0)
    lines.push(`${counted(unreadable, 'line')} could not be read and ${unreadable === 1 ? 'is' : 'are'} left out.`);
  if (stillOver > 0)
    lines.push(
      `${figure(stillOver)} ${stillOver === 1 ? 'is' : 'are'} still above ${figure(target)} tokens: what has to stay is too long.`,
    );
  return `${lines.join('\n')}\n`;
}
