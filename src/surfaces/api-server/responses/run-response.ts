import { errorMessage, type RunResult } from '../../../base/index.ts';
import type { ResponseStore, StoredResponse } from '../../../contracts/index.ts';
import type { Conversation, ConversationMessage, ConversationTurn } from '../../../conversations/index.ts';
import { HttpError } from '../../../http/index.ts';
import { type AnswerSchema, runWithSchema } from '../../../runtime/answer-schema/index.ts';
import type { ApiContext, ApiRequest } from '../api-context.ts';
import { type Scope, toMessages } from '../chat/find-session.ts';
import { loadFiles } from '../chat/read-content.ts';
import type { ModelChoice } from '../models/api-models.ts';
import { errorOfResult, errorOfStart } from '../turns/turn-errors.ts';
import type { CreateRequest } from './create-request.ts';
import type { EventSink } from './event-sinks.ts';
import { itemsOfTurn, type Item } from './items.ts';
import { rememberHistory } from './known-history.ts';
import { addHistory, findPlace, type Origin, type Place, underLock } from './place-response.ts';
import {
  failure,
  finalEvent,
  nameOfResponse,
  type Outcome,
  outcomeOf,
  responseObject,
  type ResponseState,
} from './response-object.ts';
import { createStreamItems, type ResponseEvent, type StreamItems } from './stream-items.ts';
import { messagesOf, withAnswer } from './stored-items.ts';
import { createTurnEvents, endItems, inStreamOrder, otherEvents, type TurnEvents } from './turn-events.ts';

/** A response that is about to run. */
export type PlannedResponse = {
  /** As it is stored; also for responses that are not. */
  stored: StoredResponse;
  http: Pick<ApiRequest, 'key' | 'owner'>;
  request: CreateRequest;
  schema: AnswerSchema | undefined;
  model: ModelChoice;
  origin: Origin;
  /** Who the history in the input belongs to. */
  scope: Scope;
  sink: EventSink;
  /** Whether events of the turn are sent for which the Responses API has none. */
  showsAll: boolean;
  /** Aborted when the client no longer wants it. */
  signal: AbortSignal;
};

export type RunParts = ApiContext & { responses: ResponseStore };

/** The response when it is final, and the error if there is no answer. */
export type Finished = { state: ResponseState; error: unknown };

/** Runs the turn of a response, and stores how it ended before the last event is sent. Never rejects. */
export async function runResponse(parts: RunParts, planned: PlannedResponse): Promise<Finished> {
  const { sink, stored, origin } = planned;
  const items = createStreamItems();
  const first = { ...stored, output: [] };
  const progress = createProgress(planned, items);
  try {
    await sink.write([lifecycle('response.created', first), lifecycle(`response.${stored.status}`, first)]);
    const running = underLock(parts.turns.locks, origin, () => runInPlace(parts, planned, progress));
    await unlessWithdrawn(running, planned, progress);
  } catch (thrown) {
    progress.fail(thrown);
  }
  return conclude(parts, planned, { items, progress });
}

/** What is known about the turn so far. */
type Progress = {
  place: Place | undefined;
  result: RunResult | undefined;
  thrown: unknown;
  answer: string | undefined;
  readonly events: TurnEvents;
  fail(thrown: unknown): void;
};

function createProgress({ stored }: PlannedResponse, items: StreamItems): Progress {
  const progress: Progress = {
    place: undefined,
    result: undefined,
    thrown: undefined,
    answer: undefined,
    events: createTurnEvents(nameOfResponse(stored.id), items),
    fail: (thrown) => {
      progress.thrown = thrown;
    },
  };
  return progress;
}

