import type { IBufferCell, Terminal } from '@xterm/headless';
import { backgroundOf, foregroundOf, type Palette } from './palette.ts';

/** The style of a character; undefined fields have their defaults. */
export type Look = {
  colour?: string;
  background?: string;
  weight?: 'bold';
  dim?: true;
  italic?: true;
  decoration?: 'underline' | 'line-through';
};

/** A character with its combining characters, and its number of columns. */
export type Cell = { text: string; columns: number; look: Look };

/** The visible lines without trailing spaces and trailing empty lines. */
export function readCells(terminal: Terminal, palette: Palette): Cell[][] {
  const { active } = terminal.buffer;
  const lines = Array.from({ length: terminal.rows }, (_, row) => {
    const line = active.getLine(active.baseY + row);
    const cells = Array.from({ length: terminal.cols }, (_column, column) => line?.getCell(column));
    // The second half of a wide character is a cell without columns.
    return trimmed(
      cells
        .filter((cell) => cell !== undefined && cell.getWidth() > 0)
        .map((cell) => toCell(cell as IBufferCell, palette)),
    );
  });
  while (lines.at(-1)?.length === 0) lines.pop();
  return lines;
}

function trimmed(cells: Cell[]): Cell[] {
  const last = cells.findLastIndex(({ text, look }) => text !== ' ' || look.background !== undefined);
  return cells.slice(0, last + 1);
}

function toCell(cell: IBufferCell, palette: Palette): Cell {
  const [colour, background] = [foregroundOf(cell, palette), backgroundOf(cell, palette)];
  const look: Look = cell.isInverse()
    ? { colour: background ?? palette.background, background: colour ?? palette.text }
    : { colour, background };
  if (cell.isBold()) look.weight = 'bold';
  if (cell.isDim()) look.dim = true;
  if (cell.isItalic()) look.italic = true;
  if (cell.isUnderline()) look.decoration = 'underline';
  if (cell.isStrikethrough()) look.decoration = 'line-through';
  return { text: cell.isInvisible() ? ' ' : cell.getChars() || ' ', columns: cell.getWidth(), look };
}
