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

  async function next(): Promise<IteratorResult<Event, undefined>> {
    for (;;) {
      if (!reading) return { done: true, value: undefined };
      const event = queue.shift() ?? last;
      if (event !== undefined) {
        if (event === last) leave();
        return { done: false, value: event };
      }
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  }

  function leave(): void {
    reading = false;
    queue.length = 0;
    wake?.();
  }

  async function stop(): Promise<IteratorResult<Event, undefined>> {
    leave();
    return { done: true, value: undefined };
  }

  return {
    push,
    [Symbol.asyncIterator]() {
      if (reading) throw new Error('a run has one reader; share its events instead of reading twice');
      // Reading counts from here, not from the first `next()`, so that nothing between the two is lost.
      reading = true;
      return { next, return: stop };
    },
  };
}
