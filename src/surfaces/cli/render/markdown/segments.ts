/**
 * Where a paragraph may be cut while it is still being written. What stands before a cut is drawn without a look at what
 * comes after it, so a cut depends on nothing but the text before it and one character behind: whatever the pieces in
 * which a text arrives, it is cut at the same places.
 */

/** So much is waited for the end of something that was opened; then it counts as text. */
const MAX_SEGMENT_LENGTH = 800;

/** Of scripts that have no spaces between words. */
export const WIDE_LETTER = /[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\u3001\u3002\uff00-\uffef]/;
const SPACE = /\s/;
const WORD = /[\p{L}\p{N}]/u;

type Open = {
  /** How many backticks opened the code that we are in. */
  code: number;
  /** Delimiters of emphasis that were opened, by character. */
  emphasis: Record<string, number>;
  brackets: number;
  address: boolean;
};

/** The end of the first segment that begins at `from`; undefined while that cannot be told. */
export function findCut(text: string, from: number): number | undefined {
  const open: Open = { code: 0, emphasis: { '*': 0, _: 0, '~': 0 }, brackets: 0, address: false };
  let at = from;
  while (at < text.length) {
    if (at - from >= MAX_SEGMENT_LENGTH) return cutAnyway(text, from);
    if (at > from && isClosed(open) && isBetween(text, at)) return at;
    at = step(text, at, open);
  }
  return text.length - from > MAX_SEGMENT_LENGTH ? cutAnyway(text, from) : undefined;
}

function isClosed({ code, emphasis, brackets, address }: Open): boolean {
  return code === 0 && brackets === 0 && !address && Object.values(emphasis).every((count) => count === 0);
}

/** Behind a space, or between two letters of a script that has none. */
function isBetween(text: string, at: number): boolean {
  const before = text[at - 1] ?? '';
  return SPACE.test(before) || (WIDE_LETTER.test(before) && WIDE_LETTER.test(text[at] ?? ''));
}

function cutAnyway(text: string, from: number): number {
  const most = from + MAX_SEGMENT_LENGTH;
  for (let at = most; at > from + 1; at--) if (SPACE.test(text[at - 1] ?? '')) return at;
  // Never between the halves of one character.
  return isHighSurrogate(text.charCodeAt(most - 1)) ? most - 1 : most;
}

export function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

/** Reads one character or one run of delimiters, and gives the place behind it. */
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

/** Roughly what Markdown says of it: what opens stands before a word, what closes behind one. */
function noteEmphasis(open: Open, text: string, at: number, length: number): void {
  const character = text[at] ?? '';
  const [before, after] = [text[at - 1] ?? ' ', text[at + length] ?? ' '];
  const inWord = character === '_' && WORD.test(before) && WORD.test(after);
  if (inWord || (character === '~' && length !== 2)) return;
  const count = open.emphasis[character] ?? 0;
  if (count > 0 && !SPACE.test(before)) open.emphasis[character] = Math.max(0, count - length);
  else if (!SPACE.test(after)) open.emphasis[character] = count + length;
}
