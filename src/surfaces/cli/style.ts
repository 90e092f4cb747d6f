import type { EnvironmentVariables } from '../../config/index.ts';
import { stripAnsi } from '../../util/index.ts';
import type { OutputStream } from './cli-io.ts';

type Paint = (text: string) => string;
export type Style = Record<'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan', Paint>;

const CODES = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
} as const;

/** Colours where the output is a terminal that wants them, plain text everywhere else. */
export function createStyle(stream: OutputStream, env: EnvironmentVariables): Style {
  const wanted = stream.isTTY === true && !env['NO_COLOR'] && env['TERM'] !== 'dumb';
  const paint = ([on, off]: readonly [number, number]): Paint =>
    wanted ? (text) => `\u001b[${on}m${text}\u001b[${off}m` : (text) => text;
  return {
    bold: paint(CODES.bold),
    dim: paint(CODES.dim),
    red: paint(CODES.red),
    green: paint(CODES.green),
    yellow: paint(CODES.yellow),
    cyan: paint(CODES.cyan),
  };
}

/**
 * Text of others, made harmless for a terminal: no escape sequences, and control characters are shown instead of
 * obeyed, so that what is read is what there is.
 */
export function showable(text: string): string {
  // oxlint-disable-next-line no-control-regex
  return stripAnsi(text).replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, visibly);
}

function visibly(character: string): string {
  const code = character.charCodeAt(0);
  if (character === '\r') return '';
  return code < 0x20 ? String.fromCharCode(0x2400 + code) : `<U+${code.toString(16).toUpperCase().padStart(4, '0')}>`;
}
