import type { JsonObject, JsonValue } from '../../base/index.ts';
import type { SessionRecord, SessionStore, SessionSummary, StoredMessage } from '../../contracts/index.ts';
import { redactSecrets } from '../../util/index.ts';
import { redactValue } from './define-served-tool.ts';
import type { ServedResource, ServedResources } from './served-parts.ts';
import { isVisible, listVisible } from './visible-sessions.ts';

const SCHEME = 'hermes://session/';
const MEDIA_TYPE = 'application/json';
const PAGE = 100;
/** Clients pass the whole text to a model or keep it in memory. */
const MAX_CHARACTERS = 1_000_000;

export function sessionUri(id: string): string {
  return SCHEME + encodeURIComponent(id);
}

/** The stored sessions as resources, the newest first. */
export function createSessionResources(openStore: () => Promise<SessionStore>): ServedResources {
  return {
    templates: [
      {
        uriTemplate: `${SCHEME}{id}`,
        name: 'session',
        description:
          'A stored session as JSON: its title, source and model, and its messages with the calls and results of tools. Very old messages of a very long session are omitted.',
        mimeType: MEDIA_TYPE,
      },
    ],
    async list(cursor, caller) {
      const offset = readCursor(cursor);
      const store = await openStore();
      const visible = await listVisible(store, caller);
      const page = { limit: PAGE, offset, newestOnly: true };
      const sessions = visible === undefined ? await store.listSessions(page) : await readPage(store, visible, offset);
      const resources = sessions.map(toResource);
      return sessions.length < PAGE ? { resources } : { resources, nextCursor: String(offset + PAGE) };
    },
    async read(uri, caller) {
      const id = readUri(uri);
      const store = await openStore();
      const session = id === undefined ? undefined : await store.getSession(id);
      if (session === undefined || !(await isVisible(store, caller, session.id))) return undefined;
      const text = formatSession(session, await store.getMessages(session.id));
      return { uri, mimeType: MEDIA_TYPE, text };
    },
  };
}

/** A page of the sessions of a key. Its size tells nothing about the sessions of others. */
async function readPage(store: SessionStore, ids: readonly string[], offset: number): Promise<SessionRecord[]> {
  const sessions = await Promise.all(ids.slice(offset, offset + PAGE).map((id) => store.getSession(id)));
  return sessions.filter((session) => session !== undefined);
}

/** A cursor of another server, or one that was changed, starts from the beginning. */
function readCursor(cursor: string | undefined): number {
  const offset = Number(cursor ?? 0);
  return Number.isSafeInteger(offset) && offset > 0 ? offset : 0;
}

function readUri(uri: string): string | undefined {
  if (!uri.startsWith(SCHEME)) return undefined;
  try {
    return decodeURIComponent(uri.slice(SCHEME.length));
  } catch {
    return undefined;
  }
}

type Listed = SessionRecord & Partial<Pick<SessionSummary, 'preview'>>;

function toResource({ id, title, preview = '', source, startedAt }: Listed): ServedResource {
  const description = `${source}, ${new Date(startedAt).toISOString()}`;
  const shown = redactSecrets(title ?? preview);
  return { uri: sessionUri(id), name: id, ...(shown !== '' && { title: shown }), description, mimeType: MEDIA_TYPE };
}

function formatSession(session: SessionRecord, stored: readonly StoredMessage[]): string {
  const { id, title = null, source, model = null, startedAt, endedAt, parentSessionId = null } = session;
  const all = stored.filter(({ isReplacement }) => isReplacement !== true).map(toEntry);
  const messages = takeNewest(all);
  const entry: JsonObject = {
    session_id: id,
    title,
    source,
    model,
    parent_session_id: parentSessionId,
    started_at: new Date(startedAt).toISOString(),
    ended_at: endedAt === undefined ? null : new Date(endedAt).toISOString(),
    omitted_messages: all.length - messages.length,
    messages,
  };
  return JSON.stringify(redactValue(entry), undefined, 2);
}

function toEntry({ id, timestamp, message }: StoredMessage): JsonObject {
  const entry: JsonObject = {
    id: String(id),
    role: message.role,
    content: message.content,
    timestamp: timestamp / 1000,
  };
  if (message.role === 'tool') return { ...entry, tool_call_id: message.toolCallId, tool_name: message.toolName };
  if (message.role === 'assistant' && message.toolCalls !== undefined)
    entry['tool_calls'] = message.toolCalls.map(({ id: call, name, arguments: args }) => ({
      id: call,
      name,
      arguments: args,
    }));
  return entry;
}

function takeNewest(entries: readonly JsonObject[]): JsonValue[] {
  let size = 0;
  const from = entries.findLastIndex((entry) => {
    size += JSON.stringify(entry).length;
    return size > MAX_CHARACTERS;
  });
  return entries.slice(from + 1);
}
