import type { Clock, JsonObject, RunResult, Usage } from '../../../base/index.ts';
import { errorBody, HttpError, type HttpResponse, type ServerSentEvent } from '../../../http/index.ts';
import type { ApiContext, ApiRequest, ApiRoute } from '../api-context.ts';
import { PLAIN_ID } from '../models/api-models.ts';
import { errorOfResult, errorOfStart } from '../turns/turn-errors.ts';
import { progressData } from './chat-events.ts';
import { type ChatRequest, type ChatToolCall, readChatRequest } from './chat-request.ts';
import { answerChat, type ChatAnswer, type ChatParts } from './chat-turn.ts';
import { createClientCalls, requireOwnNames } from './client-tools.ts';
import { isTaskOfFrontEnd } from './front-end-tasks.ts';
import { createIdempotency, type Idempotency } from './idempotency.ts';
import { createPausedTurns } from './paused-turns.ts';
import { toChatUsage } from './usage.ts';

export function chatRoutes(context: ApiContext): ApiRoute[] {
  const { clock } = context.runtime;
  const calls = createClientCalls();
  const parts: ChatParts = { context, calls, paused: createPausedTurns(calls) };
  const idempotency = createIdempotency<ChatAnswer>(
    clock,
    async ({ turn }) => errorOfResult(await turn.result) === undefined,
  );
  return [
    {
      method: 'POST',
      path: '/v1/chat/completions',
      handle: (http) => complete(parts, idempotency, http),
    },
  ];
}

async function complete(
  parts: ChatParts,
  idempotency: Idempotency<ChatAnswer>,
  http: ApiRequest,
): Promise<HttpResponse> {
  const { models, settings, runtime } = parts.context;
  const body = await http.json();
  const read = readChatRequest(body);
  const model = await models.choose(http.key, isTaskOfFrontEnd(read) ? PLAIN_ID : read.model);
  const request = {
    ...read,
    tools:
      settings.clientTools && !model.isPlain
        ? requireOwnNames(read.tools, (index) => `tools.${index}.function.name`)
        : [],
  };
  const answer = idempotency.share(http, body, () => answerChat(parts, { http, request, model }));
  answer.turn.attach(http.signal);
  return request.isStreamed ? streamed(runtime.clock, answer, request) : answered(answer);
}

async function answered(answer: ChatAnswer): Promise<HttpResponse> {
  const { turn, from } = answer;
  for await (const event of turn.events.read(from))
    if (event.type === 'calls') {
      const message = {
        role: 'assistant',
        content: event.text || null,
        refusal: null,
        tool_calls: toToolCalls(event.calls),
      };
      return toCompletion(answer, { message, finish_reason: 'tool_calls' }, event.usage);
    }
  const result = await turn.result.catch((thrown: unknown) => {
    throw errorOfStart(thrown);
  });
  const failure = errorOfResult(result);
  if (failure !== undefined) throw failure;
  const { finalResponse: content, lastReasoning: reasoning_content } = result;
  const message = { role: 'assistant', content, refusal: null, ...(reasoning_content && { reasoning_content }) };
  return toCompletion(answer, { message, finish_reason: finishReason(result) }, await usageOf(answer, result));
}

async function toCompletion(
  answer: ChatAnswer,
  choice: { message: JsonObject; finish_reason: string },
  usage: Usage,
): Promise<HttpResponse> {
  const { created, model, sessionId } = answer.turn;
  return {
    headers: { 'x-hermes-session-id': await sessionId },
    json: {
      id: idOf(answer),
      object: 'chat.completion',
      created,
      model,
      choices: [{ index: 0, logprobs: null, ...choice }],
      usage: toChatUsage(usage),
    },
  };
}

/** A turn that waited for the client has several answers. */
function idOf({ turn, from }: ChatAnswer): string {
  return from === 0 ? turn.id : `${turn.id}_${from}`;
}

/** What this answer took, without the answers of the turn before it. */
async function usageOf({ turn, from }: ChatAnswer, result: RunResult): Promise<Usage> {
  return from === 0 ? result.usage : turn.lastUsage;
}

