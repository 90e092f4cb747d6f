import { ConfigurationError } from '../../../base/index.ts';
import { createSessionPick } from '../../slash/index.ts';
import type { ChatStart } from '../chat.ts';
import type { ChatOptions } from '../chat-options.ts';
import { type CliIo, isTerminal } from '../cli-io.ts';
import { withStore } from '../sessions/with-store.ts';
import { wantsPlain } from './plain-mode.ts';

/** Throws if no list of sessions can be shown: without a terminal, and for a single answer. */
export function requireSelectable({ once }: ChatOptions, io: CliIo): void {
  if (isTerminal(io) && !once) return;
  throw notSelectable('needs a terminal and cannot be combined with -q, -z or --json');
}

/** Lets the user select the session to resume before the chat starts; undefined if the user left the list. */
export async function selectSession(
  start: Pick<ChatStart, 'io' | 'options' | 'settings'>,
): Promise<string | undefined> {
  const { io, settings } = start;
  if (wantsPlain(start)) throw notSelectable('is not available in plain mode');
  io.earlyInput?.release();
  const { pickAlone } = await import('../screen/pick-alone.ts');
  return withStore(io, async (store) => pickAlone(await createSessionPick(store), io, settings));
}

function notSelectable(why: string): ConfigurationError {
  return new ConfigurationError(`\`--resume\` without a session ${why}.`, {
    hint: 'Pass an id or a title: hermes --resume SESSION. `hermes sessions list` shows them, `--continue` resumes the latest.',
  });
}
