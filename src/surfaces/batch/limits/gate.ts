import { type Clock, ModelError, type ModelFailure } from '../../../base/index.ts';
import { type BackOff, backOffDelay } from '../../../util/index.ts';

/**
 * The one way to a credential for all workers. After a refusal everybody waits, once and together, and fewer go at the
 * same time; each success lets a little more through.
 */
export interface Gate {
  /**
   * Resolves when a call may be made. What it returns says how the call ended. Rejects for everybody who waits when the
   * provider is given up.
   */
  enter(signal: AbortSignal): Promise<Passage>;
  /** Until when nobody may go, and why; undefined where the way is free. */
  closed(): { until: number; reason: string } | undefined;
  /** How many calls have come through so far. */
  successes(): number;
}

export interface Passage {
  succeeded(): void;
  /** It failed for a reason of its own, which says nothing about the others. */
  left(): void;
  /** True where it is worth waiting and trying again, false where the provider has been away for too long. */
  refused(failure: ModelFailure): boolean;
}

export type GateOptions = {
  clock: Clock;
  /** How long nothing may come through before the provider is given up. */
  patienceMs: number;
  backOff?: BackOff;
  random?: () => number;
};

const BACK_OFF: BackOff = { baseMs: 2_000, maxMs: 60_000 };

type State = {
  /** Calls under way. */
  running: number;
  /** How many of them there may be. */
  limit: number;
  /** Refusals that counted since the last success. */
  refusals: number;
  openAt: number;
  /** How many waits there were: what was sent before the newest one says nothing new. */
  waits: number;
  /** The first refusal since the last success. */
  failingSince: number | undefined;
  reason: string;
  /** What it was given up for. */
  givenUp: ModelFailure | undefined;
  successes: number;
};

export function createGate(options: GateOptions): Gate {
  const { clock } = options;
  const state: State = {
    ...{ running: 0, limit: Infinity, refusals: 0, openAt: 0, waits: 0 },
    ...{ failingSince: undefined, reason: '', givenUp: undefined, successes: 0 },
  };
  let changed = Promise.withResolvers<void>();
  const change = (act: () => void) => {
    act();
    changed.resolve();
    changed = Promise.withResolvers();
  };
  return {
    async enter(signal) {
      while (state.givenUp === undefined && (clock.now() < state.openAt || state.running >= state.limit)) {
        signal.throwIfAborted();
        // Whoever waits for time looks again then: it may have been put off.
        await untilChange(changed.promise, signal, { clock, waitMs: state.openAt - clock.now() });
      }
      signal.throwIfAborted();
      if (state.givenUp !== undefined) throw givenUpError(state.givenUp);
      state.running += 1;
      return createPassage(options, state, change);
    },
    closed: () => (clock.now() < state.openAt ? { until: state.openAt, reason: state.reason } : undefined),
    successes: () => state.successes,
  };
}

function createPassage(options: GateOptions, state: State, change: (act: () => void) => void): Passage {
  const { clock, patienceMs } = options;
  const { waits } = state;
  return {
    succeeded: () =>
      change(() => {
        state.running -= 1;
        state.successes += 1;
        state.refusals = 0;
        state.failingSince = undefined;
        state.givenUp = undefined;
        // One more for each round that went well, so that the limit is felt for and not run into.
        state.limit += 1 / state.limit;
      }),
    left: () => change(() => void (state.running -= 1)),
    refused(failure) {
      const now = clock.now();
      change(() => {
        noteRefusal(options, state, { failure, waits, now });
        const away = now - (state.failingSince ?? now) + (failure.retryAfterMs ?? 0);
        if (away >= patienceMs) state.givenUp = failure;
      });
      return state.givenUp === undefined;
    },
  };
}

type Refusal = { failure: ModelFailure; waits: number; now: number };

function noteRefusal(options: GateOptions, state: State, { failure, waits, now }: Refusal): void {
  const { retryAfterMs, message } = failure;
  // Those that were under way together are refused together: that is one refusal.
  const isNew = waits === state.waits;
  if (isNew) {
    state.refusals += 1;
    state.limit = Math.max(1, Math.floor(Math.min(state.limit, state.running) / 2));
    state.waits += 1;
  }
  state.running -= 1;
  state.failingSince ??= now;
  state.reason = message;
  const waitMs =
    retryAfterMs ?? (isNew ? backOffDelay(state.refusals, options.backOff ?? BACK_OFF, options.random) : 0);
  state.openAt = Math.max(state.openAt, now + waitMs);
}

/** Nothing is tried again after it: the agent would wait in vain. */
export function givenUpError(failure: ModelFailure): ModelError {
  return new ModelError({ ...failure, retryable: false });
}

/** Until something has changed or, where there is a time, until it is over. */
async function untilChange(changed: Promise<void>, signal: AbortSignal, time: { clock: Clock; waitMs: number }) {
  const woken = new AbortController();
  const wake = () => woken.abort();
  signal.addEventListener('abort', wake, { once: true });
  void changed.then(wake);
  if (time.waitMs > 0) await time.clock.sleep(time.waitMs, woken.signal).catch(() => undefined);
  else await aborted(woken.signal);
  signal.removeEventListener('abort', wake);
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
