import type { IBufferCell } from '@xterm/headless';
import type { Background } from '../pty/emulator.ts';

export type Palette = { background: string; text: string; frame: string; title: string; colours: readonly string[] };

/** The sixteen colours that a terminal defines itself, for a dark and a light window. */
export const PALETTES: Record<Background, Palette> = {
  dark: {
    background: '#16181d',
    text: '#d6d9e0',
    frame: '#262a33',
    title: '#8b93a3',
    colours: [
      '#3b404b',
      '#f2777a',
      '#7fc983',
      '#e0b860',
      '#6fa8f5',
      '#c79bf0',
      '#5cc8c8',
      '#c3c8d2',
      '#767e8d',
      '#ff9a9c',
      '#9fe0a2',
      '#f3d28a',
      '#94c1ff',
      '#dcbcff',
      '#86e0e0',
      '#f2f4f8',
    ],
  },
  light: {
    background: '#fdfdfc',
    text: '#24272e',
    frame: '#e7e8ea',
    title: '#6a7078',
    colours: [
      '#24272e',
      '#c4282d',
      '#2b7a33',
      '#94660a',
      '#1f5fc4',
      '#8438b8',
      '#0f7373',
      '#5d636d',
      '#8a909a',
      '#d9464a',
      '#3b9444',
      '#ab7a17',
      '#3a78dc',
      '#9c55cf',
      '#218c8c',
      '#101216',
    ],
  },
};

const CUBE_STEPS = [0, 95, 135, 175, 215, 255];

export function foregroundOf(cell: IBufferCell, palette: Palette): string | undefined {
  if (cell.isFgDefault()) return undefined;
  return cell.isFgRGB() ? hex(cell.getFgColor()) : paletteColour(cell.getFgColor(), palette);
}

export function backgroundOf(cell: IBufferCell, palette: Palette): string | undefined {
  if (cell.isBgDefault()) return undefined;
  return cell.isBgRGB() ? hex(cell.getBgColor()) : paletteColour(cell.getBgColor(), palette);
}

/** Sixteen colours of the terminal, a cube with six levels each of red, green and blue, then 24 greys. */
function paletteColour(index: number, { colours }: Palette): string {
  if (index < 16) return colours[index] as string;
  if (index >= 232) return hex((8 + (index - 232) * 10) * 0x010101);
  const position = index - 16;
  const steps = [Math.floor(position / 36), Math.floor(position / 6) % 6, position % 6].map(
    (step) => CUBE_STEPS[step] ?? 0,
  );
  return hex(steps.reduce((sum, step) => sum * 256 + step, 0));
}

function hex(colour: number): string {
  return `#${colour.toString(16).padStart(6, '0')}`;
}
