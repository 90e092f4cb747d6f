import type { EnvironmentVariables } from '../../config/index.ts';
import type { Style } from '../text/style.ts';
import type { OutputStream } from './cli-io.ts';

export { type Style, printable, printableWhole } from '../text/style.ts';

const CODES = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
} as const;

/** Styles for a terminal that supports colours, otherwise plain text. */
export function createStyle(stream: OutputStream, env: EnvironmentVariables): Style {
  const wanted = stream.isTTY === true && !env['NO_COLOR'] && env['TERM'] !== 'dumb';
  const paint = ([on, off]: readonly [number, number]) =>
    wanted ? (text: string) => `\u001b[${on}m${text}\u001b[${off}m` : (text: string) => text;
  return {
    bold: paint(CODES.bold),
    dim: paint(CODES.dim),
    red: paint(CODES.red),
    green: paint(CODES.green),
    yellow: paint(CODES.yellow),
    cyan: paint(CODES.cyan),
  };
}
