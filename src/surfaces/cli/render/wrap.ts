import { type Cell, cellsWidth, trimCells } from './cells.ts';

/** The line that is being filled. It is plain data, so that what comes next can be tried out on a copy. */
export type LineWrap = { cells: Cell[]; width: number };

export type WrapOptions = {
  columns: number;
  /** `words` breaks at spaces and between wide characters; `anywhere` keeps every space, as code needs it. */
  mode: 'words' | 'anywhere';
  emit: (cells: Cell[]) => void;
};

export function emptyLine(): LineWrap {
  return { cells: [], width: 0 };
}

/** Adds cells, and gives out each line as soon as something stands behind it. */
export function wrapCells(line: LineWrap, cells: readonly Cell[], options: WrapOptions): void {
  // The window may have become narrower since.
  if (line.width > options.columns) {
    const before = line.cells;
    startLine(line, []);
    for (const cell of before) addCell(line, cell, options);
  }
  for (const cell of cells) addCell(line, cell, options);
}

/** Gives out what is left, if there is something. */
export function endLine(line: LineWrap, options: WrapOptions): void {
  wrapCells(line, [], options);
  if (line.cells.length > 0) options.emit(finishedCells(line.cells, options));
  startLine(line, []);
}

function addCell(line: LineWrap, cell: Cell, options: WrapOptions): void {
  if (cell.text === '\n') {
    options.emit(finishedCells(line.cells, options));
    return startLine(line, []);
  }
  const byWords = options.mode === 'words';
  if (byWords && cell.text === ' ' && line.cells.length === 0) return;
  while (line.cells.length > 0 && line.width + cell.width > options.columns) {
    const end = byWords ? breakBefore(line.cells, cell) : line.cells.length;
    options.emit(finishedCells(line.cells.slice(0, end), options));
    startLine(line, dropSpaces(line.cells.slice(end), byWords));
    if (byWords && cell.text === ' ' && line.cells.length === 0) return;
  }
  line.cells.push(cell);
  line.width += cell.width;
}

function startLine(line: LineWrap, cells: Cell[]): void {
  line.cells = cells;
  line.width = cellsWidth(cells);
}

/** How many cells stay in the line when this one does not fit any more. */
function breakBefore(cells: readonly Cell[], next: Cell): number {
  for (let at = cells.length; at > 0; at--) {
    const [before, after] = [cells[at - 1], cells[at] ?? next];
    if (before === undefined || !mayBreak(before, after)) continue;
    // A break that leaves nothing but indentation in the line helps nobody.
    if (cells.slice(0, at).some(({ text }) => text !== ' ')) return at;
  }
  return cells.length;
}

/** Closing marks of Chinese and Japanese do not begin a line. */
const CLOSING = /^[、。，．：；！？）」』】〉》〕…ー々]/u;

function mayBreak(before: Cell, after: Cell): boolean {
  if (before.text === ' ' || after.text === ' ') return true;
  return (before.width > 1 || after.width > 1) && !CLOSING.test(after.text);
}

function dropSpaces(cells: Cell[], wanted: boolean): Cell[] {
  const start = wanted ? cells.findIndex(({ text }) => text !== ' ') : 0;
  return start < 0 ? [] : cells.slice(start);
}

function finishedCells(cells: Cell[], { mode }: WrapOptions): Cell[] {
  return mode === 'anywhere' ? cells : trimCells(cells);
}
