import { printable } from '../style.ts';
import { textWidth } from '../../../util/text-width.ts';
import { hyperlink } from './hyperlink.ts';
import type { Role, Theme } from './theme.ts';

/**
 * One visible character with everything that combines with it: accents, and characters joined with a zero-width
 * joiner.
 */
export type Cell = {
  text: string;
  width: number;
  roles: readonly Role[];
  /** What a click opens. */
  target?: string;
};

const NO_ROLES: readonly Role[] = [];
const PLAIN = /^[ -~\n]*$/;
const TAB = '    ';

/** Splits untrusted text into cells. Line breaks become cells of width 0. */
export function toCells(text: string, roles: readonly Role[] = NO_ROLES): Cell[] {
  const shown = printable(text).replaceAll('\t', TAB);
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

/** No language stacks more combining characters on one letter. */
const MAX_CELL_LENGTH = 40;

function joins(last: Cell, character: string): boolean {
  if (last.text === '\n' || last.text.length > MAX_CELL_LENGTH) return false;
  // Parts of an emoji take fewer columns together than alone.
  const alone = textWidth(character);
  return alone === 0 || textWidth(last.text + character) < last.width + alone;
}

export function cellsWidth(cells: readonly Cell[]): number {
  let width = 0;
  for (const cell of cells) width += cell.width;
  return width;
}

/** Removes trailing spaces, which would be copied with the text. */
export function trimCells(cells: Cell[]): Cell[] {
  let end = cells.length;
  while (end > 0 && cells[end - 1]?.text === ' ') end -= 1;
  return cells.slice(0, end);
}

/**
 * Renders cells as text for the terminal. Each run of equally styled cells opens and closes its own escape sequences.
 */
export function paintCells(cells: readonly Cell[], theme: Theme): string {
  let [line, run] = ['', ''];
  let { roles, target }: Pick<Cell, 'roles' | 'target'> = { roles: NO_ROLES };
  const close = () => {
    const painted = paintText(run, roles, theme);
    line += target === undefined || !theme.links ? painted : hyperlink(painted, target);
    run = '';
  };
  for (const cell of cells) {
    if (cell.roles !== roles || cell.target !== target) close();
    ({ roles, target } = cell);
    run += cell.text;
  }
  close();
  return line;
}

function paintText(text: string, roles: readonly Role[], theme: Theme): string {
  return text === '' ? '' : roles.reduceRight((painted, role) => theme[role](painted), text);
}
