import type { EnvironmentVariables } from '../../../config/index.ts';
import type { Colours } from '../render/index.ts';
import type { PaintTarget } from './canvas.ts';
import { parseOsc11BackgroundColor } from './pi-tui.ts';

/** The colours of a background in the palette of terminals that are light. */
const LIGHT_COLOURS = new Set(['7', '15']);

/** What can be told without asking: whether colours are wanted, and what some terminals say of their background. */
export function guessColours(env: EnvironmentVariables): Colours {
  if (env['NO_COLOR']) return 'none';
  const background = env['COLORFGBG']?.split(';').at(-1);
  return background !== undefined && LIGHT_COLOURS.has(background) ? 'light' : 'dark';
}

/** The answer comes with the keys, some time or never; nothing waits for it. */
export function askForBackground(target: PaintTarget): void {
  target.write('\u001b]11;?\u0007');
}

/** Whether the terminal is dark or light, where that is what has come; undefined for any key. */
export function readBackground(data: string): 'dark' | 'light' | undefined {
  const colour = data.startsWith('\u001b]11;') ? parseOsc11BackgroundColor(data) : undefined;
  if (colour === undefined) return undefined;
  // As bright as eyes take it, which see green best.
  const brightness = 0.299 * colour.r + 0.587 * colour.g + 0.114 * colour.b;
  return brightness > 127 ? 'light' : 'dark';
}
