import { toCells } from '../cells.ts';
import type { Role } from '../theme.ts';
import {
  type Blocks,
  closeContainers,
  closeLeaf,
  codeWrapping,
  drawRows,
  textRoles,
  textWrapping,
} from './block-state.ts';
import { addLongCode, type CodeBlock, drawCodeLine, endLongCode, openCode } from './code-block.ts';
import { afterQuoteMark, itemLabel, matchContainers } from './containers.ts';
import {
  closesFence,
  dropIndent,
  isRule,
  readAlignments,
  readFence,
  readHeading,
  readIndent,
  readListMarker,
  readUnderline,
  splitRow,
} from './parse-line.ts';
import { addLine, addToLine, openParagraph, settleParagraph } from './paragraph.ts';
import type { BlockWriter } from './block-writer.ts';
import { addRow, openTable } from './table.ts';

/** Processes one line. If `whole` is false, it is the start of a line that is too long to buffer. */
export function processLine(blocks: Blocks, line: string, whole: boolean, sheet: BlockWriter): void {
  const { matched, rest } = matchContainers(blocks.containers, line, blocks.leaf?.kind === 'code');
  const all = matched === blocks.containers.length;
  if (blocks.leaf?.kind === 'code' && isWithinCode(blocks, matched))
    return processCode(blocks, blocks.leaf, rest, whole, sheet);
  if (whole && rest.trim() === '') return processBlank(blocks, matched, sheet);
  if (whole && all && processFollowUp(blocks, rest, sheet)) return;
  const isText = blocks.leaf?.kind === 'held' || blocks.leaf?.kind === 'paragraph';
  if (isText && !beginsBlock(rest, blocks, whole, all)) return addText(blocks, rest.trimStart(), sheet);
  closeLeaf(blocks, sheet);
  closeContainers(blocks, matched, sheet);
  openBlocks(blocks, rest, whole, sheet);
}

/** Processes more of a line that is too long to buffer. */
export function continueLine(blocks: Blocks, text: string, sheet: BlockWriter): void {
  const { leaf } = blocks;
  if (leaf?.kind === 'code') return addLongCode(leaf, text, codeWrapping(blocks, sheet));
  // The start of the line consisted only of container markers and spaces.
  if (leaf?.kind !== 'paragraph') blocks.leaf = openParagraph('', textRoles(blocks));
  if (blocks.leaf?.kind !== 'paragraph') return;
  addToLine(blocks.leaf, text);
  settleParagraph(blocks.leaf, sheet, textWrapping(blocks, sheet));
}

/** Ends a line that was too long to buffer. */
export function endLongLine(blocks: Blocks, sheet: BlockWriter): void {
  const { leaf } = blocks;
  if (leaf?.kind === 'code') endLongCode(leaf, codeWrapping(blocks, sheet));
  else if (leaf?.kind === 'paragraph' && leaf.oneLine) closeLeaf(blocks, sheet);
}

export function endBlocks(blocks: Blocks, sheet: BlockWriter): void {
  closeLeaf(blocks, sheet);
  closeContainers(blocks, 0, sheet);
}

/**
 * Models often forget to indent code inside a list, so it continues until its closing fence. Code in a quote ends
 * with the quote.
 */
function isWithinCode({ containers }: Blocks, matched: number): boolean {
  return containers.slice(matched).every(({ kind }) => kind === 'item');
}

function processCode(blocks: Blocks, code: CodeBlock, rest: string, whole: boolean, sheet: BlockWriter): void {
  if (whole && closesFence(rest, code.marks)) return closeLeaf(blocks, sheet);
  const text = dropIndent(rest, code.indent);
  if (whole) drawCodeLine(code, text, codeWrapping(blocks, sheet));
  else addLongCode(code, text, codeWrapping(blocks, sheet));
}

function processBlank(blocks: Blocks, matched: number, sheet: BlockWriter): void {
  closeLeaf(blocks, sheet);
  closeContainers(blocks, matched, sheet);
  blocks.drawn.blank ??= matched;
}

/**
 * Handles a line that changes the meaning of the line above it: a table row, a delimiter row or a heading underline.
 */
