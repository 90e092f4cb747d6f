import { type Cell, cellsWidth, toCells } from '../cells.ts';
import { readIndent, readListMarker } from './parse-line.ts';

/** A block that contains other blocks: a quote or a list item. */
export type Container = { kind: 'quote' } | Item;

type Item = {
  kind: 'item';
  /** The columns of its marker and of its text, relative to the containing block. */
  markerIndent: number;
  contentIndent: number;
  label: string;
  /** True until its marker is drawn. */
  fresh: boolean;
};

/**
 * Removes the markers of open containers from a line. Returns how many of the containers continue, and the rest of
 * the line. A dash inside code is not a list item.
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
  // Many models indent a list inside a numbered one by two columns, which is one too few.
  const nested = !inCode && indent >= item.markerIndent + 2 && readListMarker(text) !== undefined;
  if (!nested) return undefined;
  // Deeper levels are relative to this indentation.
  item.contentIndent = indent;
  return text;
}

const BULLETS = ['•', '◦', '▪'];

/** Returns the displayed marker of an item; `depth` is the number of enclosing items. */
export function itemLabel(marker: string, task: boolean | undefined, depth: number): string {
  if (task !== undefined) return task ? '☑ ' : '☐ ';
  return /^\d/.test(marker) ? `${marker} ` : `${BULLETS[depth % BULLETS.length] ?? '•'} `;
}

/** The text at the left of a line inside these containers. */
export function prefixCells(containers: readonly Container[], width: number): Cell[] {
  const parts = containers.map((container) => {
    if (container.kind === 'quote') return toCells('│ ', ['border']);
    if (!container.fresh) return toCells(' '.repeat(cellsWidth(toCells(container.label))));
    return toCells(container.label, ['bullet']);
  });
  // In a narrow window, outer prefixes are dropped to leave room for the text.
  while (parts.length > 1 && cellsWidth(parts.flat()) > width / 2) parts.shift();
  return parts.flat();
}
