import type { EnvironmentVariables } from '../../../config/index.ts';
import type { Reflow } from './canvas.ts';

/** Variables of terminals that wrap all lines anew, the one with the cursor too. */
const WRAP_ALL = ['VTE_VERSION', 'KITTY_WINDOW_ID', 'ALACRITTY_WINDOW_ID', 'WT_SESSION', 'TMUX'];
const WRAP_ALL_PROGRAMS = new Set(['iTerm.app', 'WezTerm', 'ghostty', 'Apple_Terminal']);
/** Variables of those that leave what they show as it is: xterm itself and GNU screen. */
const WRAP_NONE = ['XTERM_VERSION', 'STY'];

/** What a terminal does with what it shows when its width changes, as far as it can be told from what it sets. */
export function reflowOf(env: EnvironmentVariables): Reflow {
  const has = (name: string) => env[name] !== undefined && env[name] !== '';
  // Inside tmux it is tmux that wraps, whatever it runs in.
  if (has('TMUX')) return 'all';
  if (WRAP_NONE.some(has) || env['TERM'] === 'linux') return 'none';
  return WRAP_ALL.some(has) || WRAP_ALL_PROGRAMS.has(env['TERM_PROGRAM'] ?? '') ? 'all' : 'all but the cursor line';
}
