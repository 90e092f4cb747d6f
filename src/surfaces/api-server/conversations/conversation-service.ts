import { type JsonObject, type JsonValue, isJsonObject, newSessionId } from '../../../base/index.ts';
import type { KeptMessage, StoredConversation, StoredMessage } from '../../../contracts/index.ts';
import { HttpError } from '../../../http/index.ts';
import { API_SOURCE } from '../turns/turn-host.ts';
import type { ApiRequest } from '../api-context.ts';
import { toMessages } from '../chat/find-session.ts';
import { readMetadata } from '../responses/create-request.ts';
import type { Item } from '../responses/items.ts';
import { appendToSession } from '../responses/place-response.ts';
import { readStoredItems } from '../responses/read-input.ts';
import type { RunParts } from '../responses/run-response.ts';
import { type ConversationItem, itemsOfConversation, messagesOf } from '../responses/stored-items.ts';
import { newConversation, requireConversation } from './stored-conversations.ts';
import { withoutItem } from './without-item.ts';
import { invalid, requireObject } from '../read-fields.ts';

/** The conversations of all keys. Their items are the messages of a session. */
export interface ConversationService {
  create(http: ApiRequest, body: JsonValue): Promise<StoredConversation>;
  find(http: ApiRequest, id: string): Promise<StoredConversation>;
  update(http: ApiRequest, id: string, body: JsonValue): Promise<StoredConversation>;
  /** The messages stay in the session store. */
  delete(http: ApiRequest, id: string): Promise<void>;
  /** Oldest first. */
  items(http: ApiRequest, id: string): Promise<Item[]>;
  item(http: ApiRequest, id: string, itemId: string): Promise<Item>;
  /** Stores items at the end of a conversation, and returns them. */
  addItems(http: ApiRequest, id: string, body: JsonValue): Promise<Item[]>;
  /** Continues the conversation in a branch that does not have the item. */
  deleteItem(http: ApiRequest, id: string, itemId: string): Promise<StoredConversation>;
}

/** As in OpenAI's API. */
const MAX_ITEMS = 20;

export function createConversationService(parts: RunParts): ConversationService {
  const { responses, runtime, turns } = parts;
  const { store, clock } = runtime;
  const find = ({ owner }: ApiRequest, id: string) => requireConversation(responses, id, owner);

  async function load(conversation: StoredConversation): Promise<ConversationItem[]> {
    const { sessionId, owner } = conversation;
    const newest = await store.newestInLineage(sessionId);
    if (newest === undefined) return [];
    const messages = await messagesOf(store, { sessionId: newest.id, after: 0, upTo: Number.POSITIVE_INFINITY });
    const ancestors = (await store.getAncestors(newest.id)).map(({ id }) => id);
    return itemsOfConversation(messages, await responses.listResponsesIn([...ancestors, newest.id], owner));
  }

  async function requireItem(conversation: StoredConversation, itemId: string): Promise<ConversationItem> {
    const found = (await load(conversation)).find(({ item }) => item.id === itemId);
    if (found === undefined) throw itemNotFound(conversation.id, itemId);
    return found;
  }

  /** Call it under the lock of the conversation. */
  async function append({ owner }: ApiRequest, conversation: StoredConversation, items: JsonValue | undefined) {
    const messages = toStored(items);
    const newest = await store.newestInLineage(conversation.sessionId);
    const session = { id: newest?.id ?? conversation.sessionId, isNew: newest === undefined };
    await parts.store.bindSession(session.id, owner, clock.now());
    await appendToSession(runtime, session, messages);
  }

  return {
    find,
    async create(http, sent) {
      const body = requireObject(sent);
      const conversation = newConversation(http.owner, clock.now(), readMetadata(body['metadata']));
      const { items } = body;
      const hasItems = Array.isArray(items) && items.length > 0;
      if (hasItems) await append(http, conversation, items);
      else if (items !== undefined && items !== null && !Array.isArray(items))
        throw invalid('items', 'must be a list of items');
      await responses.addConversation(conversation);
      return conversation;
    },
    async update(http, id, sent) {
      const metadata: JsonObject = readMetadata(requireObject(sent)['metadata']);
      const conversation = await find(http, id);
      await responses.setConversationMetadata(id, http.owner, metadata);
      return { ...conversation, metadata };
    },
    async delete(http, id) {
      await find(http, id);
      await responses.deleteConversation(id, http.owner);
    },
    items: async (http, id) => (await load(await find(http, id))).map(({ item }) => item),
    item: async (http, id, itemId) => (await requireItem(await find(http, id), itemId)).item,
    addItems: (http, id, body) =>
      turns.locks.run(id, async () => {
        const conversation = await find(http, id);
        const before = await load(conversation);
        await append(http, conversation, isJsonObject(body) ? body['items'] : undefined);
        return (await load(conversation)).slice(before.length).map(({ item }) => item);
      }),
    deleteItem: (http, id, itemId) =>
      turns.locks.run(id, async () => {
        const conversation = await find(http, id);
        const { stored } = await requireItem(conversation, itemId);
        const moved = await branchWithout(parts, conversation, { stored, itemId });
        return { ...conversation, sessionId: moved };
      }),
  };
}

type Deleted = { stored: StoredMessage; itemId: string };

/**
 * Creates a branch without an item. Answered messages never change, because models have read them. Throws `HttpError` if
 * the item was compressed away: it is part of a summary, which a branch would keep.
 */
async function branchWithout(
  { runtime, responses, store: api }: RunParts,
  { id, owner, sessionId }: StoredConversation,
  { stored, itemId }: Deleted,
): Promise<string> {
  const { store, clock } = runtime;
  const newest = (await store.newestInLineage(sessionId))?.id ?? sessionId;
  const original = stored.copyOf ?? stored.id;
  const current = await store.getMessages(newest);
  const isDeleted = (message: StoredMessage) => (message.copyOf ?? message.id) === original;
  if (!current.some(isDeleted)) throw itemCompressed(id, itemId);
  const kept = current.flatMap((message): KeptMessage[] => {
    if (!isDeleted(message)) return [{ copyOf: message.id }];
    const left = withoutItem(message.message, itemId);
    return left === undefined ? [] : [{ copyOf: message.id, message: left }];
  });
  const startedAt = clock.now();
  const branch = newSessionId(startedAt);
  await store.branchSession(newest, { id: branch, source: API_SOURCE, startedAt, messages: kept });
  await api.bindSession(branch, owner, startedAt);
  await responses.moveConversation(id, sessionId, branch);
  return branch;
}

function toStored(items: JsonValue | undefined) {
  const messages = readStoredItems(items);
  if (messages.length > MAX_ITEMS) throw invalid('items', `has more than ${MAX_ITEMS} items`);
  const source = messages.flatMap(({ files }) => files)[0];
  if (source !== undefined) throw invalid(source.field, 'is a file; send files in the input of a response instead');
  return toMessages(messages);
}

function itemCompressed(conversation: string, item: string): HttpError {
  const reason = 'it was compressed, and the conversation continues with a summary of it';
  const hint = 'To remove it, start a new conversation';
  const message = `Item with id '${item}' of conversation '${conversation}' cannot be deleted: ${reason}. ${hint}.`;
  return new HttpError(409, 'item_compressed', message);
}

function itemNotFound(conversation: string, item: string): HttpError {
  const message = `Item with id '${item}' not found in conversation '${conversation}'.`;
  return new HttpError(404, 'item_not_found', message);
}
