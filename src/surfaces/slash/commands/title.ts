import { showable } from '../../text/style.ts';
import type { SlashContext } from '../slash-context.ts';

/** `/title` and `/title TEXT`. */
export async function titleCommand({ runtime, session, print }: SlashContext, text: string): Promise<void> {
  const { store } = runtime;
  const id = session.id();
  const stored = await store.getSession(id);
  if (stored === undefined)
    return print('The session begins with the first message; it can have a title after that.\n');
  if (text === '') {
    return print(
      stored.title === undefined
        ? 'The session has no title yet; /title TEXT gives it one.\n'
        : `The session is called "${showable(stored.title)}".\n`,
    );
  }
  await store.setSessionTitle(id, text);
  const title = (await store.getSession(id))?.title;
  print(
    title === undefined
      ? 'There is nothing in this title that can be seen, so the session has none now.\n'
      : `The session is now called "${showable(title)}".\n`,
  );
}
