import { type Cell, cellsWidth, paintCells, trimCells } from '../cells.ts';
import type { Theme } from '../theme.ts';
import type { WrapOptions } from '../wrap.ts';
import { type Container, prefixCells } from './containers.ts';

/** The state of the output that the next line depends on. */
export type Drawn = {
  any: boolean;
  /** The number of containers around the blank line that is due before the next line; undefined if none is due. */
  blank: number | undefined;
};

/** Writes the lines of blocks, with the prefixes of their containers and one blank line between blocks. */
export type BlockWriter = {
  theme: Theme;
  put(cells: Cell[], containers: Container[], drawn: Drawn): void;
  /** The width of a block inside these containers. */
  columns(containers: readonly Container[]): number;
  wrapping(containers: Container[], drawn: Drawn, mode: WrapOptions['mode'], indent?: Cell[]): WrapOptions;
};

export function createBlockWriter(theme: Theme, width: number, emit: (line: string) => void): BlockWriter {
  const columns: BlockWriter['columns'] = (containers) =>
    Math.max(2, width - cellsWidth(prefixCells(containers, width)));
  const put: BlockWriter['put'] = (cells, containers, drawn) => {
    if (drawn.any && drawn.blank !== undefined) {
      const around = containers.slice(0, drawn.blank).map((each) => ({ ...each, fresh: false }));
      emit(paintCells(trimCells(prefixCells(around, width)), theme));
    }
    drawn.any = true;
    drawn.blank = undefined;
    emit(paintCells(trimCells([...prefixCells(containers, width), ...cells]), theme));
    for (const container of containers) if (container.kind === 'item') container.fresh = false;
  };
  return {
    theme,
    put,
    columns,
    wrapping: (containers, drawn, mode, indent = []) => ({
      columns: Math.max(2, columns(containers) - cellsWidth(indent)),
      mode,
      emit: (cells) => put(cells.length === 0 ? [] : [...indent, ...cells], containers, drawn),
    }),
  };
}
