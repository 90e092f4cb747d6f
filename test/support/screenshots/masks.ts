import type { Cell } from './cells.ts';

/** What is different on every run and what a picture shows instead; `$1` stands for a group of the expression. */
export type Mask = { pattern: RegExp; shown: string };

/** Puts the same words into every picture where a run had its own, and lets the rest of the line close up. */
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

/** Which cell the character at this place of the text stands in. */
function cellAt(cells: readonly Cell[], place: number): number {
  let start = 0;
  for (const [index, { text }] of cells.entries()) {
    if (start >= place) return index;
    start += text.length;
  }
  return cells.length;
}
