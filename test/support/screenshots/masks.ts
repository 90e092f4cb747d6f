import type { Cell } from './cells.ts';

/** Text that differs between runs, and what a screenshot shows instead; `$1` is a group of the expression. */
export type Mask = { pattern: RegExp; shown: string };

/** Replaces text that differs between runs; the rest of the line moves accordingly. */
export function maskLine(cells: readonly Cell[], masks: readonly Mask[]): Cell[] {
  return masks.reduce((line, mask) => applyMask(line, mask), [...cells]);
}

function applyMask(cells: Cell[], { pattern, shown }: Mask): Cell[] {
  const text = cells.map((cell) => cell.text).join('');
  const masked: Cell[] = [];
  let position = 0;
  for (const match of text.matchAll(pattern)) {
    const [start, end] = [cellAt(cells, match.index), cellAt(cells, match.index + match[0].length)];
    const look = cells[start]?.look ?? {};
    const replacement = shown.replace(/\$(\d)/g, (_, group: string) => match[Number(group)] ?? '');
    masked.push(
      ...cells.slice(position, start),
      ...[...replacement].map((character) => ({ text: character, columns: 1, look })),
    );
    position = end;
  }
  return [...masked, ...cells.slice(position)];
}

/** The cell of the character at this position of the text. */
function cellAt(cells: readonly Cell[], position: number): number {
  let start = 0;
  for (const [index, { text }] of cells.entries()) {
    if (start >= position) return index;
    start += text.length;
  }
  return cells.length;
}
