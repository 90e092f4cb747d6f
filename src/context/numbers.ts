/** `#3-#87, #90` for these numbers, which are in order. */
export function formatNumbers(numbers: readonly number[]): string {
  const ranges: [number, number][] = [];
  for (const number of numbers) {
    const last = ranges.at(-1);
    if (last !== undefined && number === last[1] + 1) last[1] = number;
    else ranges.push([number, number]);
  }
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
