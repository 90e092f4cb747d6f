import type { RunResult } from '../../../base/index.ts';
import type { ResponseStore, StoredResponse } from '../../../contracts/index.ts';
import type { Conversation } from '../../../conversations/index.ts';
import { HttpError } from '../../../http/index.ts';
import { type AnswerSchema, runWithSchema } from '../../../runtime/answer-schema/index.ts';
import type { ApiContext, ApiRequest } from '../api-context.ts';
import type { ChatToolCall } from '../chat/chat-request.ts';
import type { ClientCalls } from '../chat/client-tools.ts';
import { type Scope, toMessages } from '../chat/find-session.ts';
import { hashTools } from '../chat/prefix-hashes.ts';
import { loadFiles } from '../chat/read-content.ts';
import type { ModelChoice } from '../models/api-models.ts';
import { errorOfResult, errorOfStart } from '../turns/turn-errors.ts';
import type { CreateRequest } from './create-request.ts';
import type { EventSink } from './event-sinks.ts';
import { itemsOfTurn, type Item } from './items.ts';
import { rememberHistory } from './known-history.ts';
import { createLiveTurn, type LiveTurn } from './live-turn.ts';
import type { PausedResponses, PausedTurn } from './paused-responses.ts';
import {
  addHistory,
  findPlace,
  type Origin,
  type Place,
  type PlacedOrigin,
  lockKeys,
  underLock,
} from './place-response.ts';
import { createProgress, type Progress } from './progress.ts';
import {
  failure,
  finalEvent,
  nameOfResponse,
  type Outcome,
  outcomeOf,
  responseObject,
  type ResponseState,
  toUsage,
} from './response-object.ts';
import { createStreamItems, type ResponseEvent, type StreamItems } from './stream-items.ts';
import { clientToolsOf, messagesOf, withAnswer } from './stored-items.ts';
import { createTurnEvents, endItems, inStreamOrder } from './turn-events.ts';

