import type { TextUnit } from '../../contracts/index.ts';
import { sliceStyled, type StyledText } from './styled-text.ts';

/** The length of a text as a platform counts it. */
export function lengthIn(unit: TextUnit, text: string): number {
  if (unit === 'utf16') return text.length;
  return unit === 'bytes' ? Buffer.byteLength(text) : countCodePoints(text);
}

function countCodePoints(text: string): number {
  let pairs = 0;
  for (let at = 0; at < text.length; at += 1) if (isPairAt(text, at)) pairs += 1;
  return text.length - pairs;
}

/** Whether a surrogate pair starts here. */
function isPairAt(text: string, at: number): boolean {
  return text.charCodeAt(at) >> 10 === 0x36 && text.charCodeAt(at + 1) >> 10 === 0x37;
}

/** Where a text is split, best first; the end of the match is the place. */
const PLACES = [/\n\n+/g, /\n/g, /[.!?…。！？] +|[。！？]/g, /\s/g];
/** A place in the first part of a piece would leave it nearly empty. */
const EARLIEST = 0.5;

/**
 * Splits a text into pieces that fit. `measure` is the length of a piece as it will be sent, with its formatting. The
 * joined text of the pieces is the text.
 */
export function splitStyled(whole: StyledText, limit: number, measure: (piece: StyledText) => number): StyledText[] {
  const pieces: StyledText[] = [];
  for (let from = 0; from < whole.text.length; ) {
    const to = findEnd(whole, { from, limit, measure });
    pieces.push(sliceStyled(whole, from, to));
    from = to;
  }
  return pieces;
}

type Wanted = { from: number; limit: number; measure: (piece: StyledText) => number };

function findEnd(whole: StyledText, { from, limit, measure }: Wanted): number {
  const fits = (to: number) => measure(sliceStyled(whole, from, to)) <= limit;
  // No character needs less than one unit, except in pairs where code points are counted.
  const farthest = Math.min(whole.text.length, from + limit * 2);
  if (fits(farthest)) return farthest;
  const longest = longestThatFits(from, farthest, fits);
  return nicePlace(whole.text, from, longest, fits) ?? wholeCharacter(whole.text, from, longest);
}

/** Formatting makes a longer piece longer, so the end can be found by halving. */
function longestThatFits(from: number, to: number, fits: (to: number) => boolean): number {
  let [low, high] = [from + 1, to];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (fits(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}

function nicePlace(text: string, from: number, longest: number, fits: (to: number) => boolean): number | undefined {
  const earliest = from + (longest - from) * EARLIEST;
  for (const pattern of PLACES) {
    const ends = [...text.slice(from, longest).matchAll(pattern)].map((match) => from + match.index + match[0].length);
    const place = ends.findLast((end) => end >= earliest && end <= longest && fits(end));
    if (place !== undefined) return place;
  }
  return undefined;
}

/** The longest character that is kept in one piece; there is text that consists of combining marks only. */
const MAX_CHARACTER = 32;

/** Not inside a surrogate pair, and not before a mark that combines with the character before it. */
function wholeCharacter(text: string, from: number, end: number): number {
  const earliest = Math.max(from + 1, end - MAX_CHARACTER);
  for (let at = end; at > earliest; at -= 1) {
    if (!isPairAt(text, at - 1) && !/^(?:\p{M}|\u200d)/u.test(text.slice(at, at + 2))) return at;
  }
  if (!isPairAt(text, end - 1)) return end;
  return end - 1 > from ? end - 1 : end + 1;
}
