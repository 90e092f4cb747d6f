import { exitFacts, HermesError, type JsonObject, type Message, newSessionId } from '../../../base/index.ts';
import { type SessionRecord, sessionUsage, type StoredMessage, turnUsageOf } from '../../../contracts/index.ts';
import { errorBody, HttpError, type HttpResponse, type ServerSentEvent } from '../../../http/index.ts';
import { deleteChain } from '../../../runtime/session-chain.ts';
import { sanitiseTitle } from '../../../store/index.ts';
import { type LineRecord, toJsonLine, toSnakeCase } from '../../text/json-line.ts';
import type { ApiContext, ApiRequest, ApiRoute } from '../api-context.ts';
import type { StoredKey } from '../keys/key-file.ts';
import { loadFiles } from '../chat/read-content.ts';
import { toChatUsage } from '../chat/usage.ts';
import { readTurnRequest } from '../runs/run-request.ts';
import { errorOfResult, errorOfStart } from '../turns/turn-errors.ts';
import { API_SOURCE, isSessionId } from '../turns/turn-host.ts';
import { invalid, readText, requireObject } from '../read-fields.ts';

/** The stored sessions: those of the key, or all of them for a key that acts as the user. */
export function sessionRoutes(context: ApiContext): ApiRoute[] {
  const path = '/api/sessions/:id';
  return [
    { method: 'GET', path: '/api/sessions', handle: (request) => list(context, request) },
    { method: 'POST', path: '/api/sessions', handle: (request) => create(context, request) },
    { method: 'GET', path, handle: async (request) => ({ json: toSessionObject(await find(context, request)) }) },
    { method: 'PATCH', path, handle: (request) => change(context, request) },
    { method: 'DELETE', path, handle: (request) => remove(context, request) },
    { method: 'GET', path: `${path}/messages`, handle: (request) => messages(context, request) },
    { method: 'GET', path: `${path}/usage`, handle: (request) => showUsage(context, request) },
    { method: 'POST', path: `${path}/fork`, handle: (request) => fork(context, request) },
    { method: 'POST', path: `${path}/chat`, handle: (request) => chat(context, request) },
    { method: 'POST', path: `${path}/chat/stream`, handle: (request) => streamChat(context, request) },
  ];
}

async function find(
  { turns, runtime }: ApiContext,
  { key, parameters: { id = '' } }: ApiRequest,
): Promise<SessionRecord> {
  const newest = await turns.requireSession(key, id);
  const session = await runtime.store.getSession(newest);
  if (session === undefined) throw new HttpError(404, 'session_not_found', `There is no session ${id}.`);
  return session;
}

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 200;

function readCount(query: URLSearchParams, name: string, fallback: number): number {
  const text = query.get(name);
  if (text === null) return fallback;
  if (!/^\d{1,9}$/.test(text)) throw invalid(name, 'must be a whole number');
  return Number(text);
}

async function list({ runtime, store: api }: ApiContext, { key, owner, query }: ApiRequest): Promise<HttpResponse> {
  const limit = Math.min(readCount(query, 'limit', DEFAULT_LIMIT), MAX_LIMIT);
  const offset = readCount(query, 'offset', 0);
  const source = query.get('source');
  // One more than is shown, to know whether there are others.
  const page = { limit: limit + 1, offset };
  const found =
    key.isOwner === true
      ? await runtime.store.listSessions({ ...page, newestOnly: true, ...(source !== null && { source }) })
      : await readAll(runtime.store, await api.listOwnedSessions(owner, page));
  // All sessions of a key come from the API, so any other source has none.
  const data = found
    .slice(0, limit)
    .filter((session) => source === null || session.source === source)
    .map(describe);
  return { json: { object: 'list', data, limit, offset, has_more: found.length > limit } };
}

type Store = ApiContext['runtime']['store'];

async function readAll(store: Store, ids: readonly string[]): Promise<SessionRecord[]> {
  const sessions = await Promise.all(ids.map((id) => store.getSession(id)));
  return sessions.filter((session) => session !== undefined);
}

async function create({ runtime, store: api, turns }: ApiContext, request: ApiRequest): Promise<HttpResponse> {
  const body = await readObject(request);
  const title = readText(body['title'], 'title');
  const given = readText(body['id'] ?? body['session_id'], 'id');
  const { store, clock } = runtime;
  if (given !== undefined && !isSessionId(given))
    throw invalid(
      'id',
      'must consist of at most 128 letters, digits, underscores, dots, colons and dashes, and not start with one of the last three',
    );
  const id = given ?? newSessionId(clock.now());
  return turns.locks.run(id, async () => {
    if ((await store.getSession(id)) !== undefined)
      throw new HttpError(409, 'session_exists', `There is a session ${id} already.`);
    await api.bindSession(id, request.owner, clock.now());
    await store.createSession({ id, source: API_SOURCE, startedAt: clock.now() });
    return describeNew(store, { id, title, key: request.key });
  });
}

