import {
  type Blocks,
  closeContainers,
  closeLeaf,
  codeWrapping,
  drawRows,
  textRoles,
  textWrapping,
} from './block-state.ts';
import { addLongCode, type CodeBlock, drawCodeLine, endLongCode } from './code-block.ts';
import { matchContainers } from './containers.ts';
import { closesFence, dropIndent, readAlignments, readUnderline, splitRow } from './line-shapes.ts';
import { beginsBlock, openBlocks, openHeading } from './open-blocks.ts';
import { addLine, addToLine, openParagraph, settleParagraph } from './paragraph.ts';
import type { Sheet } from './sheet.ts';
import { addRow, openTable } from './table.ts';

/** One line; where it is not whole, the beginning of one that is too long to be waited for. */
export function takeLine(blocks: Blocks, line: string, whole: boolean, sheet: Sheet): void {
  const { matched, rest } = matchContainers(blocks.containers, line, blocks.leaf?.kind === 'code');
  const all = matched === blocks.containers.length;
  if (blocks.leaf?.kind === 'code' && isWithinCode(blocks, matched))
    return takeCode(blocks, blocks.leaf, rest, whole, sheet);
  if (whole && rest.trim() === '') return takeBlank(blocks, matched, sheet);
  if (whole && all && takeBelow(blocks, rest, sheet)) return;
  const isText = blocks.leaf?.kind === 'held' || blocks.leaf?.kind === 'paragraph';
  if (isText && !beginsBlock(rest, blocks, whole, all)) return addText(blocks, rest.trimStart(), sheet);
  closeLeaf(blocks, sheet);
  closeContainers(blocks, matched, sheet);
  openBlocks(blocks, rest, whole, sheet);
}

/** More of a line that was too long. */
export function continueLine(blocks: Blocks, text: string, sheet: Sheet): void {
  const { leaf } = blocks;
  if (leaf?.kind === 'code') return addLongCode(leaf, text, codeWrapping(blocks, sheet));
  // The beginning had nothing but marks and spaces.
  if (leaf?.kind !== 'paragraph') blocks.leaf = openParagraph('', textRoles(blocks));
  if (blocks.leaf?.kind !== 'paragraph') return;
  addToLine(blocks.leaf, text);
  settleParagraph(blocks.leaf, sheet, textWrapping(blocks, sheet));
}

/** Such a line has ended. */
export function endLongLine(blocks: Blocks, sheet: Sheet): void {
  const { leaf } = blocks;
  if (leaf?.kind === 'code') endLongCode(leaf, codeWrapping(blocks, sheet));
  else if (leaf?.kind === 'paragraph' && leaf.oneLine) closeLeaf(blocks, sheet);
}

export function endBlocks(blocks: Blocks, sheet: Sheet): void {
  closeLeaf(blocks, sheet);
  closeContainers(blocks, 0, sheet);
}

/** Models often forget to indent code within a list; it ends with its marks all the same. A quote ends without its own. */
function isWithinCode({ containers }: Blocks, matched: number): boolean {
  return containers.slice(matched).every(({ kind }) => kind === 'item');
}

function takeCode(blocks: Blocks, code: CodeBlock, rest: string, whole: boolean, sheet: Sheet): void {
  if (whole && closesFence(rest, code.marks)) return closeLeaf(blocks, sheet);
  const text = dropIndent(rest, code.indent);
  if (whole) drawCodeLine(code, text, codeWrapping(blocks, sheet));
  else addLongCode(code, text, codeWrapping(blocks, sheet));
}

function takeBlank(blocks: Blocks, matched: number, sheet: Sheet): void {
  closeLeaf(blocks, sheet);
  closeContainers(blocks, matched, sheet);
  blocks.drawn.blank ??= matched;
}

/** A line that says something about the one above it. */
function takeBelow(blocks: Blocks, rest: string, sheet: Sheet): boolean {
  const { leaf } = blocks;
  if (leaf?.kind === 'table') {
    const isRow = rest.includes('|') && (rest.trimStart().startsWith('|') || !beginsBlock(rest, blocks, true, true));
    if (!isRow) return false;
    addRow(leaf, rest, sheet.theme);
    drawRows(blocks, leaf, false, sheet);
    return true;
  }
  if (leaf?.kind !== 'held') return false;
  const alignments = readAlignments(rest);
  if (alignments !== undefined && leaf.text.includes('|') && splitRow(leaf.text).length === alignments.length) {
    blocks.leaf = openTable(leaf.text, alignments, sheet.theme);
    return true;
  }
  const level = readUnderline(rest.trim());
  if (level === undefined) return false;
  openHeading(blocks, { level, content: leaf.text }, true, sheet);
  return true;
}

function addText(blocks: Blocks, text: string, sheet: Sheet): void {
  const { leaf } = blocks;
  if (leaf?.kind === 'held') blocks.leaf = openParagraph(leaf.text, textRoles(blocks));
  if (blocks.leaf?.kind !== 'paragraph') return;
  addLine(blocks.leaf, text);
  settleParagraph(blocks.leaf, sheet, textWrapping(blocks, sheet));
}
