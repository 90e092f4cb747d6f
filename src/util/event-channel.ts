export type EventChannelOptions<Event> = {
  /** Joins an event to the newest one still queued for a reader; undefined if the two cannot be joined. */
  merge(queued: Event, next: Event): Event | undefined;
  isLast(event: Event): boolean;
  /** Whether an event may be dropped for a reader that has fallen behind. */
  isDroppable?(event: Event): boolean;
};

export type ReaderOptions = {
  /** Once this many events are queued for the reader, the droppable ones among them are dropped. */
  maxQueued?: number;
};

/** Reads events from a queue of its own, which receives all events from the creation of the reader on. */
export interface EventReader<Event> extends AsyncIterator<Event, undefined> {
  /** Returns and removes all queued events without waiting. */
  drain(): Event[];
}

/** Each iterator over a channel is a reader. */
export interface EventChannel<Event> extends AsyncIterable<Event> {
  push(event: Event): void;
  read(options?: ReaderOptions): EventReader<Event>;
}

const DEFAULT_MAX_QUEUED = 10_000;

type Reader<Event> = EventReader<Event> & { push(event: Event): void };

/**
 * Delivers events to any number of readers and never blocks the writer. Nothing is queued without a reader, and
 * queues stay short because deltas are merged. The last event is stored, so that a late reader still receives it.
 */
export function createEventChannel<Event>(options: EventChannelOptions<Event>): EventChannel<Event> {
  const readers = new Set<Reader<Event>>();
  let last: Event | undefined;

  function read(readerOptions: ReaderOptions = {}): EventReader<Event> {
    // The reader is registered here and not by the first `next()`, so that no event in between is lost.
    const reader = createReader(options, readerOptions, () => readers.delete(reader));
    if (last === undefined) readers.add(reader);
    else reader.push(last);
    return reader;
  }

  return {
    push(event) {
      if (last !== undefined) return;
      if (options.isLast(event)) last = event;
      for (const reader of readers) reader.push(event);
      if (last !== undefined) readers.clear();
    },
    read,
    [Symbol.asyncIterator]: () => read(),
  };
}

function createReader<Event>(
  { merge, isLast, isDroppable = () => false }: EventChannelOptions<Event>,
  { maxQueued = DEFAULT_MAX_QUEUED }: ReaderOptions,
  onClosed: () => void,
): Reader<Event> {
  let queue: Event[] = [];
  /** Whether the queue may contain droppable events, so that a full queue without any is not searched for them. */
  let hasDroppable = false;
  let open = true;
  let wake: (() => void) | undefined;

  function close(): void {
    open = false;
    queue = [];
    onClosed();
    wake?.();
  }

  return {
    push(event) {
      const newest = queue.at(-1);
      const merged = newest === undefined ? undefined : merge(newest, event);
      if (merged === undefined) queue.push(event);
      else queue[queue.length - 1] = merged;
      hasDroppable ||= isDroppable(event);
      if (queue.length > maxQueued && hasDroppable) {
        queue = queue.filter((queued) => !isDroppable(queued));
        hasDroppable = false;
      }
      wake?.();
    },
    async next() {
      for (;;) {
        if (!open) return { done: true, value: undefined };
        const event = queue.shift();
        if (event !== undefined) {
          if (isLast(event)) close();
          return { done: false, value: event };
        }
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
    drain: () => queue.splice(0),
    async return() {
      close();
      return { done: true, value: undefined };
    },
  };
}
