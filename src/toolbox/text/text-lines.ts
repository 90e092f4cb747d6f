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
  let number = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < index; at = text.indexOf('\n', at + 1)) number += 1;
  return number;
}

/** The line end that a new line at a place should have: that of the lines around it. */
export function lineEndAt(text: string, index: number): '\r\n' | '\n' {
  const following = text.indexOf('\n', index);
  const newline = following >= 0 ? following : text.lastIndexOf('\n', index);
  return newline > 0 && text[newline - 1] === '\r' ? '\r\n' : '\n';
}

export function indentOf(line: string): string {
  return /^[ \t]*/.exec(line)?.[0] ?? '';
}
