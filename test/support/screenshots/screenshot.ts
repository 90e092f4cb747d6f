import type { Background, Emulator } from '../pty/emulator.ts';
import { readCells } from './cells.ts';
import { type Mask, maskLine } from './masks.ts';
import { PALETTES } from './palette.ts';
import { toSvg } from './svg.ts';

type ScreenshotOptions = { title: string; background?: Background; masks?: readonly Mask[] };

/** The current contents of a terminal as SVG. */
export function takeScreenshot({ terminal }: Emulator, options: ScreenshotOptions): string {
  const { title, background = 'dark', masks = [] } = options;
  const lines = readCells(terminal, PALETTES[background]).map((cells) => maskLine(cells, masks));
  return toSvg({ lines, columns: terminal.cols, title, background });
}
