import { isJsonObject } from '../../../base/index.ts';
import type { SessionRecord, SessionStore, StoredMessage, StoredResponse } from '../../../contracts/index.ts';
import { type ClientTools, createTurnReader, type Item, itemsOfMessage, textItem, type TurnItems } from './items.ts';
import { answerOf, nameOfResponse, orderOf } from './response-object.ts';
import { inStreamOrder } from './turn-events.ts';

type Sessions = Pick<SessionStore, 'getSession' | 'getMessages'>;

/** A stretch of a session, and of those that it continues after compression. */
type Stretch = { sessionId: string; after: number; upTo: number };

/** The items that a response has stored. Undefined if its session was deleted. */
export async function itemsOfResponse(store: Sessions, response: StoredResponse): Promise<TurnItems | undefined> {
  const { id, sessionId, afterMessage, lastMessage = Number.POSITIVE_INFINITY, result } = response;
  if ((await store.getSession(sessionId)) === undefined) return undefined;
  const messages = await messagesOf(store, { sessionId, after: afterMessage, upTo: lastMessage });
  const reader = createTurnReader(nameOfResponse(id), clientToolsOf(response));
  const read = messages.map((stored) => reader.read(stored));
  const [input, output] = [read.flatMap((each) => each.input), read.flatMap((each) => each.output)];
  if (output.some((item) => item.type === 'mcp_call' && item.status === 'incomplete')) {
    const later = await messagesOf(store, { sessionId, after: lastMessage, upTo: Number.POSITIVE_INFINITY });
    for (const { message } of later) reader.complete(message);
  }
  const answered = withAnswer(output, answerOf(result));
  const order = orderOf(result);
  return { input, output: order === undefined ? answered : inStreamOrder(answered, order) };
}

/** The names of the tools that the client has sent with a response. */
export function clientToolsOf({ request }: Pick<StoredResponse, 'request'>): ClientTools {
  const tools = Array.isArray(request['tools']) ? request['tools'] : [];
  return new Set(
    tools.flatMap((tool) => (isJsonObject(tool) && typeof tool['name'] === 'string' ? [tool['name']] : [])),
  );
}

/** Replaces the text of the final answer, if the client gets only a part of it. */
export function withAnswer(output: readonly Item[], answer: string | undefined): Item[] {
  const last = output.findLastIndex((item) => item.type === 'message');
  return output.map((item, index) => (index === last && answer !== undefined ? textItem(item.id, answer) : item));
}

/** The messages of a stretch, each once, without those that a compression wrote or copied. */
export async function messagesOf(store: Sessions, { sessionId, after, upTo }: Stretch): Promise<StoredMessage[]> {
  const parts: StoredMessage[][] = [];
  for await (const session of continuedSessions(store, sessionId)) {
    const messages = await store.getMessages(session.id, { after });
    // A branch begins with copies of the session that it was made from, which are a part of it.
    const own = session.isBranch ? messages : messages.filter(isOwn);
    parts.unshift(own.filter(({ id }) => id <= upTo));
    const [first] = await store.getMessages(session.id, { limit: 1 });
    // The session is older than the stretch, and so are those that it continues.
    if (first !== undefined && first.id <= after) break;
  }
  return parts.flat();
}

const isOwn = ({ copyOf, isReplacement }: StoredMessage) => copyOf === undefined && !isReplacement;

/** A session and those that it continues after compression, newest first. */
async function* continuedSessions(store: Sessions, id: string): AsyncGenerator<SessionRecord> {
  const seen = new Set<string>();
  for (let next: string | undefined = id; next !== undefined && !seen.has(next); ) {
    seen.add(next);
    const session: SessionRecord | undefined = await store.getSession(next);
    if (session === undefined) return;
    yield session;
    next = session.isBranch ? undefined : session.parentSessionId;
  }
}

/** An item of a conversation, and the message that it is a part of. */
export type ConversationItem = { item: Item; stored: StoredMessage };

/** All items of a conversation, oldest first. Items of responses have the same ids as there. */
export function itemsOfConversation(
  messages: readonly StoredMessage[],
  responses: readonly StoredResponse[],
): ConversationItem[] {
  const readers = new Map<string, ReturnType<typeof createTurnReader>>();
  return messages.flatMap((stored) => {
    const id = stored.copyOf ?? stored.id;
    const response = responses.find(({ afterMessage, lastMessage = 0 }) => id > afterMessage && id <= lastMessage);
    const name = nameOfResponse(response?.id ?? '');
    const reader = readers.get(name) ?? createTurnReader(name, response && clientToolsOf(response));
    if ([...readers.values()].some((other) => other.complete(stored.message))) return [];
    readers.set(name, reader);
    const { input, output } = response === undefined ? NO_ITEMS : reader.read(stored);
    const items = [...input, ...output];
    return (items.length === 0 ? itemsOfMessage(stored) : items).map((item) => ({ item, stored }));
  });
}

const NO_ITEMS: TurnItems = { input: [], output: [] };
