import type { EnvironmentVariables } from '../../../config/index.ts';
import type { Colours } from '../render/index.ts';
import type { PaintTarget } from './canvas.ts';
import { parseOsc11BackgroundColor } from './pi-tui.ts';

/** The light background colours of the terminal palette. */
const LIGHT_COLOURS = new Set(['7', '15']);

/** Guesses the colours from environment variables: `NO_COLOR`, and `COLORFGBG`, which some terminals set. */
export function guessColours(env: EnvironmentVariables): Colours {
  if (env['NO_COLOR']) return 'none';
  const background = env['COLORFGBG']?.split(';').at(-1);
  return background !== undefined && LIGHT_COLOURS.has(background) ? 'light' : 'dark';
}

/** Queries the background colour. The reply arrives with the key input, late or never, so nothing waits for it. */
export function queryBackground(target: PaintTarget): void {
  target.write('\u001b]11;?\u0007');
}

/** Parses the reply to the background query; undefined for any other input. */
export function parseBackgroundReply(data: string): 'dark' | 'light' | undefined {
  const colour = data.startsWith('\u001b]11;') ? parseOsc11BackgroundColor(data) : undefined;
  if (colour === undefined) return undefined;
  // The perceived brightness (luma): green contributes most.
  const brightness = 0.299 * colour.r + 0.587 * colour.g + 0.114 * colour.b;
  return brightness > 127 ? 'light' : 'dark';
}
