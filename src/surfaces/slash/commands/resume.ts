import { formatSessions } from '../../text/session-lines.ts';
import { showable } from '../../text/style.ts';
import type { SlashContext } from '../slash-context.ts';

const SHOWN = 10;

/** `/resume` and `/resume SESSION`: goes on with another session in the same chat. */
export async function resumeCommand(context: SlashContext, reference: string): Promise<void> {
  const { runtime, session, columns, print } = context;
  if (reference === '') {
    const list = await formatSessions(runtime.store, { limit: SHOWN }, columns);
    return print(`${list}/resume ID, or a title, goes on with one of them.\n`);
  }
  if ((await session.goTo(reference)) === 'same') print('That is the session of this chat.\n');
}

/** `/branch` and `/branch TITLE`: a copy goes on, and the session it came from stays as it is. */
export async function branchCommand({ runtime, session, print }: SlashContext, title: string): Promise<void> {
  const before = session.id();
  const branch = await session.branch();
  if (branch === undefined)
    return print('There is nothing to branch yet; the session begins with the first message.\n');
  print(`Going on in a branch, session ${branch.id}; /resume ${before} leads back.\n`);
  if (title === '') return;
  await runtime.store.setSessionTitle(branch.id, title);
  print(`It is called "${showable(title)}".\n`);
}
