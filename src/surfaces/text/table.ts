import type { Usage } from '../../base/index.ts';
import { printable } from './style.ts';
import { padWidth, textWidth, wrapText } from '../../util/text-width.ts';

/**
 * The minimum width of a column. In a narrower one, the text would be harder to read than lines that the terminal
 * wraps.
 */
const MIN_COLUMN_WIDTH = 20;

/** Formats rows as columns: the first one left-aligned, the others right-aligned. */
export function formatTable(rows: readonly (readonly string[])[]): string {
  const cells = rows.map((row) => row.map(printable));
  const widths = (cells[0] ?? []).map((_, column) => Math.max(...cells.map((row) => textWidth(row[column] ?? ''))));
  return cells
    .map((row) => {
      const [first = '', ...rest] = row;
      const figures = rest.map((cell, index) => ' '.repeat((widths[index + 1] ?? 0) - textWidth(cell)) + cell);
      return `  ${[padWidth(first, widths[0] ?? 0), ...figures].join('  ').trimEnd()}\n`;
    })
    .join('');
}

/** Formats names and values, both left-aligned, wrapped to the terminal width. */
export function formatPairs(rows: readonly (readonly [string, string])[], columns?: number): string {
  const width = Math.max(...rows.map(([name]) => textWidth(name)));
  return rows
    .map(([name, value]) => `  ${padWidth(name, width)}  ${wrapWithIndent(printable(value), width + 4, columns)}\n`)
    .join('');
}

/** Wraps a text with a hanging indent. */
export function wrapWithIndent(text: string, margin: number, columns: number | undefined): string {
  if (columns === undefined || columns - margin < MIN_COLUMN_WIDTH) return text;
  return wrapText(text, columns - margin).join(`\n${' '.repeat(margin)}`);
}

const BARS = '▁▂▃▄▅▆▇█';

/** Formats one bar character per figure, scaled to the largest one. Zero is a dot, so that it is visible. */
export function formatBars(figures: readonly number[]): string {
  const largest = Math.max(...figures, 1);
  const bar = (figure: number) => BARS[Math.ceil((figure / largest) * BARS.length) - 1] ?? '·';
  return figures.map(bar).join('');
}

/** Formats a number as `950`, `12.3k` or `4.5M`. */
export function formatFigure(figure: number): string {
  if (figure < 1000) return String(figure);
  // The limit allows for rounding: 999,950 would become 1000.0k.
  return figure < 999_950 ? `${(figure / 1000).toFixed(1)}k` : `${(figure / 1_000_000).toFixed(1)}M`;
}

export function formatShare(part: number, whole: number): string {
  return whole === 0 ? '–' : `${Math.round((part / whole) * 100)} %`;
}

/** The share of the input tokens that came from the cache. */
export function hitRate({ input, cacheRead, cacheWrite }: Usage): string {
  return formatShare(cacheRead, input + cacheRead + cacheWrite);
}
