import type { EnvironmentVariables } from '../../../config/index.ts';

/** Longer addresses are drawn, but cannot be clicked: some terminals drop longer sequences as a whole. */
const MAX_TARGET_LENGTH = 2000;
const SCHEME = /^(?:https?:\/\/|mailto:)/i;

/**
 * What a click on an address opens; undefined if it is no web or mail address. The address comes from a model, so
 * everything except visible ASCII is percent-encoded: no character of it can end the escape sequence.
 */
export function linkTarget(address: string): string | undefined {
  const whole = /^www\./i.test(address) ? `https://${address}` : address;
  if (!SCHEME.test(whole)) return undefined;
  const target = whole.replace(/[^\u0021-\u007e]/gu, encode);
  return target.length <= MAX_TARGET_LENGTH ? target : undefined;
}

function encode(character: string): string {
  const bytes = new TextEncoder().encode(character);
  return Array.from(bytes, (byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('');
}

/** Makes a text clickable with OSC 8. */
export function hyperlink(text: string, target: string): string {
  return text === '' ? '' : `\u001b]8;;${target}\u001b\\${text}\u001b]8;;\u001b\\`;
}

/** Variables that only terminals with hyperlinks set. */
const LINK_VARIABLES = ['KITTY_WINDOW_ID', 'WT_SESSION', 'KONSOLE_VERSION', 'ALACRITTY_WINDOW_ID'];
const LINK_PROGRAMS = /^(?:iTerm\.app|WezTerm|ghostty|vscode|rio|zed|kitty)$/i;
const LINK_TERMINALS = /^(?:xterm-kitty|xterm-ghostty|foot|contour|wezterm|alacritty)/;
/** VTE crashed on hyperlinks in earlier versions. */
const FIRST_VTE = 5002;

/** Whether the terminal supports hyperlinks, as far as its variables say so. A multiplexer may drop them. */
export function supportsHyperlinks(env: EnvironmentVariables): boolean {
  const has = (name: string) => env[name] !== undefined && env[name] !== '';
  if (has('TMUX') || has('STY') || env['TERM'] === 'dumb') return false;
  return (
    LINK_VARIABLES.some(has) ||
    LINK_PROGRAMS.test(env['TERM_PROGRAM'] ?? '') ||
    LINK_TERMINALS.test(env['TERM'] ?? '') ||
    Number(env['VTE_VERSION'] ?? 0) >= FIRST_VTE
  );
}
