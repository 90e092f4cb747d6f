import type { SessionStore } from '../../../contracts/index.ts';
import { showable } from '../style.ts';

/** `/title` and `/title TEXT`: what is to be said about the title of a session, after it was changed. */
export async function titleOf(
  store: Pick<SessionStore, 'getSession' | 'setSessionTitle'>,
  sessionId: string,
  text: string,
): Promise<string> {
  const session = await store.getSession(sessionId);
  if (session === undefined) return 'The session begins with the first message; it can have a title after that.\n';
  if (text === '') {
    return session.title === undefined
      ? 'The session has no title yet; /title TEXT gives it one.\n'
      : `The session is called "${showable(session.title)}".\n`;
  }
  await store.setSessionTitle(sessionId, text);
  const title = (await store.getSession(sessionId))?.title;
  if (title === undefined) return 'There is nothing in this title that can be seen, so the session has none now.\n';
  return `The session is now called "${showable(title)}".\n`;
}
