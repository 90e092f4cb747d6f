import { type Clock, errorMessage, HermesError, type JsonObject } from '../../../base/index.ts';
import type { ApiStore, Logger, StoredEvent } from '../../../contracts/index.ts';
import { abortable } from '../../../util/index.ts';
import { hasDied, processName } from '../../../util/process-name.ts';

/**
 * Streams of events that clients can resume. An event is stored before any client gets it, so its sequence number is an
 * id that stays valid after a restart: no event that was sent is missed or repeated.
 */
export interface EventStreams {
  /** Creates a stream that this process writes. */
  create(id: string): Promise<EventWriter>;
  /**
   * The stored events after a sequence number and those that follow, until the stream ends or the signal is aborted.
   * A stream whose process died is ended first.
   */
  read(id: string, after: number, options: ReadOptions): AsyncGenerator<StoredEvent>;
  /**
   * Ends a stream whose process died, with the events that `conclude` returns. Returns true if this call has ended it.
   */
  settle(id: string, conclude: Conclude): Promise<boolean>;
  /** Undefined if there is no such stream. */
  isEnded(id: string): Promise<boolean | undefined>;
}

export interface EventWriter {
  /** Stores events. Resolves when readers can get them; rejects if another process has ended the stream. */
  write(...events: readonly JsonObject[]): Promise<void>;
  /** Stores the last events and ends the stream. */
  end(...events: readonly JsonObject[]): Promise<void>;
}

/** The last events of a stream whose process died. It gets all events that were stored. */
export type Conclude = (stored: readonly StoredEvent[]) => readonly JsonObject[];

export type ReadOptions = { signal: AbortSignal; conclude: Conclude };

export type EventStreamOptions = { store: ApiStore; clock: Clock; logger: Logger };

/** How long a writer that is not renewed counts as alive, where its process cannot be looked up. */
const TTL_MS = 30_000;
const RENEWALS = 3;
/** How often readers look for events of other processes. */
const POLL_MS = 500;
const PAGE = 200;

export function createEventStreams({ store, clock, logger }: EventStreamOptions): EventStreams {
  const holder = processName();
  const live = createWakers();

  async function renew(id: string, done: AbortSignal): Promise<void> {
    for (;;) {
      try {
        await clock.sleep(TTL_MS / RENEWALS, done);
        await store.renewStream(id, holder, TTL_MS);
      } catch (thrown) {
        if (done.aborted) return;
        logger.warn('could not renew a stream', { id, reason: errorMessage(thrown) });
      }
    }
  }

  async function settle(id: string, conclude: Conclude): Promise<boolean> {
    const stream = await store.getStream(id);
    if (stream === undefined || stream.isEnded || live.has(id)) return false;
    // A stream of this process that has no writer failed to be ended.
    const isDead = stream.holder === holder || (hasDied(stream.holder) ?? stream.isExpired);
    if (!isDead) return false;
    const last = conclude(await readAll(store, id));
    return store.appendEvents(id, stream.holder, last, true);
  }

  return {
    settle,
    isEnded: async (id) => (await store.getStream(id))?.isEnded,
    async create(id) {
      await store.addStream(id, holder, clock.now(), TTL_MS);
      const done = new AbortController();
      live.open(id);
      void renew(id, done.signal);
      async function append(events: readonly JsonObject[], end: boolean): Promise<void> {
        if (!(await store.appendEvents(id, holder, events, end)))
          throw new HermesError(`The stream ${id} was ended by another process.`);
        live.wake(id);
      }
      return {
        write: (...events) => append(events, false),
        async end(...events) {
          try {
            await append(events, true);
          } finally {
            done.abort();
            live.close(id);
          }
        },
      };
    },
    async *read(id, after, { signal, conclude }) {
      await settle(id, conclude);
      for (let last = after; !signal.aborted; ) {
        // Asked before the events are read, so that an event that is stored meanwhile is not waited for.
        const changed = live.changed(id);
        const isEnded = (await store.getStream(id))?.isEnded ?? true;
        const page = await store.readEvents(id, last, PAGE);
        yield* page;
        last = page.at(-1)?.sequence ?? last;
        if (page.length > 0) continue;
        if (isEnded) return;
        await waitFor(changed, { clock, signal });
        if (changed === undefined) await settle(id, conclude);
      }
    },
  };
}

async function readAll(store: ApiStore, id: string): Promise<StoredEvent[]> {
  const events: StoredEvent[] = [];
  for (;;) {
    const page = await store.readEvents(id, events.at(-1)?.sequence ?? 0, PAGE);
    if (page.length === 0) return events;
    events.push(...page);
  }
}

/** Waits for an event of this process, or for a while if another process writes the stream. */
async function waitFor(
  changed: Promise<void> | undefined,
  { clock, signal }: { clock: Clock; signal: AbortSignal },
): Promise<void> {
  if (changed !== undefined) await abortable(changed, signal).catch(() => undefined);
  else await clock.sleep(POLL_MS, signal).catch(() => undefined);
}

/** Wakes the readers of the streams that this process writes. */
function createWakers() {
  const streams = new Map<string, PromiseWithResolvers<void>>();
  return {
    has: (id: string) => streams.has(id),
    open: (id: string) => void streams.set(id, Promise.withResolvers()),
    /** Resolves with the next event; undefined if this process does not write the stream. */
    changed: (id: string) => streams.get(id)?.promise,
    wake(id: string): void {
      streams.get(id)?.resolve();
      streams.set(id, Promise.withResolvers());
    },
    close(id: string): void {
      streams.get(id)?.resolve();
      streams.delete(id);
    },
  };
}
