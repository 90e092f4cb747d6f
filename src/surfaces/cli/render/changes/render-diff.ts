import type { ChangedFile } from '../../../../base/index.ts';
import { showable } from '../../style.ts';
import { fitWidth, textWidth } from '../../../text/text-width.ts';
import { counted } from '../../../text/counted.ts';
import { indentOf } from '../calls/indent.ts';
import { type Cell, cellsWidth, paintCells, toCells } from '../cells.ts';
import type { Role, Theme } from '../theme.ts';
import { type Changed, changedWords } from './changed-words.ts';
import { type DiffLine, parseDiff } from './parse-diff.ts';

/** What became of a file, as the event has it; the depth is that of the call. */
export type FileChange = ChangedFile & { depth?: number };

export type DiffOptions = {
  /** How many lines are shown. */
  most?: number;
  /** With the name of the file; the line of a call has it already where there is only one. */
  titled?: boolean;
};

const MOST_LINES = 40;
/** More of a line is no help to anybody who reads it. */
const LONGEST_LINE = 1000;

/** A change of a file: its name and figures, then the lines with their numbers, and how many more there are. */
export function renderDiff(
  change: FileChange,
  width: number,
  theme: Theme,
  { most = MOST_LINES, titled = true }: DiffOptions = {},
): string[] {
  const indent = indentOf(change.depth, width);
  const columns = width - textWidth(indent);
  const lines = parseDiff(change.diff);
  const shown = lines.slice(0, most);
  const left = lines.length - shown.length + (change.omitted ?? 0);
  const figures = String(Math.max(1, ...shown.map((line) => ('number' in line ? line.number : 0)))).length;
  const drawn = pairChanges(shown).map((line) => drawLine(line, figures, columns, theme));
  const more = left > 0 ? [`  ${theme.dim(fitWidth(`… ${counted(left, 'more line')}`, columns - 2))}`] : [];
  const title = titled ? [titleLine(change, columns, theme)] : [];
  return [...title, ...drawn, ...more].map((line) => indent + line);
}

function titleLine({ path, added, removed }: ChangedFile, columns: number, theme: Theme): string {
  const plus = added > 0 ? ` +${added}` : '';
  const minus = removed > 0 ? ` −${removed}` : '';
  const name = fitWidth(showable(path), Math.max(1, columns - 2 - plus.length - minus.length));
  return `  ${theme.bold(name)}${theme.added(plus)}${theme.removed(minus)}`;
}

type Drawable = { line: DiffLine; changed?: Changed };

/** Where as many lines came as went, each is compared with its own successor. */
function pairChanges(lines: readonly DiffLine[]): Drawable[] {
  const drawables: Drawable[] = lines.map((line) => ({ line }));
  for (let at = 0; at < lines.length; ) {
    const removed = runLength(lines, at, 'removed');
    const added = runLength(lines, at + removed, 'added');
    if (removed > 0 && removed === added) {
      for (let row = at; row < at + removed; row++) markPair(drawables[row], drawables[row + removed]);
    }
    at += Math.max(1, removed + added);
  }
  return drawables;
}

function runLength(lines: readonly DiffLine[], from: number, kind: DiffLine['kind']): number {
  let length = 0;
  while (lines[from + length]?.kind === kind) length += 1;
  return length;
}

function markPair(before: Drawable | undefined, after: Drawable | undefined): void {
  if (before === undefined || after === undefined) return;
  const changed = changedWords(textOf(before.line), textOf(after.line));
  before.changed = changed?.before;
  after.changed = changed?.after;
}

function textOf(line: DiffLine): string {
  return 'text' in line ? line.text.slice(0, LONGEST_LINE) : '';
}

const LOOKS: Record<'same' | 'added' | 'removed', { sign: string; roles: readonly Role[]; changed: readonly Role[] }> =
  {
    same: { sign: ' ', roles: ['dim'], changed: [] },
    added: { sign: '+', roles: ['added'], changed: ['addedWord'] },
    removed: { sign: '-', roles: ['removed'], changed: ['removedWord'] },
  };

function drawLine({ line, changed }: Drawable, figures: number, columns: number, theme: Theme): string {
  if (line.kind === 'gap') return theme.dim(`  ${' '.repeat(figures)} ⋯`);
  const { sign, roles, changed: changedRoles } = LOOKS[line.kind];
  const text = textOf(line);
  const { start, end } = changed ?? { start: text.length, end: text.length };
  const cells = [
    ...toCells(`  ${String(line.number).padStart(figures)} `, ['lineNumber']),
    ...toCells(`${sign} `, roles),
    ...toCells(text.slice(0, start), roles),
    ...toCells(text.slice(start, end), changedRoles),
    ...toCells(text.slice(end), roles),
  ];
  return paintCells(cutCells(cells, columns), theme);
}

/** In one row: a long line is cut, because what changed is to be seen and not read out. */
function cutCells(cells: Cell[], columns: number): Cell[] {
  if (cellsWidth(cells) <= columns) return cells;
  let [width, end] = [0, 0];
  while (end < cells.length && width + (cells[end]?.width ?? 0) < columns) {
    width += cells[end]?.width ?? 0;
    end += 1;
  }
  return [...cells.slice(0, end), ...toCells('…', ['dim'])];
}
