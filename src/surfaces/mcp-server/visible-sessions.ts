import type { SessionStore } from '../../contracts/index.ts';
import { isUser, type McpCaller } from './served-parts.ts';

/** How many sessions of a key are searched and listed, those used last first. */
const MAX_OWNED = 1000;

/** The sessions that the caller may see; undefined for all. A key sees those that belong to it. */
export async function listVisible(store: SessionStore, caller: McpCaller): Promise<string[] | undefined> {
  if (isUser(caller) || caller.key === undefined) return undefined;
  const api = await store.openApiStore();
  return api.listOwnedSessions(caller.key.name, { limit: MAX_OWNED, offset: 0 });
}

export async function isVisible(store: SessionStore, caller: McpCaller, sessionId: string): Promise<boolean> {
  if (isUser(caller) || caller.key === undefined) return true;
  const api = await store.openApiStore();
  return (await api.findSessionOwner(sessionId)) === caller.key.name;
}

/** Records that a session belongs to the key of the caller. */
export async function bindSession(
  store: SessionStore,
  { key }: McpCaller,
  { sessionId, now }: { sessionId: string; now: number },
): Promise<void> {
  if (key !== undefined) await (await store.openApiStore()).bindSession(sessionId, key.name, now);
}
