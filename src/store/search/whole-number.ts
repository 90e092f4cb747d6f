// Nobody reads so many hits, and all of them are ranked at once.
const MOST_SHOWN = 5_000;

/** A limit or an offset, whatever was asked for. */
export function wholeNumber(value: number): number {
  return Math.min(Math.max(Math.trunc(value) || 0, 0), MOST_SHOWN);
}
