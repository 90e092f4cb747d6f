import { type Clock, ModelError, type ModelErrorKind, type ModelFailure } from '../../../base/index.ts';
import type { ModelAnswer, ModelClient, ModelRoute, RouteSource, StreamOptions } from '../../../contracts/index.ts';
import { type BackOff, backOffDelay } from '../../../util/index.ts';

/** The rate limiters of a run, one for each credential. */
export interface RateLimiters {
  /** Wraps a route with its rate limiter, for many concurrent agents. */
  wrap(source: RouteSource): RouteSource;
  /** The pause that calls are waiting for; undefined if there is none. */
  pause(): { until: number; reason: string } | undefined;
}

export type RateLimiterListeners = {
  onAnswer(answer: ModelAnswer): void;
  /** Called when no call has succeeded within `maxWaitMs`. */
  onGivenUp(failure: ModelFailure): void;
};

/** Errors that affect all calls: rate limits and outages. */
const SHARED_ERRORS: readonly ModelErrorKind[] = ['rate_limit', 'overloaded', 'connection', 'server_error'];
/** Errors that the request itself may cause. Such a request is not retried forever while other calls succeed. */
const MAYBE_OWN_ERRORS: readonly ModelErrorKind[] = ['connection', 'server_error'];
const MAX_OWN_ATTEMPTS = 4;

export function createRateLimiters(options: RateLimiterOptions & RateLimiterListeners): RateLimiters {
  const gates = new Map<string, RateLimiter>();
  const gateOf = (name: string): RateLimiter => {
    const gate = gates.get(name) ?? createRateLimiter(options);
    gates.set(name, gate);
    return gate;
  };
  return {
    wrap: (source) => limitSource(source, { ...options, gateOf }),
    pause: () => [...gates.values()].map((gate) => gate.pause()).find((found) => found !== undefined),
  };
}

type RateLimiterParts = RateLimiterListeners & { gateOf(name: string): RateLimiter };

/**
 * A route with a single key has no session state, so all agents share one route and its connections. A route with a
 * pool of keys belongs to one agent, which rotates the keys itself.
 */
function limitSource(source: RouteSource, parts: RateLimiterParts): RouteSource {
  let first: Promise<ModelRoute> | undefined;
  const open = async (clock?: Clock) => limitRoute(await source.open(clock), parts);
  return {
    ...source,
    async open(clock) {
      if (first === undefined) {
        first = open(clock);
        // After a failed open, the next caller tries again.
        first.catch(() => void (first = undefined));
        return first;
      }
      const route = await first;
      return route.credentials === undefined ? route : open(clock);
    },
  };
}

function limitRoute(route: ModelRoute, { gateOf, onAnswer, onGivenUp }: RateLimiterParts): ModelRoute {
  const { client, provider, baseUrl, credentials } = route;
  const gate = () => gateOf(`${provider} ${baseUrl} ${credentials?.current() ?? ''}`);
  return {
    ...route,
    client: {
      ...client,
      async stream(request, options) {
        const begun = gate().successes();
        for (let tries = 1; ; tries += 1) {
          const isOwn = tries > MAX_OWN_ATTEMPTS && gate().successes() > begun;
          const outcome = await callOnce(client, { request, options, gate: gate(), isOwn, onGivenUp });
          if ('answer' in outcome) {
            onAnswer(outcome.answer);
            return outcome.answer;
          }
          // The pool can switch to another key immediately.
          await credentials?.rotate(outcome.failure.kind, outcome.failure.retryAfterMs);
        }
      },
    },
  };
}

type Call = {
  request: Parameters<ModelClient['stream']>[0];
  options: StreamOptions;
  gate: RateLimiter;
  /** True if other calls succeeded meanwhile, so that the request itself seems to be the cause. */
  isOwn: boolean;
  onGivenUp: RateLimiterListeners['onGivenUp'];
};

/** Returns an answer or a retryable failure; throws other errors. */
async function callOnce(client: ModelClient, call: Call): Promise<{ answer: ModelAnswer } | { failure: ModelFailure }> {
  const passage = await call.gate.acquire(call.options.signal);
  let said = false;
  const onEvent: StreamOptions['onEvent'] = (event) => {
    said = true;
    call.options.onEvent(event);
  };
  try {
    const answer = await client.stream(call.request, { ...call.options, onEvent });
    passage.succeeded();
    return { answer };
  } catch (thrown) {
    const failure = said ? undefined : sharedFailure(thrown, call.isOwn);
    if (failure !== undefined && passage.rateLimited(failure)) return { failure };
    if (failure !== undefined) {
      call.onGivenUp(failure);
      throw givenUpError(failure);
    }
    passage.failedAlone();
    throw thrown;
  }
}

