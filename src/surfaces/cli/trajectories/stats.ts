import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { ConfigurationError } from '../../../base/index.ts';
import {
  checkLines,
  type CheckTotals,
  DEFAULT_GOAL,
  measureLines,
  newStatistics,
  openTokenizer,
  type TrajectoryStatistics,
} from '../../../trajectories/index.ts';
import { fileErrorReason } from '../../../util/index.ts';
import { counted } from '../../text/counted.ts';
import { formatPairs, formatTable } from '../../text/table.ts';
import type { CliIo } from '../cli-io.ts';
import { toSnakeCase } from '../../text/json-line.ts';
import { jsonText } from '../output/json-lines.ts';
import { writeStream } from '../sessions/export/write-target.ts';
import { writeJson } from '../sessions/write-json.ts';
import { printable } from '../style.ts';

export type CheckOptions = { json?: boolean };

/** Prints every format violation of every file as it is found. */
export async function checkFiles(files: readonly string[], { json }: CheckOptions, io: CliIo): Promise<number> {
  let isClean = true;
  async function* findings(): AsyncGenerator<string> {
    for (const file of files) {
      const totals: CheckTotals = { lines: 0, deviations: 0, badLines: 0, failures: 0 };
      for await (const { line, message } of checkLines(await openInput(file, io), totals)) {
        yield json ? jsonLine({ file, line, message }) : `${printable(file)}:${line}: ${printable(message)}\n`;
      }
      yield json ? jsonLine({ file, ...totals }) : describe(file, totals);
      if (totals.deviations > 0) isClean = false;
    }
  }
  await writeStream(io.stdout, findings());
  return isClean ? 0 : 1;
}

function jsonLine(value: Parameters<typeof toSnakeCase>[0]): string {
  return `${jsonText(toSnakeCase(value))}\n`;
}

function describe(file: string, { lines, deviations, badLines, failures }: CheckTotals): string {
  if (failures > 0 && failures === lines) {
    return `${printable(file)}: no trajectories, but ${counted(failures, 'failed prompt')} of a batch run with the reasons.\n`;
  }
  const found = `${counted(deviations, 'violation')} on ${counted(badLines, 'line')}`;
  return `${printable(file)}: ${counted(lines, 'line')}, ${deviations === 0 ? 'all valid' : found}.\n`;
}

/** `tokens` is false for `--no-tokens`. */
export type StatsOptions = { json?: boolean; tokens: boolean };

const SHOWN = 20;

/** Shows the combined statistics of trajectory files. */
export async function showStatistics(files: readonly string[], options: StatsOptions, io: CliIo): Promise<number> {
  const statistics = newStatistics();
  const tokenizer = options.tokens ? await openTokenizer() : undefined;
  for (const file of files) await measureLines(await openInput(file, io), statistics, tokenizer);
  if (options.json) writeJson(io.stdout, toJson(statistics, tokenizer?.name));
  else io.stdout.write(format(statistics, tokenizer?.name));
  return 0;
}

function summarise(tokens: readonly number[]) {
  const sorted = tokens.toSorted((a, b) => a - b);
  const at = (rank: number) => sorted[Math.min(sorted.length - 1, Math.floor(rank * sorted.length))] ?? 0;
  return {
    total: sorted.reduce((sum, count) => sum + count, 0),
    median: at(0.5),
    most90: at(0.9),
    longest: sorted.at(-1) ?? 0,
    aboveTarget: sorted.filter((count) => count > DEFAULT_GOAL.targetTokens).length,
  };
}

function toJson({ tokens, calls, models, ...counts }: TrajectoryStatistics, tokenizer: string | undefined): object {
  return {
    ...counts,
    // Names of tools and models are values, because as keys they would be converted to snake case.
    calls: ranked(calls).map(([tool, count]) => ({ tool, count })),
    models: ranked(models).map(([model, lines]) => ({ model, lines })),
    ...(tokenizer !== undefined && { tokenizer, tokens: summarise(tokens) }),
  };
}

function format(statistics: TrajectoryStatistics, tokenizer: string | undefined): string {
  const { lines, unreadable, completed, turns, thoughtful, calls, models, tokens } = statistics;
  const figure = (value: number) => value.toLocaleString('en-US');
  const { total, median, most90, longest, aboveTarget } = summarise(tokens);
  const pairs: [string, string][] = [
    ['lines', `${figure(lines)}${unreadable === 0 ? '' : `, ${figure(unreadable)} of them unreadable`}`],
    ['completed', `${figure(completed)} (${share(completed, lines - unreadable)})`],
    ['turns', `${figure(turns.human)} human, ${figure(turns.gpt)} gpt, ${figure(turns.tool)} tool`],
    ['thinking', `in ${figure(thoughtful)} gpt turns (${share(thoughtful, turns.gpt)})`],
  ];
  if (tokenizer !== undefined) {
    pairs.push(
      ['tokens', `${figure(total)} (${tokenizer})`],
      ['per line', `median ${figure(median)}, 90 % below ${figure(most90)}, maximum ${figure(longest)}`],
      ['too long', `${figure(aboveTarget)} above ${figure(DEFAULT_GOAL.targetTokens)} tokens`],
    );
  }
  const tables = [
    { heading: 'Tools, by calls', counts: calls },
    { heading: 'Models, by lines', counts: models },
  ].map(({ heading, counts }) => formatCounts(heading, counts));
  return `${formatPairs(pairs)}${tables.join('')}`;
}

function formatCounts(heading: string, counts: ReadonlyMap<string, number>): string {
  if (counts.size === 0) return '';
  const rows = ranked(counts).map(([name, count]) => [name, count.toLocaleString('en-US')]);
  const more = rows.length > SHOWN ? `  and ${rows.length - SHOWN} more\n` : '';
  return `\n${heading}\n${formatTable(rows.slice(0, SHOWN))}${more}`;
}

function ranked(counts: ReadonlyMap<string, number>): [string, number][] {
  return [...counts].sort(([a, first], [b, second]) => second - first || a.localeCompare(b));
}

function share(part: number, whole: number): string {
  return whole === 0 ? '0 %' : `${Math.round((100 * part) / whole)} %`;
}

/** Opens an input of the command line; `-` is stdin. */
async function openInput(name: string, io: CliIo): Promise<AsyncIterable<Uint8Array>> {
  if (name === '-') return io.stdin;
  return createReadStream(await requireReadable(name, io), { highWaterMark: 1024 * 1024 });
}

/** Returns the absolute path after checking that the file can be read. */
export async function requireReadable(name: string, io: CliIo): Promise<string> {
  const file = resolve(io.workingDirectory, name);
  const fault = await stat(file).then(
    (found) => (found.isDirectory() ? 'it is a directory' : undefined),
    (thrown: unknown) => fileErrorReason(thrown),
  );
  if (fault === undefined) return file;
  throw new ConfigurationError(`Cannot read ${file}: ${fault}.`, {
    hint: 'Check the path; the file must contain JSON lines.',
  });
}
