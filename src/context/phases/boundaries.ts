import type { NumberedMessage } from '../conversation.ts';

/** A conversation in three parts. The tail may begin with the newest user message, taken from further up. */
export type Boundaries = {
  head: readonly NumberedMessage[];
  middle: readonly NumberedMessage[];
  tail: readonly NumberedMessage[];
};

export type BoundaryLimits = {
  /** So many messages at the beginning are kept, with the results that belong to them. */
  headMessages: number;
  tailTokens: number;
  /** The tail goes on to so many messages where they are small. */
  lastMessages: number;
  /** Never fewer than these are kept at the end, however large they are. */
  leastMessages: number;
};

/** How far beyond its budget the tail may grow for the sake of a number of messages. */
const SOFT_CEILING = 1.5;

/**
 * Head, middle and tail. A call is never parted from its results, and the newest message of the user is always kept.
 * `formerAt` is where a former summary stood: what comes before it is head, and the tail does not reach beyond it.
 */
export function findBoundaries(
  numbered: readonly NumberedMessage[],
  limits: BoundaryLimits,
  tokensOf: (numbered: readonly NumberedMessage[]) => number,
  formerAt = numbered.length,
): Boundaries {
  const groups = groupMessages(numbered);
  const headEnd = endOfHead(groups, Math.min(limits.headMessages, formerAt));
  const firstTail = formerAt < numbered.length ? Math.max(headEnd, formerAt) : headEnd;
  const tailStart = startOfTail(groups, firstTail, limits, tokensOf);
  const newestUser = numbered.findLastIndex(({ message }) => message.role === 'user');
  const isApart = newestUser >= headEnd && newestUser < tailStart;
  const middle = numbered.slice(headEnd, tailStart).filter((_, offset) => !isApart || headEnd + offset !== newestUser);
  const apart = isApart ? [numbered[newestUser] as NumberedMessage] : [];
  return { head: numbered.slice(0, headEnd), middle, tail: [...apart, ...numbered.slice(tailStart)] };
}

type Group = { start: number; end: number; messages: readonly NumberedMessage[] };

/** What must not be parted: an answer and the results of its calls. */
function groupMessages(numbered: readonly NumberedMessage[]): Group[] {
  const starts = numbered.flatMap(({ message }, index) => (message.role !== 'tool' || index === 0 ? [index] : []));
  return starts.map((start, place) => {
    const end = starts[place + 1] ?? numbered.length;
    return { start, end, messages: numbered.slice(start, end) };
  });
}

function endOfHead(groups: readonly Group[], messages: number): number {
  return messages <= 0 ? 0 : (groups.find(({ end }) => end >= messages)?.end ?? groups.at(-1)?.end ?? 0);
}

function startOfTail(
  groups: readonly Group[],
  first: number,
  { tailTokens, lastMessages, leastMessages }: BoundaryLimits,
  tokensOf: (numbered: readonly NumberedMessage[]) => number,
): number {
  let [start, tokens, count] = [groups.at(-1)?.end ?? 0, 0, 0];
  for (const group of groups.toReversed()) {
    if (group.start < first) break;
    const total = tokens + tokensOf(group.messages);
    const isNear = count < lastMessages && total < tailTokens * SOFT_CEILING;
    if (total > tailTokens && !isNear && count >= leastMessages) break;
    [start, tokens, count] = [group.start, total, count + group.messages.length];
  }
  return start;
}
