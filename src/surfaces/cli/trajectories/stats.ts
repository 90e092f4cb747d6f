import {
  DEFAULT_GOAL,
  measureLines,
  newStatistics,
  openTokenizer,
  type TrajectoryStatistics,
} from '../../../trajectories/index.ts';
import { formatPairs, formatTable } from '../../text/table.ts';
import type { CliIo } from '../cli-io.ts';
import { writeJson } from '../sessions/write-json.ts';
import { openInput } from './open-input.ts';

/** `tokens` is false for `--no-tokens`. */
export type StatsOptions = { json?: boolean; tokens: boolean };

const SHOWN = 20;

/** What is in files of trajectories, all of them together. */
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
    ...{ median: at(0.5), most90: at(0.9), longest: sorted.at(-1) ?? 0 },
    aboveTarget: sorted.filter((count) => count > DEFAULT_GOAL.targetTokens).length,
  };
}

function toJson({ tokens, calls, models, ...counts }: TrajectoryStatistics, tokenizer: string | undefined): object {
  return {
    ...counts,
    // Names of tools and models are values here: as keys they would be changed with the others.
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
      ['per line', `median ${figure(median)}, 90 % below ${figure(most90)}, the longest ${figure(longest)}`],
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
