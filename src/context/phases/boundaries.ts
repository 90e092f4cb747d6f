import type { Entry } from '../conversation.ts';

/** A conversation in three parts. The tail may begin with the newest user message, taken from further up. */
export type Boundaries = { head: readonly Entry[]; middle: readonly Entry[]; tail: readonly Entry[] };

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
  entries: readonly Entry[],
  limits: BoundaryLimits,
  tokensOf: (entries: readonly Entry[]) => number,
  formerAt = entries.length,
): Boundaries {
  const groups = groupEntries(entries);
  const headEnd = endOfHead(groups, Math.min(limits.headMessages, formerAt));
  const firstTail = formerAt < entries.length ? Math.max(headEnd, formerAt) : headEnd;
  const tailStart = startOfTail(groups, firstTail, limits, tokensOf);
  const newestUser = entries.findLastIndex(({ message }) => message.role === 'user');
  const isApart = newestUser >= headEnd && newestUser < tailStart;
  const middle = entries.slice(headEnd, tailStart).filter((_, offset) => !isApart || headEnd + offset !== newestUser);
  const apart = isApart ? [entries[newestUser] as Entry] : [];
  return { head: entries.slice(0, headEnd), middle, tail: [...apart, ...entries.slice(tailStart)] };
}

type Group = { start: number; end: number; entries: readonly Entry[] };

/** What must not be parted: an answer and the results of its calls. */
function groupEntries(entries: readonly Entry[]): Group[] {
  const starts = entries.flatMap(({ message }, index) => (message.role !== 'tool' || index === 0 ? [index] : []));
  return starts.map((start, place) => {
    const end = starts[place + 1] ?? entries.length;
    return { start, end, entries: entries.slice(start, end) };
  });
}

function endOfHead(groups: readonly Group[], messages: number): number {
  return messages <= 0 ? 0 : (groups.find(({ end }) => end >= messages)?.end ?? groups.at(-1)?.end ?? 0);
}

function startOfTail(
  groups: readonly Group[],
  first: number,
  { tailTokens, lastMessages, leastMessages }: BoundaryLimits,
  tokensOf: (entries: readonly Entry[]) => number,
): number {
  let [start, tokens, count] = [groups.at(-1)?.end ?? 0, 0, 0];
  for (const group of groups.toReversed()) {
    if (group.start < first) break;
    const total = tokens + tokensOf(group.entries);
    const isNear = count < lastMessages && total < tailTokens * SOFT_CEILING;
    if (total > tailTokens && !isNear && count >= leastMessages) break;
    [start, tokens, count] = [group.start, total, count + group.entries.length];
  }
  return start;
}
