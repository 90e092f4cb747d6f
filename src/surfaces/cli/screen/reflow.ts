import type { EnvironmentVariables } from '../../../config/index.ts';
import type { Reflow } from './canvas.ts';

/** Variables set by terminals that re-wrap all lines, including the one with the cursor. */
const WRAP_ALL = ['VTE_VERSION', 'KITTY_WINDOW_ID', 'ALACRITTY_WINDOW_ID', 'WT_SESSION', 'TMUX'];
const WRAP_ALL_PROGRAMS = new Set(['iTerm.app', 'WezTerm', 'ghostty', 'Apple_Terminal']);
/** Variables set by terminals that never re-wrap: xterm and GNU screen. */
const WRAP_NONE = ['XTERM_VERSION', 'STY'];

/** Detects from environment variables how the terminal re-wraps its content when its width changes. */
export function detectReflow(env: EnvironmentVariables): Reflow {
  const has = (name: string) => env[name] !== undefined && env[name] !== '';
  // Inside tmux, tmux does the wrapping, regardless of the outer terminal.
  if (has('TMUX')) return 'all';
  if (WRAP_NONE.some(has) || env['TERM'] === 'linux') return 'none';
  return WRAP_ALL.some(has) || WRAP_ALL_PROGRAMS.has(env['TERM_PROGRAM'] ?? '') ? 'all' : 'all but the cursor line';
}
