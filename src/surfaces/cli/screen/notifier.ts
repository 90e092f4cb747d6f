import type { DisplaySettings, EnvironmentVariables, NotificationMode } from '../../../config/index.ts';
import type { PaintTarget } from './canvas.ts';

const BELL = '\u0007';
/** Terminals that support desktop notifications with OSC 9. */
const OSC9_TERMINALS = /^(?:iTerm\.app|WezTerm|ghostty|kitty|rio)$/i;

type Sequence = Exclude<NotificationMode, 'auto'>;

/** The texts are constants of this program, so nothing in them can end the sequence. */
const SEQUENCES: Readonly<Record<Sequence, (text: string) => string>> = {
  osc9: (text) => `\u001b]9;Hermes: ${text}${BELL}`,
  osc777: (text) => `\u001b]777;notify;Hermes;${text}${BELL}`,
  off: () => '',
};

/** Rings the bell, and shows a notification of the desktop. */
export function createNotifier(
  target: Pick<PaintTarget, 'write'>,
  env: EnvironmentVariables,
  { bell, notifications }: Pick<DisplaySettings, 'bell' | 'notifications'>,
): (text: string) => void {
  const sequence = notifications === 'auto' ? findSequence(env, bell) : notifications;
  return (text) => {
    const bytes = SEQUENCES[sequence](text) + (bell ? BELL : '');
    if (bytes !== '') target.write(bytes);
  };
}

function findSequence(env: EnvironmentVariables, bell: boolean): Sequence {
  const isKnown = OSC9_TERMINALS.test(env['TERM_PROGRAM'] ?? '') || env['TERM'] === 'xterm-kitty';
  return bell && isKnown ? 'osc9' : 'off';
}
