import { describeChain } from '../../../runtime/index.ts';
import { showable } from '../../text/style.ts';
import type { SlashContext } from '../slash-context.ts';

/** `/new`: ends the session and begins another. */
export async function newSessionCommand({ session, print }: SlashContext): Promise<void> {
  const models = await session.startNew();
  print(`A new session has begun, with ${showable(describeChain(models.routes()))}.\n`);
}
