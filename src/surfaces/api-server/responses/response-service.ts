import { randomUUID } from 'node:crypto';
import { HermesError, type JsonValue } from '../../../base/index.ts';
import type { StoredResponse } from '../../../contracts/index.ts';
import { findRunningTurn } from '../../../conversations/index.ts';
import { HttpError } from '../../../http/index.ts';
import { createAnswerSchema } from '../../../runtime/answer-schema/index.ts';
import { processName } from '../../../util/process-name.ts';
import type { ApiRequest } from '../api-context.ts';
import { createClients } from '../chat/chat-turn.ts';
import type { Scope } from '../chat/find-session.ts';
import { openConversation } from '../conversations/stored-conversations.ts';
import { type CreateRequest, readCreateRequest } from './create-request.ts';
import { settleResponse } from './dead-responses.ts';
import type { EventSink } from './event-sinks.ts';
import type { TurnItems } from './items.ts';
import { findKnownPoint, historyScope } from './known-history.ts';
import { type Origin, responseNotFound } from './place-response.ts';
import { responseId } from './response-object.ts';
import { type Finished, type PlannedResponse, type RunParts, runResponse } from './run-response.ts';
import { itemsOfResponse } from './stored-items.ts';
import { invalid } from '../read-fields.ts';

/** The responses of all keys: those that are stored, and those that run. */
export interface ResponseService {
  /** Checks a request. Throws `HttpError`. */
  plan(http: ApiRequest, body: JsonValue): Promise<PlannedRequest>;
  /** Stores a planned response and starts its turn. */
  start(planned: PlannedRequest, sink: EventSink): Promise<{ finished: Promise<Finished> }>;
  /** A response and its items. Throws `HttpError` if the owner has no such response. */
  load(id: string, owner: string): Promise<LoadedResponse>;
  /** Interrupts the turn of a background response, and returns the response. */
  cancel(http: ApiRequest, id: string): Promise<LoadedResponse>;
  delete(id: string, owner: string): Promise<void>;
  /** Ends responses whose process died. */
  recover(): Promise<void>;
  /** Waits until all responses are stored. Their turns must have been interrupted. */
  close(): Promise<void>;
}

export type PlannedRequest = Omit<PlannedResponse, 'sink'> & {
  stop: AbortController;
  /** Adds a client. When all are gone, the turn is interrupted, unless it runs in the background. */
  attach(signal: AbortSignal): void;
};
export type LoadedResponse = { stored: StoredResponse; items: TurnItems };

type Running = { stop: AbortController; finished: Promise<Finished | undefined> };

/** How long responses can be retrieved. */
export const KEPT_MS = 30 * 24 * 3_600_000;

export function createResponseService(parts: RunParts): ResponseService {
  const { responses, runtime } = parts;
  const { store, clock, logger } = runtime;
  const running = new Map<string, Running>();

  async function find(id: string, owner: string): Promise<StoredResponse> {
    const found = await responses.getResponse(id, owner);
    if (found === undefined) throw responseNotFound(id);
    return settleResponse(parts, found, running.has(id));
  }

  async function load(id: string, owner: string): Promise<LoadedResponse> {
    const stored = await find(id, owner);
    const items = await itemsOfResponse(store, stored);
    // A response that has not begun has no session yet. One whose session was deleted is gone with it.
    if (items === undefined && stored.endedAt !== undefined && stored.lastMessage !== 0) throw responseNotFound(id);
    return { stored, items: items ?? { input: [], output: [] } };
  }

  return {
    load,
    async plan(http, body) {
      const request = readCreateRequest(body, parts.settings);
      const model = await parts.models.choose(http.key, request.model);
      const schema = readSchema(request);
      await parts.turns.requireBudget(http.key, model);
      const scope = historyScope(http, request.user);
      const origin = await findOrigin(parts, http, { request, scope, isPlain: model.isPlain });
      const stored = newResponse(request, { owner: http.owner, origin, now: clock.now(), model: model.id });
      const stop = new AbortController();
      const clients = createClients();
      const signal = request.background ? stop.signal : AbortSignal.any([stop.signal, clients.signal]);
      const showsAll = readEvents(http);
      return { stored, http, request, schema, model, origin, scope, showsAll, stop, signal, attach: clients.add };
    },
    async start({ stop, attach: _, ...planned }, sink) {
      const { stored, request } = planned;
      const { id, createdAt } = stored;
      running.set(id, { stop, finished: Promise.resolve(undefined) });
      try {
        if (request.store) await responses.addResponse({ ...stored, expiresAt: createdAt + KEPT_MS });
      } catch (thrown) {
        running.delete(id);
        throw thrown;
      }
      const finished = runResponse(parts, { ...planned, sink }).finally(() => running.delete(id));
      running.set(id, { stop, finished });
      return { finished };
    },
    async cancel(http, id) {
      const stored = await find(id, http.owner);
      requireBackground(stored);
      const here = running.get(id);
      here?.stop.abort(new HermesError('the response was cancelled'));
      await here?.finished;
      if (here === undefined) await interruptElsewhere(parts, http, stored);
      return load(id, http.owner);
    },
    async delete(id, owner) {
      await find(id, owner);
      running.get(id)?.stop.abort(new HermesError('the response was deleted'));
      await responses.deleteResponse(id, owner);
    },
    async recover() {
      for (const response of await responses.listOpenResponses()) {
        await settleResponse(parts, response, running.has(response.id)).catch((thrown: unknown) => {
          logger.error('could not end a response of a process that died', { id: response.id }, thrown);
        });
      }
    },
    close: async () => void (await Promise.all([...running.values()].map(({ finished }) => finished))),
  };
}

