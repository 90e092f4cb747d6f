import type { Background } from '../pty/emulator.ts';
import type { Cell, Look } from './cells.ts';
import { PALETTES } from './palette.ts';

const SIZE = { cell: 8.4, line: 19, font: 14, margin: 16, bar: 34 };
const FONTS = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace";
const LIGHTS = ['#ec6a5e', '#f4be4f', '#61c554'];

export type Picture = { lines: readonly (readonly Cell[])[]; columns: number; title: string; background: Background };

/** A terminal window as SVG. Each run of characters has an explicit width, so that any font keeps the columns. */
export function toSvg({ lines, columns, title, background }: Picture): string {
  const palette = PALETTES[background];
  const width = round(columns * SIZE.cell + 2 * SIZE.margin);
  const height = round(SIZE.bar + lines.length * SIZE.line + 2 * SIZE.margin);
  const lights = LIGHTS.map((colour, index) => `<circle cx="${20 + index * 18}" cy="17" r="5.5" fill="${colour}"/>`);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">`,
    `<title>${escaped(title)}</title>`,
    `<style>text{font-family:${FONTS};font-size:${SIZE.font}px;white-space:pre;fill:${palette.text}}</style>`,
    `<rect width="${width}" height="${height}" rx="9" fill="${palette.frame}"/>`,
    `<rect x="1" y="${SIZE.bar}" width="${width - 2}" height="${height - SIZE.bar - 1}" rx="8" fill="${palette.background}"/>`,
    ...lights,
    `<text x="${width / 2}" y="22" text-anchor="middle" style="font-size:12px;fill:${palette.title}">${escaped(title)}</text>`,
    ...lines.flatMap((cells, row) => lineToSvg(cells, row)),
    '</svg>',
    '',
  ].join('\n');
}

type Run = { text: string; column: number; columns: number; look: Look; wide: boolean };

function lineToSvg(cells: readonly Cell[], row: number): string[] {
  const top = SIZE.bar + SIZE.margin + row * SIZE.line;
  return joinRuns(cells).flatMap(({ text, column, columns, look }) => {
    const [x, width] = [round(SIZE.margin + column * SIZE.cell), round(columns * SIZE.cell)];
    const parts: string[] = [];
    if (look.background) {
      parts.push(`<rect x="${x}" y="${top}" width="${width}" height="${SIZE.line}" fill="${look.background}"/>`);
    }
    return [...parts, ...textToSvg({ text, column, columns, look }, top)];
  });
}

/** Without leading and trailing spaces, which SVG viewers treat differently. */
function textToSvg({ text, column, columns, look }: Omit<Run, 'wide'>, top: number): string[] {
  const word = text.trim();
  if (word === '') return [];
  const before = text.length - text.trimStart().length;
  const x = round(SIZE.margin + (column + before) * SIZE.cell);
  const width = round((columns - (text.length - word.length)) * SIZE.cell);
  const attributes = `x="${x}" y="${top + 14}" textLength="${width}" lengthAdjust="spacingAndGlyphs"`;
  return [`<text ${attributes}${styleOf(look)}>${escaped(word).replace(/ {2,}/g, firmBlanks)}</text>`];
}

/** Replaces spaces with non-breaking ones, which SVG does not collapse. */
function firmBlanks(blanks: string): string {
  return '\u00a0'.repeat(blanks.length);
}

/**
 * Adjacent characters with the same style are one run; a wide character is a separate run, because fonts disagree on
 * its width.
 */
function joinRuns(cells: readonly Cell[]): Run[] {
  const runs: Run[] = [];
  let column = 0;
  for (const { text, columns, look } of cells) {
    const wide = columns > 1;
    const last = runs.at(-1);
    if (last && !wide && !last.wide && sameLook(last.look, look)) {
      last.text += text;
      last.columns += columns;
    } else runs.push({ text, column, columns, look, wide });
    column += columns;
  }
  return runs;
}

function sameLook(one: Look, other: Look): boolean {
  const keys = ['colour', 'background', 'weight', 'dim', 'italic', 'decoration'] as const;
  return keys.every((key) => one[key] === other[key]);
}

function styleOf({ colour, weight, dim, italic, decoration }: Look): string {
  const style = [
    colour && `fill:${colour}`,
    weight && `font-weight:${weight}`,
    dim && 'opacity:.62',
    italic && 'font-style:italic',
    decoration && `text-decoration:${decoration}`,
  ].filter(Boolean);
  return style.length === 0 ? '' : ` style="${style.join(';')}"`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
