import { ownBlock } from '../../base/index.ts';
import { truncateMiddle, redactForModel, shorten } from '../../util/index.ts';
import type { NumberedMessage } from '../conversation.ts';
import { isLasting } from './stated-facts.ts';

/** A user statement (a message or a steering message) with the number of the message that contains it. */
export type UserStatement = { number: number; text: string };

/** The newest user statement, and whether its message is kept. */
export type NewestStatement = UserStatement & { isKept: boolean };

/** The user statements in these messages. */
export function findUserStatements(numbered: readonly NumberedMessage[]): UserStatement[] {
  return numbered.flatMap(({ number, message }) => {
    const said =
      message.role === 'user'
        ? message.content
        : message.role === 'tool'
          ? ownBlock('steering').lastText(message.content)
          : '';
    const text = redactForModel(said ?? '').trim();
    return text === '' ? [] : [{ number, text }];
  });
}

/** Continuation lines are indented so that a statement with several lines stays one list item. */
function renderStatement({ number, text }: UserStatement): string {
  return `- #${number}: ${text.replaceAll('\n', '\n  ')}`;
}

/** User statements that did not fit; only their count and range are stored. */
export type OmittedStatements = { count: number; first: number; last: number };

const EARLIER = /^- Earlier: (\d+) messages? from #(\d+) to #(\d+)$/;

/** Parses the user statements of a previous summary, including the line that counts the omitted ones. */
export function parseUserStatements(lines: readonly string[]): {
  words: UserStatement[];
  earlier: OmittedStatements | undefined;
} {
  const words: UserStatement[] = [];
  let earlier: OmittedStatements | undefined;
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

/** The share of the limit within which statements that stay valid come first. */
const LASTING_SHARE = 0.6;

/**
 * Fits user statements into a token limit: first those that stay valid, then the others, the newest first. They are
 * quoted in full while there is space, then as one short line each. The oldest ones are only counted.
 */
export function fitUserStatements(
  words: readonly UserStatement[],
  earlier: OmittedStatements | undefined,
  limit: number,
  tokensOf: (text: string) => number,
): string[] {
  const lines = new Map<UserStatement, string>();
  let left = limit;
  const take = (each: UserStatement, room: number) => {
    const whole = renderStatement({ ...each, text: truncateMiddle(each.text, LONG_WORDS) });
    const short = renderStatement({ ...each, text: shorten(each.text, SHORT_WORDS) });
    // A single statement must not use so much space that many older ones are dropped.
    const line = tokensOf(whole) <= left / 4 ? whole : short;
    const cost = tokensOf(line);
    if (cost > room) return false;
    lines.set(each, line);
    left -= cost;
    return true;
  };
  const newestFirst = words.toReversed();
  for (const each of newestFirst.filter(({ text }) => isLasting(text))) {
    if (!take(each, left - limit * (1 - LASTING_SHARE))) break;
  }
  for (const each of newestFirst.filter((statement) => !lines.has(statement))) {
    if (!take(each, left)) break;
  }
  const omitted = words.filter((each) => !lines.has(each));
  return [...earlierLine(omitted, earlier), ...words.flatMap((each) => lines.get(each) ?? [])];
}

function earlierLine(dropped: readonly UserStatement[], earlier: OmittedStatements | undefined): string[] {
  const count = dropped.length + (earlier?.count ?? 0);
  const first = earlier?.first ?? dropped[0]?.number;
  const last = dropped.at(-1)?.number ?? earlier?.last;
  return count === 0 ? [] : [`- Earlier: ${count} message${count === 1 ? '' : 's'} from #${first} to #${last}`];
}
