import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Fidelity, measureFidelity, WAYS } from './fidelity/measure.ts';
import { makeSessions } from './fidelity/sessions.ts';

const DOCUMENT = join(import.meta.dirname, '../docs/context.md');
const BEGIN = '<!-- fidelity: written by `node bench/fidelity.ts` -->';
const END = '<!-- end of fidelity -->';

const rows: Fidelity[] = [];
for (const session of makeSessions()) {
  for (const way of WAYS) rows.push(await measureFidelity(session, way));
}
const table = [
  '| session | engine | facts | in the window | of what the user said | read back by number | lost | tokens, three compressions | questions |',
  '|---|---|---:|---:|---:|---:|---:|---|---:|',
  ...rows.map(toRow),
].join('\n');
console.log(table);
const document = readFileSync(DOCUMENT, 'utf8');
const [before, after] = [document.indexOf(BEGIN), document.indexOf(END)];
if (before < 0 || after < before) throw new Error(`${DOCUMENT} has no markers for the table: ${BEGIN} … ${END}`);
writeFileSync(DOCUMENT, `${document.slice(0, before)}${BEGIN}\n\n${table}\n\n${document.slice(after)}`);
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