type NewSession = { id: string; title: string | undefined; key: StoredKey };

/** Gives a new session its title. Without the title that the client wants, there is no session. */
async function describeNew(store: Store, { id, title, key }: NewSession): Promise<HttpResponse> {
  if (title !== undefined)
    await setTitle(store, { id, title, key }).catch(async (thrown: unknown) => {
      await store.deleteSession(id);
      throw thrown;
    });
  return { status: 201, json: toSessionObject((await store.getSession(id)) as SessionRecord) };
}

async function readObject(request: ApiRequest): Promise<JsonObject> {
  const isEmpty =
    (request.header('content-length') ?? '0') === '0' && request.header('transfer-encoding') === undefined;
  return isEmpty ? {} : requireObject(await request.json());
}

/** Titles are unique, which only the store knows. */
async function setTitle(store: Store, { id, title, key }: NewSession): Promise<void> {
  try {
    sanitiseTitle(title);
  } catch (thrown) {
    if (thrown instanceof HermesError) throw new HttpError(400, 'invalid_value', thrown.message, {}, 'title');
    throw thrown;
  }
  await store
    .setSessionTitle(id, title)
    .catch(refused(key, 'title_taken', `The title "${title}" is already used. Choose another title.`));
}

/** Converts what the store refuses. Its own message can name sessions of others, so only the user gets it. */
function refused({ isOwner }: StoredKey, code: string, message: string) {
  return (thrown: unknown): never => {
    if (!(thrown instanceof HermesError)) throw thrown;
    throw new HttpError(409, code, isOwner === true ? thrown.message : message);
  };
}

async function change(context: ApiContext, request: ApiRequest): Promise<HttpResponse> {
  const body = await readObject(request);
  const { id } = await find(context, request);
  if (!('title' in body)) throw invalid('title', 'is the only field that can be changed');
  await setTitle(context.runtime.store, { id, title: readText(body['title'], 'title'), key: request.key });
  return { json: toSessionObject(await find(context, request)) };
}

async function remove(context: ApiContext, request: ApiRequest): Promise<HttpResponse> {
  const { id } = await find(context, request);
  const message = `The session ${id} is in use, or was branched. Delete its branches first.`;
  await deleteChain(context.runtime.store, id).catch(refused(request.key, 'session_in_use', message));
  return { json: { object: 'hermes.session.deleted', id, deleted: true } };
}

async function messages(context: ApiContext, request: ApiRequest): Promise<HttpResponse> {
  const { id } = await find(context, request);
  const after = readCount(request.query, 'after', 0);
  const limit = Math.min(readCount(request.query, 'limit', MAX_LIMIT), MAX_LIMIT);
  const page = await context.runtime.store.getMessages(id, { after, limit: limit + 1 });
  const shown = page.slice(0, limit);
  return {
    json: {
      object: 'list',
      session_id: id,
      data: shown.map(describeMessage),
      has_more: page.length > limit,
      ...(shown.length > 0 && { last_id: shown.at(-1)?.id ?? 0 }),
    },
  };
}

/** What the session and each of its turns cost, and why calls missed the cache. */
async function showUsage(context: ApiContext, request: ApiRequest): Promise<HttpResponse> {
  const { store } = context.runtime;
  const session = await find(context, request);
  const { usage, sessions, subagents } = await sessionUsage(store, session);
  const { usd, unpriced } = await store.sessionSpending(session.id);
  const turns = (await turnUsageOf(store, sessions)).map((turn) => ({ ...turn, startedAt: turn.startedAt / 1000 }));
  const counted = { object: 'hermes.session.usage', sessionId: session.id, usage, usd, unpriced, subagents, turns };
  return { json: toSnakeCase(counted) as JsonObject };
}

function describeMessage({ id, timestamp, message }: StoredMessage): JsonObject {
  return { id, role: message.role, content: message.content, timestamp: timestamp / 1000, ...toolFields(message) };
}

function toolFields(message: Message): JsonObject {
  if (message.role === 'tool') return { tool_call_id: message.toolCallId, tool_name: message.toolName };
  if (message.role !== 'assistant') return {};
  const calls = message.toolCalls ?? [];
  return {
    ...(message.reasoning !== undefined && { reasoning: message.reasoning }),
    ...(calls.length > 0 && {
      tool_calls: calls.map(({ id, name, arguments: args }) => ({
        id,
        type: 'function',
        function: { name, arguments: args },
      })),
    }),
  };
}

