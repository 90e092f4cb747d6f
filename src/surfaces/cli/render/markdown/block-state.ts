import type { Role } from '../theme.ts';
import type { WrapOptions } from '../wrap.ts';
import { CODE_INDENT, type CodeBlock, endLongCode } from './code-block.ts';
import type { Container } from './containers.ts';
import { endParagraph, openParagraph, type Paragraph } from './paragraph.ts';
import type { Drawn, BlockWriter } from './block-writer.ts';
import { drawTable, type Table } from './table.ts';

/** The first line of a paragraph: the next line may turn it into a heading or the head of a table. */
type FirstLine = { kind: 'held'; text: string };

/** The parser state, as plain data, so that the unfinished part can be rendered from a copy. */
export type Blocks = {
  containers: Container[];
  leaf: FirstLine | Paragraph | CodeBlock | Table | undefined;
  drawn: Drawn;
};

export function startBlocks(): Blocks {
  return { containers: [], leaf: undefined, drawn: { any: false, blank: undefined } };
}

export function copyBlocks({ containers, leaf, drawn }: Blocks): Blocks {
  const copy = leaf === undefined ? undefined : { ...leaf };
  if (copy !== undefined && 'line' in copy) copy.line = { ...copy.line, cells: [...copy.line.cells] };
  if (copy?.kind === 'table') {
    copy.natural = [...copy.natural];
    copy.rows = [...copy.rows];
  }
  return { containers: containers.map((each) => ({ ...each })), leaf: copy, drawn: { ...drawn } };
}

export function textWrapping({ containers, drawn }: Blocks, sheet: BlockWriter): WrapOptions {
  return sheet.wrapping(containers, drawn, 'words');
}

export function codeWrapping({ containers, drawn }: Blocks, sheet: BlockWriter): WrapOptions {
  return sheet.wrapping(containers, drawn, 'anywhere', CODE_INDENT);
}

/** The style of text inside these containers. */
export function textRoles({ containers }: Blocks): readonly Role[] {
  return containers.some(({ kind }) => kind === 'quote') ? QUOTED : PLAIN;
}

const PLAIN: readonly Role[] = [];
const QUOTED: readonly Role[] = ['quote'];

export function drawRows(blocks: Blocks, table: Table, ended: boolean, sheet: BlockWriter): void {
  const { containers, drawn } = blocks;
  drawTable(table, sheet.columns(containers), ended, (cells) => sheet.put(cells, containers, drawn));
}

/** Closes the innermost block. */
export function closeLeaf(blocks: Blocks, sheet: BlockWriter): void {
  const { leaf } = blocks;
  blocks.leaf = undefined;
  if (leaf === undefined) return;
  if (leaf.kind === 'table') return drawRows(blocks, leaf, true, sheet);
  if (leaf.kind === 'code') return leaf.long === '' ? undefined : endLongCode(leaf, codeWrapping(blocks, sheet));
  const paragraph = leaf.kind === 'held' ? openParagraph(leaf.text, textRoles(blocks)) : leaf;
  endParagraph(paragraph, sheet, textWrapping(blocks, sheet));
}

/** Closes all containers except the outermost `keep`. */
export function closeContainers(blocks: Blocks, keep: number, sheet: BlockWriter): void {
  const { containers, drawn } = blocks;
  // An empty list item is drawn too.
  if (containers.slice(keep).some((each) => each.kind === 'item' && each.fresh)) sheet.put([], containers, drawn);
  blocks.containers = containers.slice(0, keep);
  if (drawn.blank !== undefined) drawn.blank = Math.min(drawn.blank, keep);
}
