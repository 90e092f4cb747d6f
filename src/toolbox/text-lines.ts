/** A line of a text and where it stands in it. */
export type TextLine = {
  /** Without its line end. */
  text: string;
  start: number;
  /** Behind the text, in front of the line end. */
  end: number;
  /** Behind the line end. */
  next: number;
};

/** The lines of a text with their places; a newline at the end does not begin another line. */
export function linesOf(text: string): TextLine[] {
  const lines: TextLine[] = [];
  let start = 0;
  while (start < text.length) {
    const newline = text.indexOf('\n', start);
    const next = newline < 0 ? text.length : newline + 1;
    const stop = newline < 0 ? text.length : newline;
    const end = newline > start && text[newline - 1] === '\r' ? stop - 1 : stop;
    lines.push({ text: text.slice(start, end), start, end, next });
    start = next;
  }
  return lines;
}

/** The number, from 1, of the line that a place in a text belongs to. */
export function lineNumberAt(text: string, index: number): number {
  return text.slice(0, index).split('\n').length;
}

/** Where a run of lines occurs in another, from a line on, by a measure of sameness. */
export function findRuns(
  lines: readonly TextLine[],
  wanted: readonly string[],
  same: (a: string, b: string) => boolean,
  from = 0,
): number[] {
  const found: number[] = [];
  for (let at = from; at + wanted.length <= lines.length; at++) {
    if (wanted.every((line, offset) => same(line, lines[at + offset]?.text ?? ''))) found.push(at);
  }
  return found;
}

export const sameExactly = (a: string, b: string) => a === b;
export const sameButBlanks = (a: string, b: string) => a.trim() === b.trim();

export function indentOf(line: string): string {
  return /^[ \t]*/.exec(line)?.[0] ?? '';
}