async function fork(context: ApiContext, request: ApiRequest): Promise<HttpResponse> {
  const body = await readObject(request);
  const { id } = await find(context, request);
  const { store, clock } = context.runtime;
  const upTo = body['message_id'];
  if (upTo !== undefined && typeof upTo !== 'number') throw invalid('message_id', 'must be the id of a message');
  const title = readText(body['title'], 'title');
  const startedAt = clock.now();
  const branch = { id: newSessionId(startedAt), source: API_SOURCE, startedAt, upTo };
  const session = await store.branchSession(id, branch);
  await context.store.bindSession(session.id, request.owner, startedAt);
  return describeNew(store, { id: session.id, title, key: request.key });
}

type Sent = { sessionId: string; start<Value>(show: (turn: SentTurn) => Promise<Value>): Promise<Value> };
type SentTurn = Awaited<ReturnType<typeof startTurn>>;

/** Reads a message to a session. */
async function readMessage(context: ApiContext, request: ApiRequest): Promise<Sent> {
  const { key, signal } = request;
  const { id } = await find(context, request);
  const asked = readTurnRequest(await request.json());
  const model = await context.models.choose(key, asked.model);
  await context.turns.requireBudget(key, model);
  const { allowPrivateUrls: allowPrivate = false } = context.runtime.blueprint.settings;
  const attachments = await loadFiles(asked.files, { allowPrivate, signal });
  const place = { key, memoryScope: request.memoryScope, session: { id, isNew: false }, model };
  return {
    sessionId: id,
    start: (show) =>
      context.turns.use(place, async (conversation) =>
        show(startTurn(conversation, { text: asked.text, systemMessage: asked.instructions, attachments, signal })),
      ),
  };
}

type Conversation = Parameters<Parameters<ApiContext['turns']['use']>[1]>[0];
type NewMessage = Parameters<Conversation['queue']>[0];

function startTurn(conversation: Conversation, { systemMessage, ...message }: NewMessage) {
  return conversation.queue({ ...message, ...(systemMessage !== undefined && { systemMessage }) });
}

async function chat(context: ApiContext, request: ApiRequest): Promise<HttpResponse> {
  const message = await readMessage(context, request);
  const result = await message
    .start((turn) => turn.result)
    .catch((thrown: unknown) => {
      throw errorOfStart(thrown);
    });
  const failure = errorOfResult(result);
  if (failure !== undefined) throw failure;
  return {
    headers: { 'x-hermes-session-id': result.sessionId },
    json: {
      object: 'hermes.session.chat.completion',
      session_id: result.sessionId,
      message: { role: 'assistant', content: result.finalResponse },
      completed: result.completed,
      usage: toChatUsage(result.usage),
    },
  };
}

/** The events of the turn as JSON lines; the last one is its result. */
async function streamChat(context: ApiContext, request: ApiRequest): Promise<HttpResponse> {
  const message = await readMessage(context, request);
  const { readable, writable } = new TransformStream<ServerSentEvent, ServerSentEvent>();
  const writer = writable.getWriter();
  const write = (event: string, data: JsonObject) => writer.write({ event, data: JSON.stringify(data) });
  const send = (event: LineRecord) => write(event.type, toJsonLine(event));
  async function work(): Promise<void> {
    try {
      await message.start(async (turn) => {
        for await (const event of turn) if (event.type !== 'finished') await send(event);
        const { messages: _, ...result } = await turn.result;
        const { exitCode } = exitFacts(result.exitReason);
        await send({ type: 'result', ...result, exitCode });
      });
    } catch (thrown) {
      // The response has begun, so an error is an event.
      const error = errorOfStart(thrown);
      if (!(error instanceof HttpError)) throw thrown;
      await write('error', errorBody(error.status, error.code, error.message));
    }
  }
  async function finish(): Promise<void> {
    try {
      await work();
    } catch (thrown) {
      if (!request.signal.aborted) context.runtime.logger.error('a stream failed', {}, thrown);
    }
    await writer.close().catch(() => undefined);
  }
  void finish();
  return { headers: { 'x-hermes-session-id': message.sessionId }, events: readable };
}

/** The response about one session, as in the original. */
function toSessionObject(session: SessionRecord): JsonObject {
  return { object: 'hermes.session', session: describe(session) };
}

function describe(session: SessionRecord): JsonObject {
  const { id, source, model, title, startedAt, endedAt, endReason, parentSessionId, messageCount, usage } = session;
  return {
    id,
    source,
    model: model ?? null,
    title: title ?? null,
    started_at: startedAt / 1000,
    ended_at: endedAt === undefined ? null : endedAt / 1000,
    end_reason: endReason ?? null,
    parent_session_id: parentSessionId ?? null,
    is_branch: session.isBranch,
    message_count: messageCount,
    tool_call_count: session.toolCallCount,
    input_tokens: usage.input,
    output_tokens: usage.output,
    cache_read_tokens: usage.cacheRead,
    cache_write_tokens: usage.cacheWrite,
    reasoning_tokens: usage.reasoning,
  };
}
