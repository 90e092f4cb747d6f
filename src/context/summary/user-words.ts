import { ownBlock } from '../../base/index.ts';
import { cutMiddle, redactForModel, shorten } from '../../util/index.ts';
import type { NumberedMessage } from '../conversation.ts';

/** Something the user said, as a message or in the middle of a turn, with the number of the message it stands in. */
export type UserWords = { number: number; text: string };

/** What the user said last, and whether the message it stands in is kept. */
export type NewestWords = UserWords & { isKept: boolean };

/** What the user said in these messages. */
export function wordsOf(numbered: readonly NumberedMessage[]): UserWords[] {
  return numbered.flatMap(({ number, message }) => {
    const said =
      message.role === 'user'
        ? message.content
        : message.role === 'tool'
          ? ownBlock('steering').textIn(message.content)
          : '';
    const text = redactForModel(said ?? '').trim();
    return text === '' ? [] : [{ number, text }];
  });
}

/** A message of many lines stays one item: its other lines are indented. */
function renderWords({ number, text }: UserWords): string {
  return `- #${number}: ${text.replaceAll('\n', '\n  ')}`;
}

/** Messages of the user for whose words there was no room. */
export type EarlierWords = { count: number; first: number; last: number };

const EARLIER = /^- Earlier: (\d+) messages? from #(\d+) to #(\d+)$/;

/** Reads the section of a former summary back; of still earlier ones it says only which they are. */
export function parseWords(lines: readonly string[]): { words: UserWords[]; earlier: EarlierWords | undefined } {
  const words: UserWords[] = [];
  let earlier: EarlierWords | undefined;
  for (const line of lines) {
    const [, number, text = ''] = /^- #(\d+): (.*)$/.exec(line) ?? [];
    const last = words.at(-1);
    const [, count, from, to] = EARLIER.exec(line) ?? [];
    if (count !== undefined) earlier = { count: Number(count), first: Number(from), last: Number(to) };
    else if (number !== undefined) words.push({ number: Number(number), text });
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
  earlier: EarlierWords | undefined,
  limit: number,
  tokensOf: (text: string) => number,
): string[] {
  const lines: string[] = [];
  let left = limit;
  for (const each of words.toReversed()) {
    const whole = renderWords({ ...each, text: cutMiddle(each.text, LONG_WORDS) });
    const short = renderWords({ ...each, text: shorten(each.text, SHORT_WORDS) });
    // No message may take so much that many old wishes go for it.
    const line = tokensOf(whole) <= left / 4 ? whole : short;
    const cost = tokensOf(line);
    if (cost > left) break;
    lines.unshift(line);
    left -= cost;
  }
  return [...earlierLine(words.slice(0, words.length - lines.length), earlier), ...lines];
}

function earlierLine(dropped: readonly UserWords[], earlier: EarlierWords | undefined): string[] {
  const count = dropped.length + (earlier?.count ?? 0);
  const first = earlier?.first ?? dropped[0]?.number;
  const last = dropped.at(-1)?.number ?? earlier?.last;
  return count === 0 ? [] : [`- Earlier: ${count} message${count === 1 ? '' : 's'} from #${first} to #${last}`];
}
