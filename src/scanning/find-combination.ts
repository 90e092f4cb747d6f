import { findPhrase } from './phrase-matcher.ts';
import type { Combination } from './scan-rule.ts';
import type { ScanSegment, Sentence } from './text/segments.ts';

const MAX_MATCHES = 8;

/**
 * The first place in a sentence where all phrases of a combination occur, as offsets; `accept` may reject a place.
 * Undefined if there is none, or if the sentence contains a phrase that must not occur.
 */
export function findCombination(
  { all: [first, ...others], none, within }: Combination,
  { proseWords: { words, offsets } }: ScanSegment,
  { sentence, accept }: { sentence: Sentence; accept(found: Sentence): boolean },
): Sentence | undefined {
  if (first === undefined) return undefined;
  const whole = wordsBetween(offsets, sentence.start, sentence.end);
  let from = whole.start;
  for (let tries = 0; tries < MAX_MATCHES; tries++) {
    const match = findPhrase(first, words, { start: from, end: whole.end });
    if (match === undefined) return undefined;
    const start = offsets[match.start] as number;
    const end = (offsets[match.end - 1] as number) + (words[match.end - 1] as string).length;
    const near = within === undefined ? whole : intersect(whole, wordsBetween(offsets, start - within, end + within));
    const isComplete = others.every((phrases) => findPhrase(phrases, words, near) !== undefined);
    if (isComplete && accept({ start, end })) {
      return none.some((phrases) => findPhrase(phrases, words, whole) !== undefined) ? undefined : { start, end };
    }
    from = match.end;
  }
  return undefined;
}

function intersect(one: Sentence, other: Sentence): Sentence {
  return { start: Math.max(one.start, other.start), end: Math.min(one.end, other.end) };
}

/** The words that begin between two offsets. */
function wordsBetween(offsets: readonly number[], start: number, end: number): Sentence {
  return { start: firstFrom(offsets, start), end: firstFrom(offsets, end) };
}

function firstFrom(offsets: readonly number[], offset: number): number {
  let [low, high] = [0, offsets.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((offsets[middle] as number) < offset) low = middle + 1;
    else high = middle;
  }
  return low;
}
