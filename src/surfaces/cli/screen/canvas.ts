import { fitLine, lineWidth } from './width.ts';

/** As much of a terminal as painting takes. */
export interface PaintTarget {
  readonly columns: number;
  readonly rows: number;
  write(data: string): void;
  /** Looks whether the window has changed, before anybody has said so; whoever is to hear of a change hears of it. */
  measure?(): void;
}

/** Where the cursor stands in the live part: the line from its top, and the column. */
export type CursorPlace = { row: number; column: number };

/** What the live part shows. */
export type Live = { lines: readonly string[]; cursor: CursorPlace | undefined };

/**
 * What a terminal does with what it shows when its width changes: it wraps all lines anew, or all but the one with the
 * cursor, or none.
 */
export type Reflow = 'all' | 'all but the cursor line' | 'none';

const BEGIN_FRAME = '\u001b[?2026h';
const END_FRAME = '\u001b[?2026l';
const CLEAR_LINE = '\u001b[2K';
const HIDE_CURSOR = '\u001b[?25l';
const SHOW_CURSOR = '\u001b[?25h';

type Drawn = { lines: readonly string[]; cursor: CursorPlace; columns: number };

/** What stands on the terminal of the live part, and how it becomes something else. */
export function createCanvas(target: PaintTarget, reflow: Reflow) {
  let drawn: Drawn = nothingDrawn(target.columns);
  const write = (bytes: string) => (bytes === '' ? undefined : target.write(BEGIN_FRAME + bytes + END_FRAME));
  /** Removes what is drawn, wherever the terminal has put it. */
  const takeOff = () => {
    const bytes = eraseDrawn(drawn, target.columns, reflow);
    drawn = nothingDrawn(target.columns);
    write(bytes);
  };
  return {
    draw(finished: readonly string[], live: Live) {
      const next = fitScreen(live, target.columns, Math.max(1, target.rows - 1));
      const frame = drawFrame(drawn, finished, next, target.columns);
      drawn = { lines: next.lines, cursor: frame.cursor, columns: target.columns };
      write(frame.bytes);
    },
    /** Where the terminal has another width, or too few rows, what stands there goes. */
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

/** The end of the live part, where there is more of it than the screen has lines; the cursor stays in sight. */
function fitScreen({ lines, cursor }: Live, columns: number, rows: number): Live {
  const wanted = lines.length - rows;
  const cut = Math.max(0, Math.min(wanted, cursor?.row ?? wanted));
  // A line that wraps would take rows that nobody counts.
  const shown = lines.slice(cut, cut + rows).map((line) => fitLine(line.trimEnd(), columns));
  const column = Math.min(cursor?.column ?? 0, columns - 1);
  return { lines: shown, cursor: cursor && { row: cursor.row - cut, column } };
}

/** The bytes that turn what is drawn into the finished lines with the next live part below them. */
function drawFrame(
  drawn: Drawn,
  finished: readonly string[],
  next: Live,
  columns: number,
): { bytes: string; cursor: CursorPlace } {
  // A line that the terminal wraps would run over lines of the old live part, so these go first.
  const old = finished.some((line) => lineWidth(line) > columns) ? [] : drawn.lines;
  let bytes = old === drawn.lines ? moveTo(drawn.cursor.row, 0) : eraseDrawn(drawn, columns, 'none');
  const rows = [...finished, ...next.lines];
  let at = 0;
  for (const [index, line] of rows.entries()) {
    // Also a line of the answer that was live and is finished now: it stands where it belongs already.
    if (old[index] === line) continue;
    bytes += `${'\r\n'.repeat(index - at)}\r${CLEAR_LINE}${line}`;
    at = index;
  }
  // What the old live part had below the new one.
  for (let index = rows.length; index < old.length; index += 1) {
    bytes += `${'\r\n'.repeat(index - at)}\r${CLEAR_LINE}`;
    at = index;
  }
  const top = finished.length;
  const cursor = next.cursor ?? { row: Math.max(0, next.lines.length - 1), column: 0 };
  bytes += moveTo(at, top + cursor.row) + toColumn(cursor.column) + (next.cursor ? SHOW_CURSOR : HIDE_CURSOR);
  return { bytes, cursor };
}

/** Clears every row that the drawn lines take at this width, and leaves the cursor where the first one began. */
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

/** From one row of the live part to another; the column is lost where it moves down. */
function moveTo(from: number, to: number): string {
  if (from === to) return '\r';
  return to < from ? `\r\u001b[${from - to}A` : '\r\n'.repeat(to - from);
}

function toColumn(column: number): string {
  return column === 0 ? '' : `\u001b[${column}C`;
}
