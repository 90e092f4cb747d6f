import { type Message, newSessionId } from '../../../base/index.ts';
import type { ResponseStore, SessionStore, StoredConversation, StoredResponse } from '../../../contracts/index.ts';
import { HttpError } from '../../../http/index.ts';
import type { ApiContext } from '../api-context.ts';
import type { KeyedLock } from '../turns/keyed-lock.ts';
import { API_SOURCE } from '../turns/turn-host.ts';
import type { KnownPoint } from './known-history.ts';
import type { PausedTurn } from './paused-responses.ts';

/** What a response continues: another response, a turn that waits for the client, a conversation, a known part of the history in its input, or nothing. */
export type Origin =
  | { kind: 'new' }
  | { kind: 'point'; point: KnownPoint }
  | { kind: 'response'; response: StoredResponse }
  | { kind: 'paused'; turn: PausedTurn }
  | { kind: 'conversation'; conversation: StoredConversation };

/** An origin for which the session has to be found. A turn that waits for the client has one. */
export type PlacedOrigin = Exclude<Origin, { kind: 'paused' }>;

/** The session in which a response runs. */
export type Place = {
  session: { id: string; isNew: boolean };
  /** The last message before those of the response; 0 if there is none. */
  afterMessage: number;
  /** Whether the session was created for this response. */
  isOwn: boolean;
};

export type PlaceParts = Pick<ApiContext, 'runtime' | 'turns'> & { responses: ResponseStore };

/**
 * Runs a task while no other response decides where to continue from the same origin, because each decides from what
 * the others have stored.
 */
export function underLock(locks: KeyedLock, origin: PlacedOrigin, task: () => Promise<void>): Promise<void> {
  return lockKeys(origin).reduceRight((inner, key) => () => locks.run(key, inner), task)();
}

/** What another response that continues from the same origin waits for. */
export function lockKeys(origin: PlacedOrigin): readonly string[] {
  if (origin.kind === 'new') return [];
  if (origin.kind === 'point') return [origin.point.sessionId];
  if (origin.kind === 'response') return [origin.response.sessionId || origin.response.id];
  return [origin.conversation.id, origin.conversation.sessionId];
}

/** Finds the session in which a response continues, and branches it if it went on since. Call it under the lock. */
export async function findPlace(
  parts: PlaceParts,
  origin: PlacedOrigin,
  { isKept }: { isKept: boolean },
): Promise<Place> {
  const { clock } = parts.runtime;
  if (origin.kind === 'new')
    return { session: { id: newSessionId(clock.now()), isNew: true }, afterMessage: 0, isOwn: true };
  if (origin.kind === 'point') return continueAfter(parts, origin.point, isKept);
  if (origin.kind === 'response') return continueResponse(parts, origin.response, isKept);
  return continueConversation(parts, origin.conversation);
}

async function continueResponse(parts: PlaceParts, known: StoredResponse, isKept: boolean): Promise<Place> {
  // It may have ended while this request waited.
  const { sessionId, lastMessage } = (await parts.responses.getResponse(known.id, known.owner)) ?? known;
  if (lastMessage === undefined)
    throw new HttpError(409, 'response_in_progress', `The response ${known.id} is still in progress.`);
  if ((await parts.runtime.store.getSession(sessionId)) === undefined) throw responseNotFound(known.id);
  return continueAfter(parts, { sessionId, lastMessage }, isKept);
}

/** Continues after a message: in its session, if it is the last one there, and in a branch otherwise. */
async function continueAfter(
  { runtime: { store, clock } }: PlaceParts,
  { sessionId, lastMessage }: Pick<KnownPoint, 'sessionId' | 'lastMessage'>,
  isKept: boolean,
): Promise<Place> {
  const newest = (await store.newestInLineage(sessionId))?.id ?? sessionId;
  const later = await store.getMessages(newest, { after: lastMessage });
  // After a compression, the session begins with copies of messages and with a summary of the others.
  const isNewest = later.every(({ copyOf, isReplacement }) => copyOf !== undefined || isReplacement === true);
  // A response that is not kept must not change the session of another one.
  if (isNewest && isKept)
    return { session: { id: newest, isNew: false }, afterMessage: later.at(-1)?.id ?? lastMessage, isOwn: false };
  const startedAt = clock.now();
  const id = newSessionId(startedAt);
  await store.branchSession(sessionId, { id, source: API_SOURCE, startedAt, upTo: lastMessage });
  return { session: { id, isNew: false }, afterMessage: await lastMessageOf(store, id), isOwn: true };
}

async function continueConversation({ runtime, responses }: PlaceParts, known: StoredConversation): Promise<Place> {
  const { store } = runtime;
  const { id, owner } = known;
  const conversation = await responses.getConversation(id, owner);
  if (conversation === undefined) throw conversationNotFound(id);
  const newest = await store.newestInLineage(conversation.sessionId);
  if (newest === undefined)
    return { session: { id: conversation.sessionId, isNew: true }, afterMessage: 0, isOwn: false };
  const afterMessage = await lastMessageOf(store, newest.id);
  return { session: { id: newest.id, isNew: false }, afterMessage, isOwn: false };
}

/** Adds what the client knows and the server does not, before the message of the response. */
export async function addHistory({ runtime }: PlaceParts, place: Place, history: readonly Message[]): Promise<Place> {
  if (history.length === 0) return place;
  const { id, isNew } = place.session;
  await appendToSession(runtime, { id, isNew }, history);
  return { ...place, session: { id, isNew: false }, afterMessage: await lastMessageOf(runtime.store, id) };
}

/** Stores messages that no turn has produced. Agents that have the session open read it again before their next turn. */
export async function appendToSession(
  { store, clock, turns }: Pick<ApiContext['runtime'], 'store' | 'clock' | 'turns'>,
  { id, isNew }: { id: string; isNew: boolean },
  messages: readonly Message[],
): Promise<void> {
  if (isNew) await store.createSession({ id, source: API_SOURCE, startedAt: clock.now() });
  await turns.run(id, 'api', () => store.appendMessages(id, messages));
}

export async function lastMessageOf(store: SessionStore, sessionId: string): Promise<number> {
  return (await store.getMessages(sessionId)).at(-1)?.id ?? 0;
}

export function responseNotFound(id: string): HttpError {
  return new HttpError(404, 'response_not_found', `Response with id '${id}' not found.`);
}

export function conversationNotFound(id: string): HttpError {
  return new HttpError(404, 'conversation_not_found', `Conversation with id '${id}' not found.`);
}