function processFollowUp(blocks: Blocks, rest: string, sheet: BlockWriter): boolean {
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

function addText(blocks: Blocks, text: string, sheet: BlockWriter): void {
  const { leaf } = blocks;
  if (leaf?.kind === 'held') blocks.leaf = openParagraph(leaf.text, textRoles(blocks));
  if (blocks.leaf?.kind !== 'paragraph') return;
  addLine(blocks.leaf, text);
  settleParagraph(blocks.leaf, sheet, textWrapping(blocks, sheet));
}

/** Deeper nesting in one line is treated as text. */
const MAX_CONTAINERS = 24;

/** Whether a line starts a new block instead of continuing the paragraph. */
function beginsBlock(rest: string, blocks: Blocks, whole: boolean, all: boolean): boolean {
  const { text } = readIndent(rest);
  if (afterQuoteMark(rest) !== undefined || readHeading(text) !== undefined) return true;
  if (whole && (isRule(text) || readFence(text) !== undefined)) return true;
  const item = readListMarker(text);
  if (item === undefined) return false;
  const inList = !all || blocks.containers.some(({ kind }) => kind === 'item');
  // Outside a list, the line may be the continuation of a sentence that happens to start with a number or a dash.
  return inList || (item.content !== '' && !/^(?!1[.)])\d/.test(item.marker));
}

/** Opens the blocks that a line starts. `rest` is the line without the markers of the containers that continue. */
function openBlocks(blocks: Blocks, rest: string, whole: boolean, sheet: BlockWriter): void {
  const { inner, opened } = openContainers(blocks, rest, whole);
  const { indent, text } = readIndent(inner);
  if (text.trim() === '') return;
  if (indent >= 4 && whole && !opened)
    return drawCodeLine(openCode('', 0, undefined), inner.slice(4), codeWrapping(blocks, sheet));
  const fence = whole ? readFence(text) : undefined;
  if (fence !== undefined) {
    blocks.leaf = openCode(fence.marks, indent, sheet.theme.code.of(fence.language));
    return;
  }
  const heading = readHeading(text);
  if (heading !== undefined) return openHeading(blocks, heading, whole, sheet);
  if (whole && isRule(text)) return drawRule(blocks, sheet);
  if (whole) blocks.leaf = { kind: 'held', text };
  else {
    blocks.leaf = openParagraph(text, textRoles(blocks));
    settleParagraph(blocks.leaf, sheet, textWrapping(blocks, sheet));
  }
}

function openContainers(blocks: Blocks, rest: string, whole: boolean): { inner: string; opened: boolean } {
  let [inner, opened] = [rest, false];
  while (blocks.containers.length < MAX_CONTAINERS) {
    const quoted = afterQuoteMark(inner);
    const { indent, text } = readIndent(inner);
    const item = whole && isRule(text) ? undefined : readListMarker(text);
    if (quoted !== undefined) {
      blocks.containers.push({ kind: 'quote' });
      inner = quoted;
    } else if (item !== undefined) {
      const depth = blocks.containers.filter(({ kind }) => kind === 'item').length;
      const label = itemLabel(item.marker, item.task, depth);
      const contentIndent = indent + item.marker.length + 1;
      blocks.containers.push({ kind: 'item', markerIndent: indent, contentIndent, label, fresh: true });
      inner = item.content;
    } else break;
    opened = true;
  }
  return { inner, opened };
}

type Heading = { level: number; content: string };

function openHeading(blocks: Blocks, { level, content }: Heading, whole: boolean, sheet: BlockWriter): void {
  const roles: Role[] = [level <= 2 ? 'heading' : 'bold'];
  // Without colours, only the `#` characters distinguish a heading from text.
  const text = sheet.theme.colours === 'none' ? `${'#'.repeat(level)} ${content}` : content;
  blocks.drawn.blank ??= blocks.containers.length;
  blocks.leaf = openParagraph(text, roles, true);
  if (whole) closeLeaf(blocks, sheet);
}

function drawRule({ containers, drawn }: Blocks, sheet: BlockWriter): void {
  sheet.put(toCells('─'.repeat(sheet.columns(containers)), ['border']), containers, drawn);
}
