import type { HeldLease } from '../../../contracts/index.ts';
import { describeHolder } from '../../../runtime/index.ts';
import { type Style, showable } from '../style.ts';

export type BusyAnswer = 'wait' | 'watch' | 'branch' | 'go on' | 'leave';

const HELD: readonly [BusyAnswer, string][] = [
  ['wait', 'until that turn has ended'],
  ['watch', 'what it does'],
  ['branch', 'go on in a new session that begins with the same messages'],
  ['leave', 'the chat'],
];
const FREE: readonly [BusyAnswer, string][] = [
  ['go on', 'with the session'],
  ['branch', 'go on in a new session that begins with the same messages'],
  ['leave', 'the chat'],
];

/** What there is to choose about a session that another process holds, or held until now. */
export function formatBusyQuestion(
  sessionId: string,
  holder: HeldLease | undefined,
  style: Style,
): { text: string; prompt: string } {
  const choices = holder === undefined ? FREE : HELD;
  const what = holder === undefined ? `Session ${sessionId} is free now.` : describeHolder(sessionId, holder);
  const rows = choices.map(([name, about], index) => `  ${index + 1}. ${name}: ${about}\n`);
  return { text: `${style.yellow(`! ${showable(what)}`)}\n${rows.join('')}`, prompt: `1-${choices.length} › ` };
}

/** A number, a word, or so much of one that it can be no other; undefined for anything else. */
export function readBusyAnswer(line: string, isHeld: boolean): BusyAnswer | undefined {
  const names = (isHeld ? HELD : FREE).map(([name]) => name);
  const typed = line.trim().toLowerCase();
  if (typed === '') return undefined;
  if (/^\d$/.test(typed)) return names[Number(typed) - 1];
  const fitting = names.filter((name) => name.startsWith(typed));
  return fitting.length === 1 ? fitting[0] : undefined;
}
