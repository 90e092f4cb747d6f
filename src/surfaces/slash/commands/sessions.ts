import { formatSessions } from '../../text/session-lines.ts';
import type { SlashContext } from '../slash-context.ts';

const SHOWN = 15;

/** `/sessions`: the newest ones. */
export async function sessionsCommand({ runtime, columns, print }: SlashContext): Promise<void> {
  print(await formatSessions(runtime.store, { limit: SHOWN }, columns));
}
