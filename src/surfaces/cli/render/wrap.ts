import { type Cell, cellsWidth, trimCells } from './cells.ts';

/** The line that is being filled. It is plain data, so that the unfinished part can be rendered from a copy. */
export type LineWrap = { cells: Cell[]; width: number };

export type WrapOptions = {
  columns: number;
  /** `words` breaks at spaces and between wide characters; `anywhere` keeps every space, which code needs. */
  mode: 'words' | 'anywhere';
  emit: (cells: Cell[]) => void;
};

export function emptyLine(): LineWrap {
  return { cells: [], width: 0 };
}

/** Adds cells, and emits each line as soon as another cell follows it. */
export function wrapCells(line: LineWrap, cells: readonly Cell[], options: WrapOptions): void {
  // The window may have become narrower since the last call.
  if (line.width > options.columns) {
    const before = line.cells;
    startLine(line, []);
    for (const cell of before) addCell(line, cell, options);
  }
  for (const cell of cells) addCell(line, cell, options);
}

/** Emits the rest of the line, if there is any. */
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

/** Returns how many cells stay in the line if the next one does not fit. */
function breakBefore(cells: readonly Cell[], next: Cell): number {
  for (let at = cells.length; at > 0; at--) {
    const [before, after] = [cells[at - 1], cells[at] ?? next];
    if (before === undefined || !mayBreak(before, after)) continue;
    // A line with nothing but indentation would be useless.
    if (cells.slice(0, at).some(({ text }) => text !== ' ')) return at;
  }
  return cells.length;
}

/** Closing punctuation of Chinese and Japanese must not start a line. */
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
