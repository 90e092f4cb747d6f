import { showable } from '../../text/style.ts';
import type { SlashContext } from '../slash-context.ts';

/** `/save` and `/save FILE`: the session as a file to read, or to take in again. */
export async function saveCommand({ runtime, session, terminal, print }: SlashContext, file: string): Promise<void> {
  const id = session.id();
  if ((await runtime.store.getSession(id)) === undefined)
    return print('There is nothing to save yet; the session begins with the first message.\n');
  const path = await terminal?.save(id, file === '' ? `${id}.md` : file);
  if (path !== undefined) print(`Saved to ${showable(path)}.\n`);
}