/** Whether the client wants the events of the turn for which the Responses API has none. */
function readEvents({ header }: ApiRequest): boolean {
  const given = header('hermes-events')?.trim() ?? '';
  if (given !== '' && given !== 'all')
    throw new HttpError(400, 'invalid_value', 'The header Hermes-Events must be "all".');
  return given === 'all';
}

function requireBackground({ request }: StoredResponse): void {
  if (request['background'] === true) return;
  const message = 'Only responses that were created with `background: true` can be cancelled.';
  throw new HttpError(400, 'not_cancellable', message);
}

/** Interrupts a response that another process runs. */
async function interruptElsewhere(
  { runtime }: RunParts,
  { actor }: ApiRequest,
  { endedAt, sessionId }: StoredResponse,
): Promise<void> {
  if (endedAt !== undefined) return;
  const turn = await findRunningTurn(runtime, sessionId);
  await turn?.interrupt('the response was cancelled', actor);
}

type NewParts = { owner: string; origin: Origin; now: number; model: string };

function newResponse({ background, echo }: CreateRequest, { owner, origin, now, model }: NewParts): StoredResponse {
  const previous = origin.kind === 'response' && { previous_response_id: origin.response.id };
  return {
    id: responseId(randomUUID().replaceAll('-', '')),
    owner,
    conversationId: conversationOf(origin),
    sessionId: '',
    afterMessage: 0,
    lastMessage: undefined,
    status: background ? 'queued' : 'in_progress',
    process: processName(),
    createdAt: now,
    endedAt: undefined,
    request: { ...echo, model, ...previous },
    result: {},
  };
}

function conversationOf(origin: Origin): string | undefined {
  if (origin.kind === 'paused') return origin.turn.conversationId;
  return origin.kind === 'conversation' ? origin.conversation.id : undefined;
}

function readSchema({ schema }: CreateRequest): PlannedResponse['schema'] {
  if (schema === undefined) return undefined;
  const made = createAnswerSchema(schema);
  if ('fault' in made) throw invalid('text.format.schema', `is not usable: ${made.fault}`);
  return made;
}

type Asked = { request: CreateRequest; scope: Scope; isPlain: boolean };

async function findOrigin(parts: RunParts, http: ApiRequest, asked: Asked): Promise<Origin> {
  const { request, scope, isPlain } = asked;
  const { owner } = http;
  const { conversation: named, previousResponseId, input, user } = request;
  const conversation =
    named === undefined ? undefined : await openConversation(parts, { owner, user: userOf(http, user), named });
  const asksFor = { scope, responseId: previousResponseId, conversationId: conversation?.id };
  const turn = parts.paused.take({ ...asksFor, input });
  if (turn !== undefined) return { kind: 'paused', turn };
  if (conversation !== undefined) return { kind: 'conversation', conversation };
  const id = previousResponseId ?? responseOfItem(input.reference);
  if (id === undefined) {
    const isKnown = request.store && !isPlain;
    const point = isKnown ? await findKnownPoint(parts, scope, input.history) : undefined;
    return point === undefined ? { kind: 'new' } : { kind: 'point', point };
  }
  const response = await parts.responses.getResponse(id, owner);
  if (response !== undefined) return { kind: 'response', response };
  if (previousResponseId === undefined)
    throw new HttpError(404, 'item_not_found', `Item with id '${input.reference}' not found.`, {}, 'input');
  const message = `Previous response with id '${id}' not found.`;
  throw new HttpError(404, 'previous_response_not_found', message, {}, 'previous_response_id');
}

/** What tells the users of a key apart. */
function userOf({ header }: ApiRequest, user = ''): string | undefined {
  const sent = [user, ...['x-hermes-session-key', 'x-openwebui-user-id'].map((name) => header(name) ?? '')];
  return sent.every((part) => part === '') ? undefined : JSON.stringify(sent);
}

/** The response that an item belongs to, by its id. */
function responseOfItem(item: string | undefined): string | undefined {
  const name = item === undefined ? undefined : (/^(?:msg|rs)_([\da-f]{32})_\d+$/.exec(item)?.[1] ?? '');
  return name === undefined ? undefined : responseId(name);
}