function toToolCalls(calls: readonly ChatToolCall[]): JsonObject[] {
  return calls.map(({ id, name, arguments: args }) => ({ id, type: 'function', function: { name, arguments: args } }));
}

/** How long the response waits for the first event, so that an error has its own status instead of being an event. */
const FIRST_EVENT_MS = 5000;

async function streamed(clock: Clock, answer: ChatAnswer, request: ChatRequest): Promise<HttpResponse> {
  const { turn } = answer;
  const chunks = toChunks(answer, request);
  const first = chunks.next();
  const waited = new AbortController();
  const late = clock.sleep(FIRST_EVENT_MS, waited.signal).then(
    () => undefined,
    () => undefined,
  );
  try {
    await Promise.race([first, late]);
  } finally {
    waited.abort();
  }
  // Undefined if the request still waits for another turn of its session.
  const sessionId = await Promise.race([turn.sessionId, Promise.resolve(undefined)]).catch(() => undefined);
  return {
    headers: sessionId === undefined ? {} : { 'x-hermes-session-id': sessionId },
    events: withErrors(first, chunks),
  };
}

/** Once the response has begun, an error is an event. */
async function* withErrors(
  first: Promise<IteratorResult<ServerSentEvent>>,
  chunks: AsyncGenerator<ServerSentEvent>,
): AsyncGenerator<ServerSentEvent> {
  try {
    for (let next = await first; next.done !== true; next = await chunks.next()) yield next.value;
  } catch (thrown) {
    if (!(thrown instanceof HttpError)) throw thrown;
    const { status, code, message, field } = thrown;
    yield { data: JSON.stringify(errorBody(status, code, message, field)) };
  }
  yield { data: '[DONE]' };
}

/** The chunks of a completion. The first one comes with the first event of the turn. Throws `HttpError`. */
async function* toChunks(answer: ChatAnswer, { includeUsage }: ChatRequest): AsyncGenerator<ServerSentEvent> {
  const { turn, from } = answer;
  const chunk = { id: idOf(answer), object: 'chat.completion.chunk', created: turn.created, model: turn.model };
  const withDelta = (delta: JsonObject, finish_reason: string | null = null) => ({
    data: JSON.stringify({ ...chunk, choices: [{ index: 0, delta, logprobs: null, finish_reason }] }),
  });
  const withUsage = (usage: Usage) =>
    includeUsage ? [{ data: JSON.stringify({ ...chunk, choices: [], usage: toChatUsage(usage) }) }] : [];
  let isStarted = false;
  for await (const event of turn.events.read(from)) {
    if (!isStarted) yield withDelta({ role: 'assistant', content: '' });
    isStarted = true;
    if (event.type === 'text') yield withDelta({ content: event.text });
    else if (event.type === 'reasoning') yield withDelta({ reasoning_content: event.text });
    else if (event.type === 'tool')
      yield { event: 'hermes.tool.progress', data: JSON.stringify(progressData(event.progress, chunk)) };
    else if (event.type === 'discarded') {
      const data = { ...chunk, choices: [], reason: event.reason };
      yield { event: 'hermes.answer.discarded', data: JSON.stringify(data) };
    } else {
      yield withDelta({ tool_calls: toToolCalls(event.calls).map((call, index) => ({ index, ...call })) });
      yield withDelta({}, 'tool_calls');
      yield* withUsage(event.usage);
      return;
    }
  }
  const result = await turn.result.catch((thrown: unknown) => {
    throw errorOfStart(thrown);
  });
  const failure = errorOfResult(result);
  if (failure !== undefined) throw failure;
  if (!isStarted) yield withDelta({ role: 'assistant', content: '' });
  yield withDelta({}, finishReason(result));
  yield* withUsage(await usageOf(answer, result));
}

/** An answer that ends early has reached some limit. */
function finishReason({ completed }: RunResult): 'stop' | 'length' {
  return completed ? 'stop' : 'length';
}
