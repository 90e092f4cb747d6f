/**
 * The text of a memory file: entries separated by a line `§`. People edit it by hand, so it is split into pieces that
 * join to exactly the same text, and a change touches only its own piece.
 */
export type MemoryText = {
  /** The byte order mark, which some editors write. */
  readonly byteOrderMark: string;
  /** The text between the separators, with all whitespace and line ends. A blank piece is not an entry. */
  readonly pieces: readonly string[];
  /** The separator lines between the pieces. */
  readonly separators: readonly string[];
};

export type Entry = {
  /** Index of the piece that contains the entry. */
  piece: number;
  text: string;
};

const SEPARATOR_LINE = /^[ \t]*§[ \t]*(?:\r\n|\n|\r)?$/;
const LINES = /[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+$/g;
const LINE_END = /\r\n|\n|\r/g;
const ENDS_LINE = /[\r\n]$/;

export function parseMemory(content: string): MemoryText {
  const marker = content.startsWith('\ufeff') ? '\ufeff' : '';
  const pieces = [''];
  const separators: string[] = [];
  for (const line of content.slice(marker.length).match(LINES) ?? []) {
    if (SEPARATOR_LINE.test(line)) {
      separators.push(line);
      pieces.push('');
    } else pieces[pieces.length - 1] += line;
  }
  return { byteOrderMark: marker, pieces, separators };
}

export function formatMemory({ byteOrderMark, pieces, separators }: MemoryText): string {
  return byteOrderMark + pieces.map((piece, index) => piece + (separators[index] ?? '')).join('');
}

/** The non-blank pieces, trimmed and with normalized line ends. */
export function entriesOf({ pieces }: MemoryText): Entry[] {
  return pieces.map((text, piece) => ({ piece, text: cleanEntry(text) })).filter(({ text }) => text !== '');
}

export function cleanEntry(text: string): string {
  return text.replace(LINE_END, '\n').trim();
}

/** Whether the text would be parsed as more than one entry. */
export function hasSeparator(entry: string): boolean {
  return entry.split('\n').some((line) => SEPARATOR_LINE.test(line));
}

/** Length of a separator with its line ends. */
export const DIVIDER_CHARACTERS = 3;

/** The size of entries for the limit: code points, including separators. */
export function measureEntries(entries: readonly string[]): number {
  const between = DIVIDER_CHARACTERS * Math.max(0, entries.length - 1);
  return entries.reduce((sum, entry) => sum + countCharacters(entry), between);
}

function countCharacters(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

export function addEntry(text: MemoryText, entry: string): MemoryText {
  const lineEnd = lineEndOf(text);
  const written = entry.replaceAll('\n', lineEnd);
  const pieces = [...text.pieces];
  const separators = [...text.separators];
  const last = pieces.pop() ?? '';
  if (last.trim() === '') {
    // A separator at the end of the file may lack its line end, which the new entry needs.
    if (separators.length > 0) separators.push(endLine(separators.pop() ?? '', lineEnd));
    return { ...text, pieces: [...pieces, last + written], separators };
  }
  const tail = ENDS_LINE.test(last) ? lineEnd : '';
  return {
    ...text,
    pieces: [...pieces, endLine(last, lineEnd), written + tail],
    separators: [...separators, `§${lineEnd}`],
  };
}

export function replaceEntry(text: MemoryText, piece: number, entry: string): MemoryText {
  const before = text.pieces[piece] ?? '';
  const start = before.length - before.trimStart().length;
  const end = before.trimEnd().length;
  const written = entry.replaceAll('\n', lineEndOf(text));
  const changed = before.slice(0, start) + written + before.slice(end);
  return { ...text, pieces: text.pieces.with(piece, changed) };
}

/** Removes an entry with the separator after it, or before it if it is the last one. */
export function removeEntry(text: MemoryText, piece: number): MemoryText {
  const isLast = piece === text.pieces.length - 1;
  const endedOpen = isLast && !ENDS_LINE.test(text.pieces[piece] ?? '');
  const pieces = text.pieces.toSpliced(piece, 1);
  const separators = text.separators.toSpliced(isLast ? piece - 1 : piece, 1);
  if (pieces.length === 0) return { ...text, pieces: [''], separators: [] };
  // A file without a final line end stays that way.
  if (endedOpen) pieces.push((pieces.pop() ?? '').replace(/(?:\r\n|\n|\r)$/, ''));
  return { ...text, pieces, separators };
}

function endLine(text: string, lineEnd: string): string {
  return text === '' || ENDS_LINE.test(text) ? text : text + lineEnd;
}

/** The line ending for new lines: the first one of the file. */
function lineEndOf(text: MemoryText): string {
  return formatMemory(text).match(LINE_END)?.[0] ?? '\n';
}
