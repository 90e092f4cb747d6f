import { type Cell, cellsWidth, toCells } from '../cells.ts';
import { readIndent, readListMarker } from './line-shapes.ts';

/** What other blocks stand in: a quote, or an item of a list. */
export type Container = { kind: 'quote' } | Item;

type Item = {
  kind: 'item';
  /** Where its marker stands, and where its text begins, in columns within what it stands in. */
  markerIndent: number;
  contentIndent: number;
  label: string;
  /** Its marker is still to be drawn. */
  fresh: boolean;
};

/**
 * Takes the marks of open containers off a line: how many of them it goes on with, and what is left. In code a dash is
 * no item of a list.
 */
export function matchContainers(
  containers: readonly Container[],
  line: string,
  inCode: boolean,
): { matched: number; rest: string } {
  let rest = line;
  let matched = 0;
  for (const container of containers) {
    const inner = container.kind === 'quote' ? afterQuoteMark(rest) : withinItem(container, rest, inCode);
    if (inner === undefined) break;
    rest = inner;
    matched += 1;
  }
  return { matched, rest };
}

export function afterQuoteMark(line: string): string | undefined {
  const { indent, text } = readIndent(line);
  return indent < 4 && text.startsWith('>') ? text.slice(1).replace(/^ /, '') : undefined;
}

function withinItem(item: Item, line: string, inCode: boolean): string | undefined {
  const { indent, text } = readIndent(line);
  if (text.trim() === '') return '';
  if (indent >= item.contentIndent) return ' '.repeat(indent - item.contentIndent) + text;
  // Many models indent a list within a numbered one by two columns, which is one less than it should be.
  const nested = !inCode && indent >= item.markerIndent + 2 && readListMarker(text) !== undefined;
  if (!nested) return undefined;
  // What they nest deeper is counted from there.
  item.contentIndent = indent;
  return text;
}

const BULLETS = ['•', '◦', '▪'];

/** How the marker of an item is drawn; the depth is that of lists around it. */
export function itemLabel(marker: string, task: boolean | undefined, depth: number): string {
  if (task !== undefined) return task ? '☑ ' : '☐ ';
  return /^\d/.test(marker) ? `${marker} ` : `${BULLETS[depth % BULLETS.length] ?? '•'} `;
}

/** What stands at the left of a line within these containers. */
export function prefixCells(containers: readonly Container[], width: number): Cell[] {
  const parts = containers.map((container) => {
    if (container.kind === 'quote') return toCells('│ ', ['border']);
    if (!container.fresh) return toCells(' '.repeat(cellsWidth(toCells(container.label))));
    return toCells(container.label, ['bullet']);
  });
  // In a narrow window the text needs the room; the innermost part tells most.
  while (parts.length > 1 && cellsWidth(parts.flat()) > width / 2) parts.shift();
  return parts.flat();
}
