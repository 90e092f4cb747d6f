import { errorMessage, type JsonObject, type JsonValue } from '../../../base/index.ts';
import { HttpError, type HttpResponse, type ServerSentEvent } from '../../../http/index.ts';
import type { ApiRequest, ApiRoute } from '../api-context.ts';
import { createIdempotency } from '../chat/idempotency.ts';
import { resumableResponse } from '../streams/resumable-response.ts';
import { createConclusion } from './dead-responses.ts';
import { createLiveSink, createStoredSink, formatEvent, NO_SINK, readStoredEvent } from './event-sinks.ts';
import { withImages } from './item-images.ts';
import { pageOf } from './list-page.ts';
import { finalEvent, responseObject } from './response-object.ts';
import type { LoadedResponse, PlannedRequest, ResponseService } from './response-service.ts';
import { type Finished, lifecycle, type RunParts } from './run-response.ts';
import { createStreamItems } from './stream-items.ts';
import { invalid } from '../read-fields.ts';

/** `POST /v1/responses` and what can be done with a stored response. */
export function responseRoutes(parts: RunParts, service: ResponseService): ApiRoute[] {
  const path = '/v1/responses';
  const one = `${path}/:id`;
  const idOf = ({ parameters }: ApiRequest) => parameters['id'] ?? '';
  return [
    { method: 'POST', path, handle: createHandler({ parts, service }) },
    {
      method: 'GET',
      path: one,
      async handle(http) {
        const loaded = await service.load(idOf(http), http.owner);
        return http.query.get('stream') === 'true' ? streamAgain(parts, http, loaded) : { json: toObject(loaded) };
      },
    },
    {
      method: 'DELETE',
      path: one,
      async handle(http) {
        await service.delete(idOf(http), http.owner);
        return { json: { id: idOf(http), object: 'response', deleted: true } };
      },
    },
    {
      method: 'POST',
      path: `${one}/cancel`,
      handle: async (http) => ({ json: toObject(await service.cancel(http, idOf(http))) }),
    },
    {
      method: 'GET',
      path: `${one}/input_items`,
      async handle(http) {
        const { items } = await service.load(idOf(http), http.owner);
        return { json: pageOf(await withImages(parts.runtime.store, items.input, http.query), http.query) };
      },
    },
  ];
}

type Parts = { parts: RunParts; service: ResponseService };

/** A response that was started, for the request that started it and for those with the same idempotency key. */
type Started = {
  planned: PlannedRequest;
  finished: Promise<Finished>;
  live: AsyncIterable<ServerSentEvent> | undefined;
};

function createHandler(all: Parts): ApiRoute['handle'] {
  const isDone = async (work: Promise<Started>) => (await (await work).finished).error === undefined;
  const idempotency = createIdempotency<Promise<Started>>(all.parts.runtime.clock, isDone);
  return async (http) => {
    const body = await http.json();
    let isFirst = false;
    const started = await idempotency.share(http, body, () => {
      isFirst = true;
      return startResponse(all, http, body);
    });
    started.planned.attach(http.signal);
    return answer(all.parts, http, isFirst ? started : { ...started, live: undefined });
  };
}

async function startResponse({ parts, service }: Parts, http: ApiRequest, body: JsonValue): Promise<Started> {
  const planned = await service.plan(http, body);
  try {
    return await startPlanned({ parts, service }, planned, http);
  } catch (thrown) {
    // The client can send the results again.
    if (planned.origin.kind === 'paused') parts.paused.add(planned.origin.turn);
    throw thrown;
  }
}

async function startPlanned({ parts, service }: Parts, planned: PlannedRequest, http: ApiRequest): Promise<Started> {
  const { background, stream } = planned.request;
  if (background) return startInBackground({ parts, service }, planned);
  const sink = stream ? createLiveSink(http.signal) : undefined;
  const { finished } = await service.start(planned, sink ?? NO_SINK);
  return { planned, finished, live: sink?.events };
}

/** The response goes on without the client, which can poll it or follow its stored stream. */
async function startInBackground({ parts, service }: Parts, planned: PlannedRequest): Promise<Started> {
  const release = parts.turns.slots.take();
  try {
    const writer = await parts.streams.create(planned.stored.id);
    const { finished } = await service.start(planned, createStoredSink(writer));
    void finished.finally(release);
    return { planned, finished, live: undefined };
  } catch (thrown) {
    release();
    throw thrown;
  }
}

async function answer(parts: RunParts, http: ApiRequest, { planned, finished, live }: Started): Promise<HttpResponse> {
  const { stored, request } = planned;
  if (request.background) {
    const loaded = { stored, items: { input: [], output: [] } };
    return request.stream ? storedStream(parts, http, loaded) : { json: toObject(loaded) };
  }
  if (live !== undefined) return { events: live };
  const { state, error } = await finished;
  if (error !== undefined) throw error instanceof Error ? error : new Error(errorMessage(error));
  const items = { input: [], output: [...state.output] };
  return request.stream ? { events: eventsOf({ stored, items }, 0) } : { json: responseObject(state) };
}

/** Sends the stream of a response again: as it was sent, or for a complete response without a stream, from its items. */
async function streamAgain(parts: RunParts, http: ApiRequest, loaded: LoadedResponse): Promise<HttpResponse> {
  const { stored } = loaded;
  if (await parts.store.getStream(stored.id)) return storedStream(parts, http, loaded);
  if (stored.endedAt === undefined)
    throw new HttpError(
      400,
      'not_streamable',
      'The stream of a response can be followed if it was created with `background: true`.',
    );
  return { events: eventsOf(loaded, startOf(http)) };
}

function storedStream(parts: RunParts, http: ApiRequest, { stored, items }: LoadedResponse): HttpResponse {
  return resumableResponse(http, parts.streams, {
    id: stored.id,
    conclude: createConclusion(stored, items.output),
    after: startOf(http),
    format: (event, sequence) => formatEvent(readStoredEvent(event), sequence),
  });
}

/** The events of a complete response. */
async function* eventsOf(loaded: LoadedResponse, after: number): AsyncGenerator<ServerSentEvent> {
  const { stored, items } = loaded;
  const begun = { ...stored, status: 'in_progress' as const, result: {}, output: [] };
  const stream = createStreamItems();
  const events = [
    lifecycle('response.created', begun),
    lifecycle('response.in_progress', begun),
    ...items.output.flatMap((item) => stream.addItem(item)),
    lifecycle(finalEvent(stored.status), { ...stored, output: items.output }),
  ];
  for (const [index, event] of events.entries())
    if (index + 1 > after) yield { id: String(index + 1), ...formatEvent(event, index + 1) };
}

/** The number of the last event that the client has. The API counts from 0, and stored streams from 1. */
function startOf({ query }: ApiRequest): number {
  const text = query.get('starting_after');
  if (text === null) return 0;
  if (!/^\d{1,15}$/.test(text)) throw invalid('starting_after', 'must be a sequence number');
  return Number(text) + 1;
}

function toObject({ stored, items }: LoadedResponse): JsonObject {
  return responseObject({ ...stored, output: items.output });
}
