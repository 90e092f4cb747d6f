/**
 * Finds positions at which an unfinished paragraph can be split. A position depends only on the text before it and
 * one character after it, so it does not depend on how the text is split into deltas. The text before it is drawn
 * without knowing what follows.
 */

/** A delimiter that is not closed within this length counts as text. */
const MAX_SEGMENT_LENGTH = 800;

/** Letters of unspaced scripts. */
export const UNSPACED_LETTER = /[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\u3001\u3002\uff00-\uffef]/;
const SPACE = /\s/;
const WORD = /[\p{L}\p{N}]/u;

type Open = {
  /** The number of backticks that opened the current code, or 0. */
  code: number;
  /** The open emphasis delimiters, by character. */
  emphasis: Record<string, number>;
  brackets: number;
  address: boolean;
};

/** Returns the end of the segment that starts at `from`, or undefined if more text is needed. */
export function findSegmentEnd(text: string, from: number): number | undefined {
  const open: Open = { code: 0, emphasis: { '*': 0, _: 0, '~': 0 }, brackets: 0, address: false };
  let at = from;
  while (at < text.length) {
    if (at - from >= MAX_SEGMENT_LENGTH) return forceSegmentEnd(text, from);
    if (at > from && isClosed(open) && isBetween(text, at)) return at;
    at = step(text, at, open);
  }
  return text.length - from > MAX_SEGMENT_LENGTH ? forceSegmentEnd(text, from) : undefined;
}

function isClosed({ code, emphasis, brackets, address }: Open): boolean {
  return code === 0 && brackets === 0 && !address && Object.values(emphasis).every((count) => count === 0);
}

/** After a space, or between two letters of an unspaced script. */
function isBetween(text: string, at: number): boolean {
  const before = text[at - 1] ?? '';
  return SPACE.test(before) || (UNSPACED_LETTER.test(before) && UNSPACED_LETTER.test(text[at] ?? ''));
}

function forceSegmentEnd(text: string, from: number): number {
  const most = from + MAX_SEGMENT_LENGTH;
  for (let at = most; at > from + 1; at--) if (SPACE.test(text[at - 1] ?? '')) return at;
  // Never splits a surrogate pair.
  return isHighSurrogate(text.charCodeAt(most - 1)) ? most - 1 : most;
}

export function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

/** Reads one character or one run of delimiters, and returns the position after it. */
function step(text: string, at: number, open: Open): number {
  const character = text[at] ?? '';
  if (character === '`') return stepOverRun(text, at, (length) => noteBackticks(open, length));
  if (open.code > 0) return at + 1;
  if (character === '\\') return at + 2;
  if (character === '*' || character === '_' || character === '~')
    return stepOverRun(text, at, (length) => noteEmphasis(open, text, at, length));
  if (character === '[') open.brackets += 1;
  else if (character === ']' && open.brackets > 0) noteBracket(text, at, open);
  else if (character === ')' || character === '\n') open.address = false;
  return at + 1;
}

function stepOverRun(text: string, at: number, note: (length: number) => void): number {
  let end = at;
  while (end < text.length && text[end] === text[at]) end += 1;
  note(end - at);
  return end;
}

function noteBackticks(open: Open, length: number): void {
  if (open.code === 0) open.code = length;
  else if (open.code === length) open.code = 0;
}

function noteBracket(text: string, at: number, open: Open): void {
  open.brackets -= 1;
  if (open.brackets === 0) open.address = text[at + 1] === '(';
}

/** Approximates CommonMark's flanking rules: an opening delimiter precedes a word, a closing one follows it. */
function noteEmphasis(open: Open, text: string, at: number, length: number): void {
  const character = text[at] ?? '';
  const [before, after] = [text[at - 1] ?? ' ', text[at + length] ?? ' '];
  const inWord = character === '_' && WORD.test(before) && WORD.test(after);
  if (inWord || (character === '~' && length !== 2)) return;
  const count = open.emphasis[character] ?? 0;
  if (count > 0 && !SPACE.test(before)) open.emphasis[character] = Math.max(0, count - length);
  else if (!SPACE.test(after)) open.emphasis[character] = count + length;
}