/** A response that is about to run. */
export type PlannedResponse = {
  /** As it is stored; also for responses that are not. */
  stored: StoredResponse;
  http: Pick<ApiRequest, 'key' | 'owner' | 'memoryScope'>;
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

type PlacedResponse = PlannedResponse & { origin: PlacedOrigin };

export type RunParts = ApiContext & { responses: ResponseStore; calls: ClientCalls; paused: PausedResponses };

/** The response when it is final, and the error if there is no answer. */
export type Finished = { state: ResponseState; error: unknown };

/** Runs the turn of a response, and stores how it ended before the last event is sent. Never rejects. */
export async function runResponse(parts: RunParts, planned: PlannedResponse): Promise<Finished> {
  const { sink, stored, origin } = planned;
  const items = createStreamItems();
  const first = { ...stored, output: [] };
  const named = { name: nameOfResponse(stored.id), clientTools: clientToolsOf(stored) };
  const progress = createProgress(createTurnEvents({ ...named, continues: origin.kind === 'paused' }, items));
  try {
    await sink.write([lifecycle('response.created', first), lifecycle(`response.${stored.status}`, first)]);
    if (origin.kind === 'paused') await continueTurn(parts, planned, { progress, turn: origin.turn });
    else await unlessWithdrawn(startTurn(parts, { ...planned, origin }, progress), planned, progress);
  } catch (thrown) {
    progress.fail(thrown);
  }
  return conclude(parts, planned, { items, progress });
}

/** Starts the work for a response. Resolves when the response ends, which can be before the end of the work. */
function startTurn(parts: RunParts, planned: PlacedResponse, progress: Progress): Promise<void> {
  const { origin, stored, request } = planned;
  const { calls, turns, runtime } = parts;
  const clientTools = clientToolsOf(stored);
  const wait = { clock: runtime.clock, turns, sessionKeys: lockKeys(origin) };
  const live = createLiveTurn({ clientTools, calls, wait });
  const work = underLock(turns.locks, origin, () => runInPlace(parts, planned, { live, progress }));
  const settle = async () => {
    await work.catch((thrown: unknown) => live.segment?.progress.fail(thrown));
    // The response has ended, and no other has continued it.
    if (live.segment === undefined && !request.store)
      await deleteOwn(parts, progress.place).catch((thrown: unknown) => {
        runtime.logger.error('could not delete the session of a response', { id: stored.id }, thrown);
      });
  };
  const done = settle();
  attach(parts, planned, { live, done, progress });
  return Promise.race([done, progress.paused]);
}

type Attached = { live: LiveTurn; done: Promise<void>; progress: Progress };

/** Makes a turn write to a response, until it waits for the client. */
function attach({ paused }: RunParts, planned: PlannedResponse, { live, done, progress }: Attached): void {
  const { sink, showsAll, signal, stored, scope, request } = planned;
  const onPause = (calls: readonly ChatToolCall[]) => {
    const { id: responseId, conversationId } = stored;
    const { saidByUser } = request.input;
    paused.add({ live, done, calls, responseId, conversationId, next: progress.next, scope, saidByUser });
  };
  live.attach({ progress, sink, showsAll, signal, onPause });
}

/** Passes the results in a request to the turn that waits for them, and follows it. */
async function continueTurn(
  parts: RunParts,
  planned: PlannedResponse,
  { progress, turn }: { progress: Progress; turn: PausedTurn },
): Promise<void> {
  const { live, done, next } = turn;
  const { results, message } = planned.request.input;
  try {
    await begin(parts, planned, { progress, place: await next });
    planned.signal.throwIfAborted();
  } catch (thrown) {
    live.stop.abort(thrown);
    throw thrown;
  }
  attach(parts, planned, { live, done, progress });
  live.resume(results, message.map(({ text }) => text).join('\n\n'));
  await Promise.race([done, progress.paused]);
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

type Running = { live: LiveTurn; progress: Progress };

async function runInPlace(parts: RunParts, planned: PlacedResponse, { live, progress }: Running): Promise<void> {
  const { signal, http, model, request, origin } = planned;
  signal.throwIfAborted();
  const found = await findPlace(parts, origin, { isKept: request.store });
  const missing = origin.kind === 'point' ? origin.point.missing : request.input.history;
  const place = await addHistory(parts, found, toMessages(missing));
  // A session that was created for a response that does not start belongs to no key.
  if (signal.aborted) await deleteOwn(parts, place);
  signal.throwIfAborted();
  await begin(parts, planned, { progress, place });
  const instructions = [request.instructions ?? '', ...request.input.instructions].filter((text) => text !== '');
  const { tools } = request;
  const turnPlace = {
    key: http.key,
    memoryScope: http.memoryScope,
    session: place.session,
    model,
    ...(instructions.length > 0 && { instructions: instructions.join('\n\n') }),
    ...(tools.length > 0 && { tools: { key: hashTools(tools), source: parts.calls.sourceOf(tools) } }),
    isTemporary: !request.store,
  };
  await parts.turns.use(turnPlace, (conversation) => runTurns(parts, planned, { live, conversation }));
}

/** Stores where a response runs, and says that it does. */
async function begin(
  parts: RunParts,
  { stored, sink, request }: PlannedResponse,
  { progress, place }: { progress: Progress; place: Place },
): Promise<void> {
  progress.place = place;
  Object.assign(stored, { sessionId: place.session.id, afterMessage: place.afterMessage });
  if (request.store) await parts.responses.startResponse(stored.id, stored);
  if (stored.status !== 'queued') return;
  stored.status = 'in_progress';
  await sink.write([lifecycle('response.in_progress', { ...stored, output: [] })]);
}

/** Runs the turn, and a second one if its answer does not match the schema. */
async function runTurns(
  parts: RunParts,
  { request, signal, schema }: PlannedResponse,
  { live, conversation }: { live: LiveTurn; conversation: Conversation },
): Promise<void> {
  const { message: said } = request.input;
  const allowPrivate = parts.runtime.blueprint.settings.allowPrivateUrls === true;
  const attachments = await loadFiles(
    said.flatMap(({ files }) => files),
    { allowPrivate, signal },
  );
  const text = said.map((each) => each.text).join('\n\n');
  if (request.effort !== undefined) conversation.opened().preferences.effort = request.effort;
  // The turn may continue in another response, which gets its result.
  const finish = (result: RunResult, answer?: string) =>
    live.segment && Object.assign(live.segment.progress, { result, answer });
  if (schema === undefined) {
    finish(await live.run(conversation, { text, attachments }));
    return;
  }
  let isFirst = true;
  const result = await runWithSchema({
    schema,
    message: { userMessage: text },
    onInvalid: () => undefined,
    runTurn({ userMessage, sentMessage, outputSchema }) {
      const files = isFirst ? { attachments } : {};
      isFirst = false;
      return live.run(conversation, { text: userMessage, sent: sentMessage, outputSchema, ...files });
    },
  });
  finish(result, result.completed ? result.finalResponse : undefined);
}

type Ended = { items: StreamItems; progress: Progress };

/** Stores the end of a response, and then sends it. */
async function conclude(parts: RunParts, planned: PlannedResponse, { items, progress }: Ended): Promise<Finished> {
  const { stored, sink, request } = planned;
  const { store, clock, logger } = parts.runtime;
  const { place, answer, calls } = progress;
  const error = errorOfProgress(progress);
  if (error !== undefined && !planned.signal.aborted && !(error instanceof HttpError))
    logger.error('a response failed', { id: stored.id }, error);
  // Unless the server stops, a user has interrupted the turn, maybe through another server.
  const isCancelled = planned.signal.aborted || !parts.turns.closing.aborted;
  const outcome = outcomeOfProgress(planned, progress, { error, isCancelled });
  const sessionId = await sessionOf(parts, progress, stored.sessionId);
  const after = place?.afterMessage ?? 0;
  const messages =
    place === undefined ? [] : await messagesOf(store, { sessionId, after, upTo: Number.POSITIVE_INFINITY });
  const output = itemsOfTurn(nameOfResponse(stored.id), messages, clientToolsOf(stored)).output;
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
    else if (calls === undefined) await deleteOwn(parts, place);
    if (request.store && stored.status === 'completed' && calls === undefined) await remember(parts, planned, ordered);
  } catch (thrown) {
    logger.error('could not store the end of a response', { id: stored.id }, thrown);
  }
  if (place !== undefined)
    progress.end({ ...place, session: { id: sessionId, isNew: false }, afterMessage: stored.lastMessage ?? after });
  await sink.end([...last, lifecycle(finalEvent(stored.status), state)]).catch((thrown: unknown) => {
    logger.error('could not end the stream of a response', { id: stored.id }, thrown);
  });
  return { state, error };
}

/** Deletes the session that was created for a response that is not kept. */
async function deleteOwn({ runtime }: RunParts, place: Place | undefined): Promise<void> {
  if (place?.isOwn === true) await runtime.store.deleteSession(place.session.id, { withDescendants: true });
}

/** A turn that is not over may have been moved by a compression. */
async function sessionOf({ runtime }: RunParts, { result, calls }: Progress, began: string): Promise<string> {
  if (calls === undefined) return result?.sessionId ?? began;
  return (await runtime.store.newestInLineage(began))?.id ?? began;
}

/** A client that sends everything that was said finds the session again. */
async function remember(parts: RunParts, planned: PlannedResponse, output: readonly Item[]): Promise<void> {
  const { origin, request, scope, stored } = planned;
  const sendsAll = origin.kind === 'paused' && request.input.history.length > 0;
  if (origin.kind !== 'new' && origin.kind !== 'point' && !sendsAll) return;
  const { sessionId, lastMessage = 0 } = stored;
  const { history, message } = request.input;
  await rememberHistory(parts, scope, [...history, ...message], { sessionId, lastMessage, output });
}

const isText = (item: Item, text: string) =>
  item.type === 'message' && item.role === 'assistant' && item.content[0]?.text === text;

/** Why there is no answer; undefined if there is one. */
function errorOfProgress({ result, thrown, calls }: Progress): unknown {
  if (calls !== undefined) return undefined;
  return result === undefined ? errorOfStart(thrown) : errorOfResult(result);
}

function outcomeOfProgress(
  { origin, signal }: PlannedResponse,
  progress: Progress,
  { error, isCancelled }: { error: unknown; isCancelled: boolean },
): Outcome {
  const { result, calls, usage } = progress;
  if (calls !== undefined) return { status: 'completed', result: { usage: toUsage(usage) } };
  if (result === undefined) return outcomeOfError(error, signal);
  // The result counts the whole turn, and this response is only the end of it.
  return outcomeOf(origin.kind === 'paused' ? { ...result, usage } : result, isCancelled);
}

function outcomeOfError(error: unknown, signal: AbortSignal): Outcome {
  if (signal.aborted) return { status: 'cancelled', result: { usage: null } };
  if (!(error instanceof HttpError)) return failure('server_error', 'The response failed. The log has the details.');
  return failure(error.status === 429 ? 'rate_limit_exceeded' : 'server_error', error.message);
}

export function lifecycle(type: string, state: ResponseState): ResponseEvent {
  return { event: type, data: { type, response: responseObject(state) } };
}
