import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Fidelity, measureFidelity, WAYS } from './fidelity/measure.ts';
import { type LongFidelity, measureLong } from './fidelity/measure-long.ts';
import { measureRecall } from './fidelity/measure-recall.ts';
import { makeSessions } from './fidelity/sessions.ts';

const DOCUMENT = join(import.meta.dirname, '../docs/context.md');
const BEGIN = '<!-- fidelity: written by `node bench/fidelity.ts` -->';
const END = '<!-- end of fidelity -->';
const LONG_BEGIN = '<!-- long fidelity: written by `node bench/fidelity.ts` -->';
const LONG_END = '<!-- end of long fidelity -->';
/** The share of the facts that a search in other words must find. */
const RECALL_SHARE = 0.8;
const WINDOWS = [8_000, 32_000, 128_000];

const rows: Fidelity[] = [];
for (const session of makeSessions()) {
  for (const way of WAYS) rows.push(await measureFidelity(session, way));
}
const table = [
  '| session | engine | facts | in the window | of what the user said | read back by number | lost | tokens, three compressions | questions |',
  '|---|---|---:|---:|---:|---:|---:|---|---:|',
  ...rows.map(toRow),
].join('\n');
const long: LongFidelity[] = [];
for (const window of WINDOWS) long.push(await measureLong(window));
const longTable = [
  '| window | facts | in the window | read back by number | unreachable | summaries | clearings | results cut unseen |',
  '|---:|---:|---:|---:|---:|---:|---:|---:|',
  ...long.map(toLongRow),
].join('\n');
const recalled = await measureRecall();
const recall = `Asked in other words, ${recalled.found} of the ${recalled.questions} facts are among the first five hits of a search.`;
const longResult = `${longTable}\n\n${recall}`;
console.log(`${table}\n\n${longResult}`);
const document = replaceTable(readFileSync(DOCUMENT, 'utf8'), BEGIN, END, table);
writeFileSync(DOCUMENT, replaceTable(document, LONG_BEGIN, LONG_END, longResult));
for (const { session, way, lost } of rows) {
  for (const fact of lost) console.error(`lost in ${session}, ${way}: ${fact.sentence}`);
  if (lost.length > 0) process.exitCode = 1;
}

function toRow({ session, way, inWindow, ofUser, readBack, lost, sizes, questions }: Fidelity): string {
  const facts = inWindow + readBack + lost.length;
  const thousands = (tokens: number) => `${(tokens / 1_000).toFixed(1)}k`;
  const tokens = sizes.map(([from, to]) => `${thousands(from)} → ${thousands(to)}`).join(', ');
  return `| ${[session, way, facts, inWindow, ofUser.toReversed().join(' of '), readBack, lost.length, tokens, questions].join(' | ')} |`;
}
for (const { window, unreachable } of long) {
  for (const fact of unreachable) console.error(`unreachable in ${window}: ${fact.sentence}`);
  if (unreachable.length > 0) process.exitCode = 1;
}

for (const question of recalled.missed) console.error(`not among the first hits: ${question}`);
if (recalled.found < recalled.questions * RECALL_SHARE) process.exitCode = 1;

function replaceTable(text: string, begin: string, end: string, content: string): string {
  const [before, after] = [text.indexOf(begin), text.indexOf(end)];
  if (before < 0 || after < before) throw new Error(`${DOCUMENT} has no markers for the table: ${begin} … ${end}`);
  return `${text.slice(0, before)}${begin}\n\n${content}\n\n${text.slice(after)}`;
}

function toLongRow({ window, inWindow, readBack, unreachable, summaries, clearings, unseenCut }: LongFidelity): string {
  const facts = inWindow.length + readBack.length + unreachable.length;
  const figures = [inWindow, readBack, unreachable].map(({ length }) => length);
  return `| ${[`${window / 1_000}k`, facts, ...figures, summaries, clearings, unseenCut].join(' | ')} |`;
}
