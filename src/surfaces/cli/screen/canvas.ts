import { stripAnsi } from '../../../util/index.ts';
import { fitLine, lineWidth } from './width.ts';

/** The part of a terminal that drawing needs. */
export interface PaintTarget {
  readonly columns: number;
  readonly rows: number;
  write(data: string): void;
  /** Reads the current window size without waiting for a resize signal, and emits a resize event if it changed. */
  measure?(): void;
}

/** The cursor position in the live part: the row from its top, and the column. */
export type CursorPosition = { row: number; column: number };

/** The content of the live part. */
export type LivePart = { lines: readonly string[]; cursor: CursorPosition | undefined };

/**
 * What a terminal does with its content when its width changes: it re-wraps all lines, all but the one with the
 * cursor, or none.
 */
export type Reflow = 'all' | 'all but the cursor line' | 'none';

const BEGIN_FRAME = '\u001b[?2026h';
const END_FRAME = '\u001b[?2026l';
const CLEAR_LINE = '\u001b[2K';
const HIDE_CURSOR = '\u001b[?25l';
const SHOW_CURSOR = '\u001b[?25h';
/**
 * A terminal with other tables of widths must not wrap a line of the live part, because its rows are counted. The
 * end of such a line is overwritten instead.
 */
const WRAP_OFF = '\u001b[?7l';
const WRAP_ON = '\u001b[?7h';

type Drawn = { lines: readonly string[]; cursor: CursorPosition; columns: number };

/** Remembers what the live part shows on the terminal, and writes the bytes that update it. */
export function createCanvas(target: PaintTarget, reflow: Reflow, { lines = [], cursor }: Partial<LivePart> = {}) {
  let drawn: Drawn = { lines, cursor: cursor ?? { row: 0, column: 0 }, columns: target.columns };
  const write = (bytes: string) => (bytes === '' ? undefined : target.write(BEGIN_FRAME + bytes + END_FRAME));
  /** Erases the live part, even if the terminal has re-wrapped it. */
  const takeOff = () => {
    const bytes = eraseDrawn(drawn, target.columns, reflow);
    drawn = nothingDrawn(target.columns);
    write(bytes);
  };
  return {
    draw(finished: readonly string[], live: LivePart) {
      const next = fitScreen(live, target.columns, Math.max(1, target.rows - 1));
      const frame = drawFrame(drawn, finished, next, target.columns);
      drawn = { lines: next.lines, cursor: frame.cursor, columns: target.columns };
      write(frame.bytes);
    },
    /** Erases the live part if the terminal has another width or too few rows. */
    fit() {
      if (target.columns !== drawn.columns || drawn.lines.length >= target.rows) takeOff();
    },
    leave() {
      takeOff();
      target.write(SHOW_CURSOR);
    },
    forget() {
      drawn = nothingDrawn(target.columns);
    },
  };
}

function nothingDrawn(columns: number): Drawn {
  return { lines: [], cursor: { row: 0, column: 0 }, columns };
}

/** Cuts a live part that is taller than the screen to its end, but keeps the cursor visible. */
function fitScreen({ lines, cursor }: LivePart, columns: number, rows: number): LivePart {
  const wanted = lines.length - rows;
  const cut = Math.max(0, Math.min(wanted, cursor?.row ?? wanted));
  // A line that wraps would take up rows that are not counted.
  const shown = lines.slice(cut, cut + rows).map((line) => fitLine(line.trimEnd(), columns));
  const column = Math.min(cursor?.column ?? 0, columns - 1);
  return { lines: shown, cursor: cursor && { row: cursor.row - cut, column } };
}

/** Returns the bytes that replace the drawn live part with the finished lines and the next live part below them. */
function drawFrame(
  drawn: Drawn,
  finished: readonly string[],
  next: LivePart,
  columns: number,
): { bytes: string; cursor: CursorPosition } {
  // A finished line that the terminal wraps would overwrite lines of the old live part, so they are erased first.
  const old = finished.some((line) => lineWidth(line) > columns) ? [] : drawn.lines;
  let bytes = old === drawn.lines ? moveTo(drawn.cursor.row, 0) : eraseDrawn(drawn, columns, 'none');
  const rows = [...finished, ...next.lines];
  let at = 0;
  for (const [index, line] of rows.entries()) {
    // This also skips lines of the answer that were live and are finished now: they are already in the right row.
    if (old[index] === line) continue;
    const isLive = index >= finished.length;
    bytes += `${'\r\n'.repeat(index - at)}\r${CLEAR_LINE}${isLive ? keepInRow(line, columns) : line}`;
    at = index;
  }
  // Clears the rows of the old live part below the new one.
  for (let index = rows.length; index < old.length; index += 1) {
    bytes += `${'\r\n'.repeat(index - at)}\r${CLEAR_LINE}`;
    at = index;
  }
  const top = finished.length;
  const cursor = next.cursor ?? { row: Math.max(0, next.lines.length - 1), column: 0 };
  bytes += moveTo(at, top + cursor.row) + toColumn(cursor.column) + (next.cursor ? SHOW_CURSOR : HIDE_CURSOR);
  return { bytes, cursor };
}

/** No emoji is drawn more than four times as wide as measured, and ASCII is never. */
function keepInRow(line: string, columns: number): string {
  const isSure = lineWidth(line) * 4 <= columns || /^[\u0020-\u007e]*$/.test(stripAnsi(line));
  return isSure ? line : WRAP_OFF + line + WRAP_ON;
}

/** Clears every row that the drawn lines take up at this width, and moves the cursor to the first of them. */
function eraseDrawn(drawn: Drawn, columns: number, reflow: Reflow): string {
  if (drawn.lines.length === 0) return '';
  const heights = drawn.lines.map((line, row) => {
    const isWrapped = reflow === 'all' || (reflow !== 'none' && row !== drawn.cursor.row);
    return isWrapped ? Math.max(1, Math.ceil(lineWidth(line) / columns)) : 1;
  });
  const above = heights.slice(0, drawn.cursor.row).reduce((sum, rows) => sum + rows, 0);
  const all = heights.reduce((sum, rows) => sum + rows, 0);
  const within = Math.min(Math.floor(drawn.cursor.column / columns), (heights[drawn.cursor.row] ?? 1) - 1);
  const clears = Array.from({ length: all }, () => `\r${CLEAR_LINE}`).join('\r\n');
  return moveTo(above + within, 0) + clears + moveTo(all - 1, 0);
}

/** Moves from one row of the live part to another, to column 0. */
function moveTo(from: number, to: number): string {
  if (from === to) return '\r';
  return to < from ? `\r\u001b[${from - to}A` : '\r\n'.repeat(to - from);
}

function toColumn(column: number): string {
  return column === 0 ? '' : `\u001b[${column}C`;
}
