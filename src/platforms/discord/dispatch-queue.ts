import type { Dispatch } from './gateway-connection.ts';

/** Events that wait to be stored, each once and in the order of their sequence numbers. */
export interface DispatchQueue {
  add(dispatch: Dispatch): void;
  /** Resolves when there is something to take. */
  wait(): Promise<void>;
  take(maximum: number): Dispatch[];
  readonly size: number;
}

/** How long a missing sequence number is waited for. Discord sends events in order, and loses none. */
const GAP_MS = 200;

/** `after`: the sequence number of the last stored event. */
export function createDispatchQueue(after: number): DispatchQueue {
  const early = new Map<number, Dispatch>();
  const ready: Dispatch[] = [];
  let last = after;
  let waiting = Promise.withResolvers<void>();
  let timer: NodeJS.Timeout | undefined;

  function release(dispatch: Dispatch): void {
    early.delete(dispatch.sequence);
    last = dispatch.sequence;
    ready.push(dispatch);
    waiting.resolve();
  }

  function releaseNext(): void {
    for (let next = early.get(last + 1); next !== undefined; next = early.get(last + 1)) release(next);
    if (early.size === 0) clearTimeout(timer);
    else if (timer === undefined) timer = setTimeout(releaseAll, GAP_MS).unref();
    if (early.size === 0) timer = undefined;
  }

  function releaseAll(): void {
    timer = undefined;
    for (const dispatch of [...early.values()].sort((a, b) => a.sequence - b.sequence)) release(dispatch);
  }

  return {
    get size() {
      return ready.length + early.size;
    },
    add(dispatch) {
      if (dispatch.sequence <= last) return;
      early.set(dispatch.sequence, dispatch);
      releaseNext();
    },
    wait: () => (ready.length > 0 ? Promise.resolve() : waiting.promise),
    take(maximum) {
      const taken = ready.splice(0, maximum);
      if (ready.length === 0) waiting = Promise.withResolvers();
      return taken;
    },
  };
}
