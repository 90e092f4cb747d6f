import type { Usage } from '../../base/index.ts';
import { showable } from './style.ts';
import { padWidth, textWidth, wrapText } from './text-width.ts';

/** Below this a column of text is harder to read than lines that the terminal breaks. */
const NARROWEST = 20;

/** Rows of cells in columns: the first one to the left, figures to the right. */
export function formatTable(rows: readonly (readonly string[])[]): string {
  const cells = rows.map((row) => row.map(showable));
  const widths = (cells[0] ?? []).map((_, column) => Math.max(...cells.map((row) => textWidth(row[column] ?? ''))));
  return cells
    .map((row) => {
      const [first = '', ...rest] = row;
      const figures = rest.map((cell, index) => ' '.repeat((widths[index + 1] ?? 0) - textWidth(cell)) + cell);
      return `  ${[padWidth(first, widths[0] ?? 0), ...figures].join('  ').trimEnd()}\n`;
    })
    .join('');
}

/** Names and what they stand for, both to the left; in a terminal no wider than it is. */
export function formatPairs(rows: readonly (readonly [string, string])[], columns?: number): string {
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows
    .map(([name, value]) => `  ${name.padEnd(width)}  ${besideMargin(showable(value), width + 4, columns)}\n`)
    .join('');
}

/** A text behind something else, with its other lines below its first. */
export function besideMargin(text: string, margin: number, columns: number | undefined): string {
  if (columns === undefined || columns - margin < NARROWEST) return text;
  return wrapText(text, columns - margin).join(`\n${' '.repeat(margin)}`);
}

const BARS = '▁▂▃▄▅▆▇█';

/** One character per figure, the highest for the largest. Nothing at all is a dot, so that it is seen. */
export function formatBars(figures: readonly number[]): string {
  const largest = Math.max(...figures, 1);
  const bar = (figure: number) => BARS[Math.ceil((figure / largest) * BARS.length) - 1] ?? '·';
  return figures.map(bar).join('');
}

/** `950`, `12.3k`, `4.5M`. */
export function formatFigure(figure: number): string {
  if (figure < 1000) return String(figure);
  // Rounded before it is compared, or 999,950 would be 1000.0k.
  return figure < 999_950 ? `${(figure / 1000).toFixed(1)}k` : `${(figure / 1_000_000).toFixed(1)}M`;
}

export function formatShare(part: number, whole: number): string {
  return whole === 0 ? '–' : `${Math.round((part / whole) * 100)} %`;
}

/** The part of all input that came from a cache. */
export function hitRate({ input, cacheRead, cacheWrite }: Usage): string {
  return formatShare(cacheRead, input + cacheRead + cacheWrite);
}
