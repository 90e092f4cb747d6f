import { showable } from '../style.ts';
import { textWidth } from '../../text/text-width.ts';
import type { Role, Theme } from './theme.ts';

/** One character of a screen with all that joins it: accents, a joiner and what it joins. */
export type Cell = { text: string; width: number; roles: readonly Role[] };

const NO_ROLES: readonly Role[] = [];
const PLAIN = /^[ -~\n]*$/;
const TAB = '    ';

/** Text of others as cells. Line breaks stay, and are cells without a width. */
export function toCells(text: string, roles: readonly Role[] = NO_ROLES): Cell[] {
  const shown = showable(text).replaceAll('\t', TAB);
  if (PLAIN.test(shown)) return Array.from(shown, (character) => cellOf(character, roles));
  const cells: Cell[] = [];
  for (const character of shown) {
    const last = cells.at(-1);
    if (last !== undefined && joins(last, character)) {
      last.text += character;
      last.width = textWidth(last.text);
    } else cells.push(cellOf(character, roles));
  }
  return cells;
}

function cellOf(text: string, roles: readonly Role[]): Cell {
  return { text, width: text === '\n' ? 0 : textWidth(text), roles };
}

/** Longer heaps of marks are no letter of any language; a cell has to end somewhere. */
const MAX_CELL_LENGTH = 40;

function joins(last: Cell, character: string): boolean {
  if (last.text === '\n' || last.text.length > MAX_CELL_LENGTH) return false;
  // What a joiner joins counts in full, as terminals that do not know the joined picture draw its parts; so it is kept
  // together only while that is not much.
  return textWidth(character) === 0 || (last.text.endsWith('\u200d') && last.width < 8);
}

export function cellsWidth(cells: readonly Cell[]): number {
  let width = 0;
  for (const cell of cells) width += cell.width;
  return width;
}

/** Without the spaces at the end, which nobody sees and everybody copies. */
export function trimCells(cells: Cell[]): Cell[] {
  let end = cells.length;
  while (end > 0 && cells[end - 1]?.text === ' ') end -= 1;
  return cells.slice(0, end);
}

/** Cells as text for the terminal; each run of one look opens and closes its own sequences. */
export function paintCells(cells: readonly Cell[], theme: Theme): string {
  let [line, run] = ['', ''];
  let roles = NO_ROLES;
  const close = () => {
    line += paintText(run, roles, theme);
    run = '';
  };
  for (const cell of cells) {
    if (cell.roles !== roles) close();
    roles = cell.roles;
    run += cell.text;
  }
  close();
  return line;
}

function paintText(text: string, roles: readonly Role[], theme: Theme): string {
  return text === '' ? '' : roles.reduceRight((painted, role) => theme[role](painted), text);
}