/** Returns undefined for errors that the agent recovers from itself. */
function sharedFailure(thrown: unknown, isOwn: boolean): ModelFailure | undefined {
  if (!(thrown instanceof ModelError)) return undefined;
  const { failure } = thrown;
  if (!SHARED_ERRORS.includes(failure.kind)) return undefined;
  return isOwn && MAYBE_OWN_ERRORS.includes(failure.kind) ? undefined : failure;
}

/**
 * Limits the concurrency of one credential for all workers. After a rate-limit error all calls wait and the
 * concurrency is halved; each success increases it a little.
 */
interface RateLimiter {
  /**
   * Resolves when a call may be made, with functions to report its outcome. All waiting calls reject when Hermes
   * stops using the provider.
   */
  acquire(signal: AbortSignal): Promise<Permit>;
  /** Until when calls are paused and why; undefined if they are not. */
  pause(): { until: number; reason: string } | undefined;
  /** Number of successful calls. */
  successes(): number;
}

interface Permit {
  succeeded(): void;
  /** The call failed for a reason that does not affect other calls. */
  failedAlone(): void;
  /** Returns whether to wait and retry; false if the provider has been unavailable for too long. */
  rateLimited(failure: ModelFailure): boolean;
}

type RateLimiterOptions = {
  clock: Clock;
  /** How long calls may fail without a success before Hermes stops using the provider. */
  maxWaitMs: number;
  backOff?: BackOff;
  random?: () => number;
};

const BACK_OFF: BackOff = { baseMs: 2_000, maxMs: 60_000 };

type State = {
  /** Running calls. */
  running: number;
  /** Current concurrency limit. */
  limit: number;
  /** The failures since the last success; concurrent ones count once. */
  refusals: number;
  openAt: number;
  /** The number of pauses. A failure of a call that started before the latest pause is not counted again. */
  waits: number;
  /** Time of the first failure since the last success. */
  failingSince: number | undefined;
  reason: string;
  /** The failure after which Hermes stopped using the provider. */
  givenUp: ModelFailure | undefined;
  successes: number;
};

export function createRateLimiter(options: RateLimiterOptions): RateLimiter {
  const { clock } = options;
  const state: State = {
    running: 0,
    limit: Infinity,
    refusals: 0,
    openAt: 0,
    waits: 0,
    failingSince: undefined,
    reason: '',
    givenUp: undefined,
    successes: 0,
  };
  let changed = Promise.withResolvers<void>();
  const change = (act: () => void) => {
    act();
    changed.resolve();
    changed = Promise.withResolvers();
  };
  return {
    async acquire(signal) {
      while (state.givenUp === undefined && (clock.now() < state.openAt || state.running >= state.limit)) {
        signal.throwIfAborted();
        // Checked again after the wait, because the pause may have been extended.
        await untilChange(changed.promise, signal, { clock, waitMs: state.openAt - clock.now() });
      }
      signal.throwIfAborted();
      if (state.givenUp !== undefined) throw givenUpError(state.givenUp);
      state.running += 1;
      return createPermit(options, state, change);
    },
    pause: () => (clock.now() < state.openAt ? { until: state.openAt, reason: state.reason } : undefined),
    successes: () => state.successes,
  };
}

function createPermit(options: RateLimiterOptions, state: State, change: (act: () => void) => void): Permit {
  const { clock, maxWaitMs } = options;
  const { waits } = state;
  return {
    succeeded: () =>
      change(() => {
        state.running -= 1;
        state.successes += 1;
        state.refusals = 0;
        state.failingSince = undefined;
        state.givenUp = undefined;
        // Additive increase: one more slot per round of successes.
        state.limit += 1 / state.limit;
      }),
    failedAlone: () => change(() => void (state.running -= 1)),
    rateLimited(failure) {
      const now = clock.now();
      change(() => {
        noteRefusal(options, state, { failure, waits, now });
        const away = now - (state.failingSince ?? now) + (failure.retryAfterMs ?? 0);
        if (away >= maxWaitMs) state.givenUp = failure;
      });
      return state.givenUp === undefined;
    },
  };
}

type Refusal = { failure: ModelFailure; waits: number; now: number };

function noteRefusal(options: RateLimiterOptions, state: State, { failure, waits, now }: Refusal): void {
  const { retryAfterMs, message } = failure;
  // Concurrent calls that fail together count as one failure.
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

/** Not retryable, so that the agent ends the turn. */
function givenUpError(failure: ModelFailure): ModelError {
  return new ModelError({ ...failure, retryable: false });
}

/** Waits for a change, or at most `waitMs` if that is positive. */
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
