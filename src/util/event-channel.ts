export type EventChannelOptions<Event> = {
  /** Joins an event to the newest one still waiting, where they can be one; undefined where they cannot. */
  merge(waiting: Event, next: Event): Event | undefined;
  isLast(event: Event): boolean;
};

export interface EventChannel<Event> extends AsyncIterable<Event> {
  push(event: Event): void;
}

/**
 * Hands events to one reader without ever making the writer wait. Nothing is queued while there is no reader; what is
 * queued stays small because deltas merge. The last event is kept, so that a late reader still gets it.
 */
export function createEventChannel<Event>(options: EventChannelOptions<Event>): EventChannel<Event> {
  const queue: Event[] = [];
  let last: Event | undefined;
  let reading = false;
  let wake: (() => void) | undefined;

  function push(event: Event): void {
    if (last !== undefined) return;
    if (options.isLast(event)) last = event;
    if (!reading) return;
    const waiting = queue.at(-1);
    const merged = waiting === undefined ? undefined : options.merge(waiting, event);
    if (merged === undefined) queue.push(event);
    else queue[queue.length - 1] = merged;
    wake?.();
  }

  async function* read(): AsyncGenerator<Event, void, undefined> {
    try {
      for (;;) {
        const event = queue.shift();
        if (event !== undefined) {
          yield event;
          if (event === last) return;
        } else if (last !== undefined) {
          yield last;
          return;
        } else {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
          wake = undefined;
        }
      }
    } finally {
      reading = false;
      queue.length = 0;
    }
  }

  return {
    push,
    [Symbol.asyncIterator]() {
      if (reading) throw new Error('a run has one reader; share its events instead of reading twice');
      // Reading counts from here, not from the first `next()`, so that nothing between the two is lost.
      reading = true;
      return read();
    },
  };
}
