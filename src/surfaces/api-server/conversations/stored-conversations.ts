import { randomUUID } from 'node:crypto';
import { type Clock, type JsonObject, newSessionId } from '../../../base/index.ts';
import type { ResponseStore, StoredConversation } from '../../../contracts/index.ts';
import { conversationNotFound } from '../responses/place-response.ts';

type Parts = { responses: ResponseStore; runtime: { clock: Clock } };

const PREFIX = 'conv_';

export function newConversation(owner: string, now: number, metadata: JsonObject = {}): StoredConversation {
  const id = `${PREFIX}${randomUUID().replaceAll('-', '')}`;
  return { id, owner, name: undefined, sessionId: newSessionId(now), createdAt: now, metadata };
}

/** Finds a conversation by its id, or by its name; a named one is created. Throws `HttpError` if an id is unknown. */
export async function openConversation(
  { responses, runtime: { clock } }: Parts,
  { owner, user, named }: { owner: string; user: string | undefined; named: string },
): Promise<StoredConversation> {
  if (named.startsWith(PREFIX)) return requireConversation(responses, named, owner);
  // Several users may share a key, and each has names of its own.
  const name = user === undefined ? named : JSON.stringify([user, named]);
  const known = await responses.findConversation(name, owner);
  if (known !== undefined) return known;
  const created = { ...newConversation(owner, clock.now()), name };
  if (await responses.addConversation(created)) return created;
  return (await responses.findConversation(name, owner)) ?? created;
}

export async function requireConversation(
  responses: ResponseStore,
  id: string,
  owner: string,
): Promise<StoredConversation> {
  const found = await responses.getConversation(id, owner);
  if (found === undefined) throw conversationNotFound(id);
  return found;
}