/** A response that is cancelled while it waits for others ends immediately. */
async function unlessWithdrawn(running: Promise<void>, { signal }: PlannedResponse, progress: Progress): Promise<void> {
  const withdrawn = Promise.withResolvers<never>();
  const onAbort = () => {
    if (progress.place === undefined) withdrawn.reject(signal.reason);
  };
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    await Promise.race([running, withdrawn.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

async function runInPlace(parts: RunParts, planned: PlannedResponse, progress: Progress): Promise<void> {
  const { stored, sink, signal, http, model, request, origin } = planned;
  signal.throwIfAborted();
  const found = await findPlace(parts, origin, { isKept: request.store });
  const missing = origin.kind === 'point' ? origin.point.missing : request.input.history;
  const place = await addHistory(parts, found, toMessages(missing));
  signal.throwIfAborted();
  progress.place = place;
  Object.assign(stored, { sessionId: place.session.id, afterMessage: place.afterMessage });
  if (request.store) await parts.responses.startResponse(stored.id, stored);
  if (stored.status === 'queued') {
    stored.status = 'in_progress';
    await sink.write([lifecycle('response.in_progress', { ...stored, output: [] })]);
  }
  const instructions = [request.instructions ?? '', ...request.input.instructions].filter((text) => text !== '');
  const turnPlace = {
    key: http.key,
    session: place.session,
    model,
    ...(instructions.length > 0 && { instructions: instructions.join('\n\n') }),
    isTemporary: !request.store,
  };
  await parts.turns.use(turnPlace, (conversation) => runTurns(parts, planned, { progress, conversation }));
}

type Running = { progress: Progress; conversation: Conversation };

/** Runs the turn, and a second one if its answer does not match the schema. */
async function runTurns(parts: RunParts, planned: PlannedResponse, running: Running): Promise<void> {
  const { request, signal, schema } = planned;
  const { progress, conversation } = running;
  const { message: said } = request.input;
  const allowPrivate = parts.runtime.blueprint.settings.allowPrivateUrls === true;
  const attachments = await loadFiles(
    said.flatMap(({ files }) => files),
    { allowPrivate, signal },
  );
  const text = said.map((each) => each.text).join('\n\n');
  if (request.effort !== undefined) conversation.opened().preferences.effort = request.effort;
  const send = (message: ConversationMessage) =>
    followTurn(planned, running, conversation.queue({ ...message, signal }));
  if (schema === undefined) {
    progress.result = await send({ text, attachments });
    return;
  }
  let isFirst = true;
  progress.result = await runWithSchema({
    schema,
    message: { userMessage: text },
    onInvalid: () => undefined,
    runTurn({ userMessage, sentMessage, outputSchema }) {
      const files = isFirst ? { attachments } : {};
      isFirst = false;
      return send({ text: userMessage, sent: sentMessage, outputSchema, ...files });
    },
  });
  if (progress.result.completed) progress.answer = progress.result.finalResponse;
}

/** Passes the events of a turn on while it runs. */
async function followTurn(
  { sink, signal, showsAll }: PlannedResponse,
  { progress: { events } }: Running,
  turn: ConversationTurn,
): Promise<RunResult> {
  const stop = () => turn.interrupt(errorMessage(signal.reason));
  if (signal.aborted) stop();
  else signal.addEventListener('abort', stop, { once: true });
  try {
    for await (const event of turn) await sink.write([...events.step(event), ...(showsAll ? otherEvents(event) : [])]);
    return await turn.result;
  } catch (thrown) {
    turn.interrupt(errorMessage(thrown));
    throw thrown;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

type Ended = { items: StreamItems; progress: Progress };

/** Stores the end of a response, and then sends it. */
async function conclude(parts: RunParts, planned: PlannedResponse, { items, progress }: Ended): Promise<Finished> {
  const { stored, sink, signal, request } = planned;
  const { store, clock, logger } = parts.runtime;
  const { place, result, answer } = progress;
  const error = errorOfProgress(progress);
  if (error !== undefined && !signal.aborted && !(error instanceof HttpError))
    logger.error('a response failed', { id: stored.id }, error);
  const outcome = result === undefined ? outcomeOfError(error, signal) : outcomeOf(result, signal.aborted);
  const sessionId = result?.sessionId ?? stored.sessionId;
  const after = place?.afterMessage ?? 0;
  const messages =
    place === undefined ? [] : await messagesOf(store, { sessionId, after, upTo: Number.POSITIVE_INFINITY });
  const output = itemsOfTurn(nameOfResponse(stored.id), messages).output;
  const last: ResponseEvent[] = endItems(items, output);
  const isChanged = answer !== undefined && !output.some((item) => isText(item, answer));
  const ordered = inStreamOrder(withAnswer(output, isChanged ? answer : undefined), items.announced());
  const isReordered = ordered.some(({ id }, index) => id !== output[index]?.id);
  Object.assign(stored, { ...outcome, sessionId, lastMessage: messages.at(-1)?.id ?? after, endedAt: clock.now() });
  if (isReordered) stored.result['order'] = ordered.map(({ id }) => id);
  if (isChanged) stored.result['answer'] = answer;
  const state = { ...stored, output: ordered };
  try {
    if (request.store)
      await parts.responses.endResponse(stored.id, stored as Parameters<ResponseStore['endResponse']>[1]);
    else if (place?.isOwn === true) await store.deleteSession(place.session.id, { withDescendants: true });
    if (request.store && stored.status === 'completed') await remember(parts, planned, ordered);
  } catch (thrown) {
    logger.error('could not store the end of a response', { id: stored.id }, thrown);
  }
  await sink.end([...last, lifecycle(finalEvent(stored.status), state)]).catch((thrown: unknown) => {
    logger.error('could not end the stream of a response', { id: stored.id }, thrown);
  });
  return { state, error };
}

/** A client that sends everything that was said finds the session again. */
async function remember(parts: RunParts, planned: PlannedResponse, output: readonly Item[]): Promise<void> {
  const { origin, request, scope, stored } = planned;
  if (origin.kind !== 'new' && origin.kind !== 'point') return;
  const { sessionId, lastMessage = 0 } = stored;
  const { history, message } = request.input;
  await rememberHistory(parts, scope, [...history, ...message], { sessionId, lastMessage, output });
}

const isText = (item: Item, text: string) =>
  item.type === 'message' && item.role === 'assistant' && item.content[0]?.text === text;

/** Why there is no answer; undefined if there is one. */
function errorOfProgress({ result, thrown }: Progress): unknown {
  return result === undefined ? errorOfStart(thrown) : errorOfResult(result);
}

function outcomeOfError(error: unknown, signal: AbortSignal): Outcome {
  if (signal.aborted) return { status: 'cancelled', result: { usage: null } };
  if (!(error instanceof HttpError)) return failure('server_error', 'The response failed. The log has the details.');
  return failure(error.status === 429 ? 'rate_limit_exceeded' : 'server_error', error.message);
}

export function lifecycle(type: string, state: ResponseState): ResponseEvent {
  return { event: type, data: { type, response: responseObject(state) } };
}
