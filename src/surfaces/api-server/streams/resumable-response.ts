import type { JsonObject } from '../../../base/index.ts';
import { HttpError, type HttpRequest, type HttpResponse } from '../../../http/index.ts';
import type { Conclude, EventStreams } from './event-streams.ts';

export type ResumableOptions = {
  /** The id of the stream. */
  id: string;
  conclude: Conclude;
  /** Continues after this event if the request has no `Last-Event-ID`. */
  after?: number;
  /** How an event is sent; by default as its `type` and its JSON. */
  format?(event: JsonObject, sequence: number): { event?: string; data: string };
  /** A last event without an id, such as `[DONE]`. */
  lastData?: string;
};

/** Sends a stored stream from the event after `Last-Event-ID` on. */
export function resumableResponse(
  request: HttpRequest,
  streams: EventStreams,
  { id, conclude, after = 0, format = formatEvent, lastData }: ResumableOptions,
): HttpResponse {
  const start = readLastEventId(request.header('last-event-id')) ?? after;
  async function* events() {
    for await (const { sequence, event } of streams.read(id, start, { signal: request.signal, conclude }))
      yield { id: String(sequence), ...format(event, sequence) };
    if (lastData !== undefined && !request.signal.aborted) yield { data: lastData };
  }
  return { events: events() };
}

function readLastEventId(text: string | undefined): number | undefined {
  if (text === undefined || text.trim() === '') return undefined;
  if (!/^\d{1,15}$/.test(text.trim()))
    throw new HttpError(400, 'invalid_event_id', `Last-Event-ID is not the id of an event: ${text.slice(0, 40)}`);
  return Number(text);
}

function formatEvent(event: JsonObject): { event?: string; data: string } {
  const { type } = event;
  return { ...(typeof type === 'string' && { event: type }), data: JSON.stringify(event) };
}
