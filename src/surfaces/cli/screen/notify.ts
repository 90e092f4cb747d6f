import type { EnvironmentVariables } from '../../../config/index.ts';
import type { Device } from './device.ts';

const BELL = '\u0007';
/** Terminals that show a message of a program on the desktop. */
const SHOWS_MESSAGES = /^(?:iTerm\.app|WezTerm|ghostty|kitty|rio)$/i;

/** Rings for someone who looks elsewhere; where the terminal can, it also says why. */
export function createNotifier(device: Device, env: EnvironmentVariables, wanted: boolean): (text: string) => void {
  const message = SHOWS_MESSAGES.test(env['TERM_PROGRAM'] ?? '') || env['TERM'] === 'xterm-kitty';
  return (text) => {
    if (wanted) device.write(message ? `\u001b]9;Hermes: ${text}${BELL}${BELL}` : BELL);
  };
}
