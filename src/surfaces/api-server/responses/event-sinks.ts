import type { JsonObject } from '../../../base/index.ts';
import type { ServerSentEvent } from '../../../http/index.ts';
import type { EventWriter } from '../streams/event-streams.ts';
import type { ResponseEvent } from './stream-items.ts';

/** Where the events of a response go. */
export interface EventSink {
  write(events: readonly ResponseEvent[]): Promise<void>;
  /** The last events. */
  end(events: readonly ResponseEvent[]): Promise<void>;
}

/** For clients that wait for the whole response. */
export const NO_SINK: EventSink = { write: async () => undefined, end: async () => undefined };

/** Stores the events, for clients that come back. */
export function createStoredSink(writer: EventWriter): EventSink {
  return {
    write: async (events) => (events.length === 0 ? undefined : writer.write(...events)),
    end: (events) => writer.end(...events),
  };
}

/** An event as it is sent. The stream numbers its events from 1, and the API from 0. */
export function formatEvent({ event, data }: ResponseEvent, sequence: number): ServerSentEvent {
  return { event, data: JSON.stringify({ ...data, sequence_number: sequence - 1 }) };
}

/** A stored event, as the sink has written it. */
export function readStoredEvent(stored: JsonObject): ResponseEvent {
  const { event, data } = stored;
  return { event: typeof event === 'string' ? event : '', data: (data ?? {}) as JsonObject };
}

/**
 * Passes events to one client as fast as it reads: a write resolves when the client has taken all of it. Nothing is
 * kept for a client that is gone, which aborts the signal.
 */
export function createLiveSink(signal: AbortSignal): EventSink & { events: AsyncIterableIterator<ServerSentEvent> } {
  const waiting: ServerSentEvent[] = [];
  let sequence = 0;
  let isEnded = false;
  let changed = Promise.withResolvers<void>();
  let taken = Promise.withResolvers<void>();

  function wake(): void {
    changed.resolve();
    changed = Promise.withResolvers();
  }

  function release(): void {
    taken.resolve();
    taken = Promise.withResolvers();
  }

  function drop(): void {
    isEnded = true;
    waiting.length = 0;
    release();
    wake();
  }

  async function write(events: readonly ResponseEvent[]): Promise<void> {
    if (isEnded || events.length === 0) return;
    for (const event of events) {
      sequence += 1;
      waiting.push(formatEvent(event, sequence));
    }
    wake();
    await taken.promise;
  }

  const events: AsyncIterableIterator<ServerSentEvent> = {
    [Symbol.asyncIterator]: () => events,
    async next() {
      for (;;) {
        const value = waiting.shift();
        if (value !== undefined) return { done: false, value };
        release();
        if (isEnded) return { done: true, value: undefined };
        await changed.promise;
      }
    },
    async return() {
      drop();
      return { done: true, value: undefined };
    },
  };
  // The response may not have begun to read the events.
  signal.addEventListener('abort', drop, { once: true });
  if (signal.aborted) drop();
  return {
    write,
    events,
    async end(last) {
      const written = write(last);
      isEnded = true;
      wake();
      await written;
    },
  };
}
