import { HermesError } from '../base/index.ts';

const TITLE_LIMIT = 100;

// Line breaks and tabs are kept at first, so that they separate words when whitespace is collapsed.
const INVISIBLE =
  /(?![\t\n\v\f\r\u0085])\p{Cc}|\p{Cs}|\u034f|[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;
const BLANKS = /[\s\u0085]+/gu;

/** Normalises a title to one line of visible text; undefined if nothing is left. Throws if it is too long. */
export function sanitiseTitle(title: string | undefined): string | undefined {
  const clean = cleanTitle(title);
  if (clean === undefined) return undefined;
  const length = [...clean].length;
  if (length > TITLE_LIMIT) {
    throw new HermesError(`The title has ${length} characters, but at most ${TITLE_LIMIT} are allowed.`, {
      hint: 'Choose a shorter title.',
    });
  }
  return clean;
}

/** Like `sanitiseTitle`, but truncates a title that is too long. For imported titles. */
export function fitTitle(title: string | undefined): string | undefined {
  const clean = cleanTitle(title);
  return clean && [...clean].slice(0, TITLE_LIMIT).join('').trimEnd();
}

function cleanTitle(title: string | undefined): string | undefined {
  return title?.replace(INVISIBLE, '').replace(BLANKS, ' ').trim() || undefined;
}

/** Splits `X #3` into X and 3; a title without a number is its own base. */
export function splitTitle(title: string): { base: string; number?: number } {
  const [, base, digits] = /^(.*\S) #([1-9]\d{0,8})$/su.exec(title) ?? [];
  return base === undefined ? { base: title } : { base, number: Number(digits) };
}

/** Appends the number; the title is shortened if it would become too long. */
export function titleWithNumber(base: string, number: number): string {
  const suffix = ` #${number}`;
  const room = TITLE_LIMIT - suffix.length;
  return `${[...base].slice(0, room).join('').trimEnd()}${suffix}`;
}

export function isNumbered(title: string | null, base: string): boolean {
  if (title === null) return false;
  const parts = splitTitle(title);
  return parts.number !== undefined && parts.base === base;
}

/** The sanitised title without its number. */
export function baseOfTitle(title: string): string {
  const clean = sanitiseTitle(title);
  if (clean === undefined) throw new HermesError('The title is empty.', { hint: 'Give a title.' });
  return splitTitle(clean).base;
}

/** One more than the highest number in use. */
export function nextNumber(base: string, taken: readonly string[]): number {
  let number = 2;
  for (const name of taken) {
    if (isNumbered(name, base)) number = Math.max(number, (splitTitle(name).number ?? 1) + 1);
  }
  return number;
}
