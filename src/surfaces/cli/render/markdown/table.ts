import { type Cell, cellsWidth, toCells } from '../cells.ts';
import type { Theme } from '../theme.ts';
import { emptyLine, endLine, wrapCells } from '../wrap.ts';
import { inlineCells } from './inline.ts';
import { type Alignment, splitRow } from './parse-line.ts';

/** The column widths are computed from this many rows; later rows are drawn as they arrive. */
const MAX_BUFFERED_ROWS = 100;
/** Extra width for later rows, for example for growing numbers. */
const SLACK = 6;

export type Table = {
  kind: 'table';
  alignments: Alignment[];
  head: Cell[][];
  /** Rows that are not drawn yet. */
  rows: Cell[][][];
  /** The width of each column without wrapping. */
  natural: number[];
  headDrawn: boolean;
};

type DrawRow = (cells: Cell[]) => void;

export function openTable(head: string, alignments: Alignment[], theme: Theme): Table {
  const table: Table = {
    kind: 'table',
    alignments,
    rows: [],
    headDrawn: false,
    natural: alignments.map(() => 1),
    head: readFields(head, alignments.length, theme, true),
  };
  noteWidths(table, table.head);
  return table;
}

export function addRow(table: Table, line: string, theme: Theme): void {
  const fields = readFields(line, table.alignments.length, theme, false);
  if (!table.headDrawn) noteWidths(table, fields);
  table.rows = [...table.rows, fields];
}

function readFields(line: string, count: number, theme: Theme, isHead: boolean): Cell[][] {
  const fields = splitRow(line);
  return Array.from({ length: count }, (_, index) => inlineCells(fields[index] ?? '', isHead ? ['bold'] : [], theme));
}

function noteWidths({ natural }: Table, fields: readonly Cell[][]): void {
  for (const [index, cells] of fields.entries()) natural[index] = Math.max(natural[index] ?? 1, widestLine(cells));
}

function widestLine(cells: readonly Cell[]): number {
  let [widest, width] = [0, 0];
  for (const cell of cells) {
    width = cell.text === '\n' ? 0 : width + cell.width;
    widest = Math.max(widest, width);
  }
  return widest;
}

/** Draws the pending rows. The first ones are delayed until the column widths are known or the table has ended. */
export function drawTable(table: Table, columns: number, ended: boolean, draw: DrawRow): void {
  if (!ended && !table.headDrawn && table.rows.length < MAX_BUFFERED_ROWS) return;
  if (!ended && !table.headDrawn) table.natural = table.natural.map((each) => each + SLACK);
  const widths = shareColumns(table.natural, columns);
  if (widths === undefined) drawRecords(table, columns, draw);
  else drawGrid(table, widths, draw);
  table.headDrawn = true;
  table.rows = [];
}

const BAR = toCells(' │ ', ['border']);

function drawGrid(table: Table, widths: readonly number[], draw: DrawRow): void {
  if (!table.headDrawn) {
    drawFields(table, table.head, widths, draw);
    draw(toCells(widths.map((width) => '─'.repeat(width)).join('─┼─'), ['border']));
  }
  for (const row of table.rows) drawFields(table, row, widths, draw);
}

function drawFields(table: Table, fields: readonly Cell[][], widths: readonly number[], draw: DrawRow): void {
  const columns = fields.map((cells, index) => wrapField(cells, widths[index] ?? 1));
  const height = Math.max(1, ...columns.map(({ length }) => length));
  for (let line = 0; line < height; line++) {
    const parts = columns.map((lines, index) =>
      align(lines[line] ?? [], widths[index] ?? 1, table.alignments[index] ?? 'left'),
    );
    draw(parts.flatMap((part, index) => (index === 0 ? part : [...BAR, ...part])));
  }
}

function wrapField(cells: readonly Cell[], columns: number): Cell[][] {
  const lines: Cell[][] = [];
  const options = { columns, mode: 'words' as const, emit: (line: Cell[]) => lines.push(line) };
  const line = emptyLine();
  wrapCells(line, cells, options);
  endLine(line, options);
  return lines;
}

function align(cells: Cell[], width: number, alignment: Alignment): Cell[] {
  const free = Math.max(0, width - cellsWidth(cells));
  const left = { left: 0, right: free, center: Math.floor(free / 2) }[alignment];
  return [...toCells(' '.repeat(left)), ...cells, ...toCells(' '.repeat(free - left))];
}

/** Draws each row as a list of `name: value` lines, for tables that are too wide for columns. */
function drawRecords(table: Table, columns: number, draw: DrawRow): void {
  for (const [index, row] of table.rows.entries()) {
    if (index > 0 || table.headDrawn) draw([]);
    for (const [column, cells] of row.entries()) {
      const name = [...(table.head[column] ?? []), ...toCells(': ')];
      for (const line of wrapField([...name, ...cells], columns)) draw(line);
    }
  }
  if (table.rows.length === 0 && !table.headDrawn) for (const line of wrapField(table.head.flat(), columns)) draw(line);
}

/** The width between two columns. */
const GAP = 3;
/** A narrower column would be unreadable. */
const MIN_COLUMN_WIDTH = 5;

/**
 * Computes the column widths. If the table is too wide, the widest columns are reduced to the same width and narrow
 * ones are kept. Undefined if the result would be unreadable.
 */
function shareColumns(natural: readonly number[], width: number): number[] | undefined {
  const room = width - GAP * (natural.length - 1);
  const total = natural.reduce((sum, each) => sum + each, 0);
  if (total <= room) return [...natural];
  let [left, open] = [room, natural.length];
  let most = 0;
  for (const each of [...natural].sort((a, b) => a - b)) {
    most = Math.floor(left / open);
    if (each > most) break;
    left -= each;
    open -= 1;
  }
  return most < MIN_COLUMN_WIDTH ? undefined : natural.map((each) => Math.min(each, most));
}
