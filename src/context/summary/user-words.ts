import { steeredText } from '../../base/index.ts';
import { redactForModel, shorten, splitMiddle, joinCut } from '../../util/index.ts';
import type { Entry } from '../conversation.ts';
import { formatNumbers, parseNumbers } from '../numbers.ts';

/** Something the user said, as a message or in the middle of a turn, with the number of the message it stands in. */
export type UserWords = { number: number; text: string };

/** What the user said in these messages. */
export function wordsOf(entries: readonly Entry[]): UserWords[] {
  return entries.flatMap(({ number, message }) => {
    const said =
      message.role === 'user' ? message.content : message.role === 'tool' ? steeredText(message.content) : '';
    const text = redactForModel(said ?? '').trim();
    return text === '' ? [] : [{ number, text }];
  });
}

/** A message of many lines stays one entry: its other lines are indented. */
export function renderWords({ number, text }: UserWords): string {
  return `- #${number}: ${text.replaceAll('\n', '\n  ')}`;
}

/** Reads the section of a former summary back; what it says of still earlier ones is one entry without words. */
export function parseWords(lines: readonly string[]): { words: UserWords[]; earlier: number[] } {
  const words: UserWords[] = [];
  const earlier: number[] = [];
  for (const line of lines) {
    const [, number, text = ''] = /^- #(\d+): (.*)$/.exec(line) ?? [];
    const last = words.at(-1);
    if (number !== undefined) words.push({ number: Number(number), text });
    else if (line.startsWith('- Earlier: ')) earlier.push(...parseNumbers(line));
    else if (last !== undefined) last.text += `\n${line.replace(/^ {2}/, '')}`;
  }
  return { words, earlier };
}

const LONG_WORDS = 2_000;
const SHORT_WORDS = 140;

/**
 * The user's own words, newest first in claim: whole as far as there is room, then in one short line each, and the
 * oldest by number only.
 */
export function fitWords(
  words: readonly UserWords[],
  earlier: readonly number[],
  limit: number,
  tokensOf: (text: string) => number,
): string[] {
  const lines: string[] = [];
  const dropped = [...earlier];
  let left = limit;
  for (const each of words.toReversed()) {
    const whole = renderWords({ ...each, text: joinCut(splitMiddle(each.text, LONG_WORDS)) });
    const short = renderWords({ ...each, text: shorten(each.text, SHORT_WORDS) });
    // Short lines are worth half of the room: many old wishes count more than one long message.
    const line = tokensOf(whole) <= left / 2 ? whole : short;
    const cost = tokensOf(line);
    if (dropped.length > earlier.length || cost > left) dropped.push(each.number);
    else {
      lines.unshift(line);
      left -= cost;
    }
  }
  const numbers = [...new Set(dropped)].sort((a, b) => a - b);
  return numbers.length === 0 ? lines : [`- Earlier: ${formatNumbers(numbers)}`, ...lines];
}
