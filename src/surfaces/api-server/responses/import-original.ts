import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  errorMessage,
  isJsonObject,
  type JsonObject,
  type Message,
  newSessionId,
  NO_USAGE,
  parseJson,
} from '../../../base/index.ts';
import type { ExportedMessage, ResponseEnd, StoredMessage } from '../../../contracts/index.ts';
import { type OriginalResponse, readOriginalResponses } from '../../../store/sqlite/index.ts';
import { changeFile, writeFileAtomic } from '../../../util/index.ts';
import { newConversation } from '../conversations/stored-conversations.ts';
import { FIRST_KEY } from '../keys/key-file.ts';
import { API_SOURCE } from '../turns/turn-host.ts';
import { KEPT_MS } from './response-service.ts';
import type { RunParts } from './run-response.ts';

type Parts = Pick<RunParts, 'runtime' | 'responses' | 'store'>;

/** What was imported before, so that a response that was deleted or has expired does not come back. */
type Imported = { responses: Set<string>; conversations: Set<string> };

/** Where the messages of a response end. */
type Point = { sessionId: string; messages: readonly StoredMessage[] };

/**
 * Imports the responses and named conversations of the original from `response_store.db`, so that clients continue them.
 * They belong to the first key, because the original had only one. Each is imported once; an import that was cut short
 * continues with the next start. The file of the original is only read.
 */
export async function importOriginalResponses(parts: Parts): Promise<void> {
  const { home } = parts.runtime.blueprint.settings;
  const { logger } = parts.runtime;
  try {
    const marker = join(home, 'response_store.imported.json');
    const before = await readMarker(marker);
    const { responses, conversations } = await readOriginalResponses(join(home, 'response_store.db'), (id) =>
      before.responses.has(id),
    );
    const isNew = conversations.some(({ name }) => !before.conversations.has(name));
    if (responses.length === 0 && !isNew) return;
    await changeFile(marker, async () => {
      const imported = await readMarker(marker);
      await importResponses(parts, responses, imported);
      for (const conversation of conversations) await importConversation(parts, conversation, imported);
      await writeFileAtomic(marker, `${JSON.stringify(toJson(imported), null, 2)}\n`);
    });
    logger.info('imported responses of the original', { responses: responses.length });
  } catch (thrown) {
    logger.warn('could not import the responses of the original', { error: errorMessage(thrown) });
  }
}

async function readMarker(file: string): Promise<Imported> {
  const content = parseJson(await readFile(file, 'utf8').catch(() => ''));
  const listOf = (key: string) => {
    const list = isJsonObject(content) ? content[key] : undefined;
    return new Set(Array.isArray(list) ? list.filter((each) => typeof each === 'string') : []);
  };
  return { responses: listOf('responses'), conversations: listOf('conversations') };
}

const toJson = ({ responses, conversations }: Imported): JsonObject => ({
  responses: [...responses],
  conversations: [...conversations],
});

/** Longer histories come first: those that they continue are found in their sessions. */
async function importResponses(parts: Parts, found: readonly OriginalResponse[], imported: Imported): Promise<void> {
  const sessions: Point[] = [];
  for (const response of found.toSorted((a, b) => b.messages.length - a.messages.length)) {
    if (imported.responses.has(response.id)) continue;
    if ((await parts.responses.getResponse(response.id, FIRST_KEY)) === undefined) {
      const point = await findSession(parts, response, sessions);
      await addResponse(parts, response, point);
    }
    imported.responses.add(response.id);
  }
}

/** The session in which a history was said, or a new one with its messages. */
async function findSession(parts: Parts, original: OriginalResponse, known: Point[]): Promise<Point> {
  const { runtime, store: api } = parts;
  const { store, clock } = runtime;
  const { messages, sessionId, blobs } = original;
  const same = known.find((session) => beginsWith(session.messages, messages));
  if (same !== undefined) return same;
  // The original has stored the messages in its sessions, too, but may have compressed them there.
  if (sessionId !== undefined) {
    const session = { sessionId, messages: await store.getMessages(sessionId) };
    if (beginsWith(session.messages, messages)) return session;
  }
  const startedAt = messages[0]?.timestamp || clock.now();
  const id = newSessionId(startedAt);
  const session = { id, source: API_SOURCE, startedAt, usage: NO_USAGE };
  await store.importSession({ format: 'hermes-session', version: 1, session, messages, turns: [], calls: [], blobs });
  await api.bindSession(id, FIRST_KEY, clock.now());
  const added = { sessionId: id, messages: await store.getMessages(id) };
  known.push(added);
  return added;
}

function beginsWith(stored: readonly StoredMessage[], history: readonly ExportedMessage[]): boolean {
  return (
    stored.length >= history.length &&
    history.every(({ message }, index) => describe(message) === describe(stored[index]?.message))
  );
}

/** What was said; what a provider wants back may be missing in one of both. */
function describe(message: Message | undefined): string {
  if (message === undefined) return '';
  const calls = message.role === 'assistant' ? (message.toolCalls ?? []).map(({ id, name }) => [id, name]) : [];
  return JSON.stringify([message.role, message.content.trim(), calls]);
}

async function addResponse({ runtime, responses }: Parts, original: OriginalResponse, point: Point): Promise<void> {
  const { id, response, messages } = original;
  const said = point.messages.slice(0, messages.length);
  const start = said.findLastIndex(({ message }) => message.role === 'user');
  const createdAt = (said.at(-1)?.timestamp ?? 0) || runtime.clock.now();
  const { sessionId } = point;
  const { model = 'hermes-agent', usage, status } = response;
  await responses.addResponse({
    id,
    owner: FIRST_KEY,
    conversationId: undefined,
    sessionId,
    afterMessage: said[start - 1]?.id ?? 0,
    status: 'in_progress',
    process: '',
    createdAt,
    request: { model, instructions: null, metadata: {}, tools: [], store: true, background: false },
    expiresAt: runtime.clock.now() + KEPT_MS,
  });
  await responses.endResponse(id, {
    status: FINAL.find((known) => known === status) ?? 'incomplete',
    sessionId,
    lastMessage: said.at(-1)?.id ?? 0,
    endedAt: createdAt,
    result: isJsonObject(usage) ? { usage } : {},
  });
}

const FINAL: readonly ResponseEnd['status'][] = ['completed', 'failed', 'incomplete', 'cancelled'];

type Named = { name: string; responseId: string };

/** The conversation continues after its last response, in a branch if the session went on since. */
async function importConversation(parts: Parts, { name, responseId }: Named, imported: Imported): Promise<void> {
  const { runtime, responses, store: api } = parts;
  const { store, clock } = runtime;
  const last = await responses.getResponse(responseId, FIRST_KEY);
  if (imported.conversations.has(name) || last === undefined) return;
  const { sessionId, lastMessage = 0, createdAt } = last;
  const later = await store.getMessages(sessionId, { after: lastMessage, limit: 1 });
  const conversation = { ...newConversation(FIRST_KEY, clock.now()), name, createdAt };
  if (later.length === 0) await responses.addConversation({ ...conversation, sessionId });
  else if (await responses.addConversation(conversation)) {
    const branch = { id: conversation.sessionId, source: API_SOURCE, startedAt: clock.now(), upTo: lastMessage };
    await store.branchSession(sessionId, branch);
    await api.bindSession(conversation.sessionId, FIRST_KEY, clock.now());
  }
  imported.conversations.add(name);
}
