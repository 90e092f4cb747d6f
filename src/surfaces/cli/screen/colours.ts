import type { EnvironmentVariables, Settings } from '../../../config/index.ts';
import type { Colours } from '../render/index.ts';
import type { PaintTarget } from './canvas.ts';
import { parseOsc11BackgroundColor } from './pi-tui.ts';

/** The light background colours of the terminal palette. */
const LIGHT_COLOURS = new Set(['7', '15']);

export type ThemeName = Settings['display']['theme'];

/**
 * Chooses the colours: `NO_COLOR`, then the theme, then a guess from `COLORFGBG`, which some terminals set. `isGuess`
 * if the terminal may still report another background.
 */
export function chooseColours(env: EnvironmentVariables, theme: ThemeName): { colours: Colours; isGuess: boolean } {
  if (env['NO_COLOR']) return { colours: 'none', isGuess: false };
  if (theme !== 'auto') return { colours: theme, isGuess: false };
  const background = env['COLORFGBG']?.split(';').at(-1);
  const isLight = background !== undefined && LIGHT_COLOURS.has(background);
  return { colours: isLight ? 'light' : 'dark', isGuess: true };
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
