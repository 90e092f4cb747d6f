import { HermesError } from '../../base/index.ts';

type Waiter = { ready: () => boolean; settle: () => void; reject: (error: Error) => void };

/** Things as they happen, for tests that wait for them instead of for time. */
export type ArrivalLog<Entry> = {
  readonly entries: Entry[];
  add(entry: Entry): void;
  /** Each entry once, in order: the next one not yet taken, as soon as it is there. */
  next(): Promise<Entry>;
  /** The first `count` entries, as soon as there are that many. */
  waitFor(count: number): Promise<Entry[]>;
  /** Nothing more will come: whoever still waits is told. */
  close(): void;
};

export function createArrivalLog<Entry>(what: string): ArrivalLog<Entry> {
  const entries: Entry[] = [];
  const waiters = new Set<Waiter>();
  let taken = 0;
  let closed = false;
  const waitFor = (count: number): Promise<Entry[]> =>
    new Promise((resolve, reject) => {
      const waiter = { ready: () => entries.length >= count, settle: () => resolve(entries.slice(0, count)), reject };
      if (waiter.ready()) waiter.settle();
      else if (closed) reject(closedError(what, count, entries.length));
      else waiters.add(waiter);
    });
  // Counting what was taken instead of removing it keeps the whole log for later assertions.
  return {
    entries,
    waitFor,
    add(entry) {
      entries.push(entry);
      for (const waiter of [...waiters].filter(({ ready }) => ready())) {
        waiters.delete(waiter);
        waiter.settle();
      }
    },
    async next() {
      taken += 1;
      return (await waitFor(taken)).at(-1) as Entry;
    },
    close() {
      closed = true;
      for (const waiter of waiters) waiter.reject(closedError(what, undefined, entries.length));
      waiters.clear();
    },
  };
}

function closedError(what: string, wanted: number | undefined, had: number): Error {
  const missing = wanted === undefined ? 'a further one' : `${wanted}`;
  return new HermesError(`The provider server was closed after ${had} ${what}, while a test waited for ${missing}.`);
}
