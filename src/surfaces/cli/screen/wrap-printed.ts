import { wrapTextWithAnsi } from './pi-tui.ts';
import { lineWidth } from './width.ts';

// A name with words about it behind a gap, as in lists of commands; or what a line is indented by.
// oxlint-disable-next-line no-control-regex
const NAME = /^ *[^\s\u001b]+ {2,}(?=\S)/;
const INDENT = /^ */;

/** A line of finished text as lines that fit the window, broken between words; what follows stands below what it is about. */
export function wrapPrinted(line: string, columns: number): string[] {
  if (lineWidth(line) <= columns) return [line];
  // In a narrow window a wide margin would leave no room.
  const fits = (beginning: string) => beginning !== '' && lineWidth(beginning) <= columns / 2;
  const first = [NAME, INDENT].map((shape) => shape.exec(line)?.[0] ?? '').find(fits) ?? '';
  const margin = ' '.repeat(lineWidth(first));
  const parts = wrapTextWithAnsi(line.slice(first.length).trimStart(), Math.max(1, columns - margin.length));
  return parts.map((part, index) => (index === 0 ? first : margin) + part);
}
