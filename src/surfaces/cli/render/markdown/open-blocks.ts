import { toCells } from '../cells.ts';
import type { Role } from '../theme.ts';
import { type Blocks, closeLeaf, codeWrapping, textRoles, textWrapping } from './block-state.ts';
import { drawCodeLine, openCode } from './code-block.ts';
import { afterQuoteMark, itemLabel } from './containers.ts';
import { isRule, readFence, readHeading, readIndent, readListMarker } from './line-shapes.ts';
import { openParagraph, settleParagraph } from './paragraph.ts';
import type { Sheet } from './sheet.ts';

/** Containers beyond this in one line are text: no person nests so deep. */
const MOST_CONTAINERS = 24;

/** Whether a line is more than the continuation of the text before it. */
export function beginsBlock(rest: string, blocks: Blocks, whole: boolean, all: boolean): boolean {
  const { text } = readIndent(rest);
  if (afterQuoteMark(rest) !== undefined || readHeading(text) !== undefined) return true;
  if (whole && (isRule(text) || readFence(text) !== undefined)) return true;
  const item = readListMarker(text);
  if (item === undefined) return false;
  const inList = !all || blocks.containers.some(({ kind }) => kind === 'item');
  // A sentence may well have a number or a dash at the beginning of its second line.
  return inList || (item.content !== '' && !/^(?!1[.)])\d/.test(item.marker));
}

/** Opens what a line begins. `rest` is what stands behind the marks of the containers that go on. */
export function openBlocks(blocks: Blocks, rest: string, whole: boolean, sheet: Sheet): void {
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
  while (blocks.containers.length < MOST_CONTAINERS) {
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

export function openHeading(blocks: Blocks, { level, content }: Heading, whole: boolean, sheet: Sheet): void {
  const roles: Role[] = [level <= 2 ? 'heading' : 'bold'];
  // Without colours its marks are all that tells it from text.
  const text = sheet.theme.colours === 'none' ? `${'#'.repeat(level)} ${content}` : content;
  blocks.drawn.blank ??= blocks.containers.length;
  blocks.leaf = openParagraph(text, roles, true);
  if (whole) closeLeaf(blocks, sheet);
}

function drawRule({ containers, drawn }: Blocks, sheet: Sheet): void {
  sheet.put(toCells('─'.repeat(sheet.columns(containers)), ['border']), containers, drawn);
}
