/** `#3-#87, #90` for these numbers, which are in order. */
export function formatNumbers(numbers: readonly number[]): string {
  return formatRanges(rangesOf(numbers, 1));
}

/** A reader needs no more than this to find something. */
const MOST_RANGES = 12;

/** The same in few ranges: the smallest gaps between them are passed over. */
export function formatCoarsely(numbers: readonly number[]): string {
  let [gap, ranges] = [1, rangesOf(numbers, 1)];
  while (ranges.length > MOST_RANGES) {
    gap *= 2;
    ranges = rangesOf(numbers, gap);
  }
  return formatRanges(ranges);
}

type Range = [first: number, last: number];

function rangesOf(numbers: readonly number[], gap: number): Range[] {
  const ranges: Range[] = [];
  for (const number of numbers) {
    const last = ranges.at(-1);
    if (last !== undefined && number <= last[1] + gap) last[1] = number;
    else ranges.push([number, number]);
  }
  return ranges;
}

function formatRanges(ranges: readonly Range[]): string {
  return ranges.map(([first, last]) => (first === last ? `#${first}` : `#${first}-#${last}`)).join(', ');
}

/** A range longer than any conversation is no range of ours. */
const MOST_NUMBERS = 1_000_000;

/** The numbers that such a text names, in the order in which they stand there. */
export function parseNumbers(text: string): number[] {
  const numbers: number[] = [];
  for (const [, from, to] of text.matchAll(/#(\d{1,9})(?:-#(\d{1,9}))?/g)) {
    const [first, last] = [Number(from), Number(to ?? from)];
    if (last - first + numbers.length > MOST_NUMBERS) return numbers;
    for (let number = first; number <= last; number += 1) numbers.push(number);
  }
  return numbers;
}
