import type { ChangedFile } from '../../../base/index.ts';
import { counted } from '../../text/counted.ts';
import { fitWidth, textWidth } from '../../../util/text-width.ts';
import { printable } from '../style.ts';
import { type Cell, cellsWidth, paintCells, toCells } from './cells.ts';
import type { Role, Theme } from './theme.ts';
import { indentOf } from './tool-calls.ts';

/** A changed file as in the event; `depth` is the nesting depth of the tool call. */
type FileChange = ChangedFile & { depth?: number };

type DiffOptions = {
  /** The maximum number of lines. */
  most?: number;
  /** Show the name of the file. With a single file, the line of the call already names it. */
  titled?: boolean;
};

const MAX_LINES = 40;
/** Longer lines are cut. */
const MAX_LINE_LENGTH = 1000;

/** Renders a changed file: its name and line counts, then the numbered lines, and how many more there are. */
export function renderDiff(
  change: FileChange,
  width: number,
  theme: Theme,
  { most = MAX_LINES, titled = true }: DiffOptions = {},
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
  const name = fitWidth(printable(path), Math.max(1, columns - 2 - plus.length - minus.length));
  return `  ${theme.bold(name)}${theme.added(plus)}${theme.removed(minus)}`;
}

type Drawable = { line: DiffLine; changed?: Changed };

/** Pairs each removed line with its replacement, where as many lines were added as removed. */
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
  return 'text' in line ? line.text.slice(0, MAX_LINE_LENGTH) : '';
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

/** Cuts a long line to one row, because a diff is an overview. */
function cutCells(cells: Cell[], columns: number): Cell[] {
  if (cellsWidth(cells) <= columns) return cells;
  let [width, end] = [0, 0];
  while (end < cells.length && width + (cells[end]?.width ?? 0) < columns) {
    width += cells[end]?.width ?? 0;
    end += 1;
  }
  return [...cells.slice(0, end), ...toCells('…', ['dim'])];
}

/** A line of a unified diff. `number` is its line number in the new file, or in the old one if it was removed. */
type DiffLine = { kind: 'same' | 'added' | 'removed'; number: number; text: string } | { kind: 'gap' };

const HUNK = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/;

/** Parses a unified diff into numbered lines, with a gap between hunks. */
function parseDiff(diff: string): DiffLine[] {
  const lines: DiffLine[] = [];
  let [before, after] = [1, 1];
  for (const line of diff.replace(/\n$/, '').split('\n')) {
    const hunk = HUNK.exec(line);
    const text = line.slice(1);
    if (hunk !== null) {
      [before, after] = [Number(hunk[1]), Number(hunk[2])];
      if (lines.length > 0) lines.push({ kind: 'gap' });
    } else if (line.startsWith('+')) lines.push({ kind: 'added', number: after++, text });
    else if (line.startsWith('-')) lines.push({ kind: 'removed', number: before++, text });
    else if (line.startsWith(' ')) {
      lines.push({ kind: 'same', number: after++, text });
      before += 1;
    }
  }
  return lines;
}

/** The changed range of a line. */
type Changed = { start: number; end: number };

const WORD = /[\p{L}\p{N}_]/u;

/**
 * Finds the range of words in which a line differs from its replacement. Undefined if that is most of the line,
 * because highlighting it would be useless.
 */
export function changedWords(before: string, after: string): { before: Changed; after: Changed } | undefined {
  let start = 0;
  while (start < before.length && before[start] === after[start]) start += 1;
  let end = 0;
  const most = Math.min(before.length, after.length) - start;
  while (end < most && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  while (start > 0 && (isWithinWord(before, start) || isWithinWord(after, start))) start -= 1;
  while (end > 0 && (isWithinWord(before, before.length - end) || isWithinWord(after, after.length - end))) end -= 1;
  const indent = /^\s*/.exec(before)?.[0].length ?? 0;
  const kept = Math.max(0, start - indent) + end;
  if (kept * 3 < Math.max(before.length, after.length) - indent) return undefined;
  return { before: { start, end: before.length - end }, after: { start, end: after.length - end } };
}

function isWithinWord(text: string, at: number): boolean {
  return WORD.test(text[at - 1] ?? '') && WORD.test(text[at] ?? '');
}
