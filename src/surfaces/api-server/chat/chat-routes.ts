import type { JsonObject, RunResult } from '../../../base/index.ts';
import { errorBody, HttpError, type HttpResponse, type ServerSentEvent } from '../../../http/index.ts';
import type { ApiContext, ApiRequest, ApiRoute } from '../api-context.ts';
import { errorOfResult, errorOfStart } from '../turns/turn-errors.ts';
import { progressData } from './chat-events.ts';
import { readChatRequest, type ChatRequest } from './chat-request.ts';
import { type ChatCall, type ChatTurn, startChatTurn } from './chat-turn.ts';
import { createIdempotency, type Idempotency } from './idempotency.ts';
import { isTaskOfFrontEnd } from './front-end-tasks.ts';
import { PLAIN_ID } from '../models/api-models.ts';
import { toChatUsage } from './usage.ts';

export function chatRoutes(context: ApiContext): ApiRoute[] {
  const idempotency = createIdempotency<ChatTurn>(
    context.runtime.clock,
    async ({ result }) => errorOfResult(await result) === undefined,
  );
  return [
    {
      method: 'POST',
      path: '/v1/chat/completions',
      handle: (http) => complete(context, idempotency, http),
    },
  ];
}

async function complete(
  context: ApiContext,
  idempotency: Idempotency<ChatTurn>,
  http: ApiRequest,
): Promise<HttpResponse> {
  const body = await http.json();
  const request = readChatRequest(body);
  const model = await context.models.choose(http.key, isTaskOfFrontEnd(request) ? PLAIN_ID : request.model);
  const call: ChatCall = { http, request, model };
  const turn = idempotency.share(http, body, () => startChatTurn(context, call));
  turn.attach(http.signal);
  return request.isStreamed ? streamed(context, turn, request) : answered(turn);
}

async function answered(turn: ChatTurn): Promise<HttpResponse> {
  const result = await turn.result.catch((thrown: unknown) => {
    throw errorOfStart(thrown);
  });
  const sessionId = await turn.sessionId;
  const failure = errorOfResult(result);
  if (failure !== undefined) throw failure;
  const { finalResponse: content, lastReasoning: reasoning_content } = result;
  const message = { role: 'assistant', content, refusal: null, ...(reasoning_content && { reasoning_content }) };
  return {
    headers: { 'x-hermes-session-id': sessionId },
    json: {
      id: turn.id,
      object: 'chat.completion',
      created: turn.created,
      model: turn.model,
      choices: [{ index: 0, message, logprobs: null, finish_reason: finishReason(result) }],
      usage: toChatUsage(result.usage),
    },
  };
}

/** How long the response waits for the first event, so that an error has its own status instead of being an event. */
const FIRST_EVENT_MS = 5000;

async function streamed({ runtime }: ApiContext, turn: ChatTurn, request: ChatRequest): Promise<HttpResponse> {
  const chunks = toChunks(turn, request);
  const first = chunks.next();
  const waited = new AbortController();
  const late = runtime.clock.sleep(FIRST_EVENT_MS, waited.signal).then(
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
async function* toChunks(turn: ChatTurn, { includeUsage }: ChatRequest): AsyncGenerator<ServerSentEvent> {
  const chunk = { id: turn.id, object: 'chat.completion.chunk', created: turn.created, model: turn.model };
  const withDelta = (delta: JsonObject, finish_reason: string | null = null) => ({
    data: JSON.stringify({ ...chunk, choices: [{ index: 0, delta, logprobs: null, finish_reason }] }),
  });
  let isStarted = false;
  for await (const event of turn.events.read()) {
    if (!isStarted) yield withDelta({ role: 'assistant', content: '' });
    isStarted = true;
    if (event.type === 'text') yield withDelta({ content: event.text });
    else if (event.type === 'reasoning') yield withDelta({ reasoning_content: event.text });
    else if (event.type === 'tool')
      yield { event: 'hermes.tool.progress', data: JSON.stringify(progressData(event.progress, chunk)) };
    else {
      const data = { ...chunk, choices: [], reason: event.reason };
      yield { event: 'hermes.answer.discarded', data: JSON.stringify(data) };
    }
  }
  const result = await turn.result.catch((thrown: unknown) => {
    throw errorOfStart(thrown);
  });
  const failure = errorOfResult(result);
  if (failure !== undefined) throw failure;
  if (!isStarted) yield withDelta({ role: 'assistant', content: '' });
  yield withDelta({}, finishReason(result));
  if (includeUsage) yield { data: JSON.stringify({ ...chunk, choices: [], usage: toChatUsage(result.usage) }) };
}

/** An answer that ends early has reached some limit. */
function finishReason({ completed }: RunResult): 'stop' | 'length' {
  return completed ? 'stop' : 'length';
}
