import { type Clock, ModelError, type ModelErrorKind, type ModelFailure } from '../../../base/index.ts';
import type { ModelAnswer, ModelClient, ModelRoute, RouteSource, StreamOptions } from '../../../contracts/index.ts';
import { type BackOff, backOffDelay } from '../../../util/index.ts';

/** The gates of a run, one for each credential. */
export interface Gates {
  /** The same route, used by many agents at once. */
  behind(source: RouteSource): RouteSource;
  /** What everybody waits for now. */
  closed(): { until: number; reason: string } | undefined;
}

export type GateListeners = {
  onAnswer(answer: ModelAnswer): void;
  /** Nothing came through for as long as was to be waited. */
  onGivenUp(failure: ModelFailure): void;
};

/** What says that the provider has enough, or is not there: the others will meet it too. */
const SHARED: readonly ModelErrorKind[] = ['rate_limit', 'overloaded', 'connection', 'server_error'];
/** These may as well be about the one request, and are not tried for ever while others come through. */
const PERHAPS_OWN: readonly ModelErrorKind[] = ['connection', 'server_error'];
const MOST_OWN_TRIES = 4;

export function createGates(options: GateOptions & GateListeners): Gates {
  const gates = new Map<string, Gate>();
  const gateOf = (name: string): Gate => {
    const gate = gates.get(name) ?? createGate(options);
    gates.set(name, gate);
    return gate;
  };
  return {
    behind: (source) => gatedSource(source, { ...options, gateOf }),
    closed: () => [...gates.values()].map((gate) => gate.closed()).find((found) => found !== undefined),
  };
}

type GateParts = GateListeners & { gateOf(name: string): Gate };

/**
 * A route with a single key holds nothing of a session, so that all agents use one, with one set of connections. The
 * pool of several keys belongs to one agent, which changes keys by itself.
 */
function gatedSource(source: RouteSource, parts: GateParts): RouteSource {
  let first: Promise<ModelRoute> | undefined;
  const open = async (clock?: Clock) => gatedRoute(await source.open(clock), parts);
  return {
    ...source,
    async open(clock) {
      if (first === undefined) {
        first = open(clock);
        // What could not be opened is tried anew by the next one.
        first.catch(() => void (first = undefined));
        return first;
      }
      const route = await first;
      return route.credentials === undefined ? route : open(clock);
    },
  };
}

function gatedRoute(route: ModelRoute, { gateOf, onAnswer, onGivenUp }: GateParts): ModelRoute {
  const { client, provider, baseUrl, credentials } = route;
  const gate = () => gateOf(`${provider} ${baseUrl} ${credentials?.current() ?? ''}`);
  return {
    ...route,
    client: {
      ...client,
      async stream(request, options) {
        const begun = gate().successes();
        for (let tries = 1; ; tries += 1) {
          const isOwn = tries > MOST_OWN_TRIES && gate().successes() > begun;
          const outcome = await callOnce(client, { request, options, gate: gate(), isOwn, onGivenUp });
          if ('answer' in outcome) {
            onAnswer(outcome.answer);
            return outcome.answer;
          }
          // Another key is ready at once, where there is one.
          await credentials?.rotate(outcome.failure.kind, outcome.failure.retryAfterMs);
        }
      },
    },
  };
}

type Call = {
  request: Parameters<ModelClient['stream']>[0];
  options: StreamOptions;
  gate: Gate;
  /** Others came through meanwhile, so it seems to be about this request. */
  isOwn: boolean;
  onGivenUp: GateListeners['onGivenUp'];
};

/** An answer, or a failure after which it is worth trying again; throws all others. */
async function callOnce(client: ModelClient, call: Call): Promise<{ answer: ModelAnswer } | { failure: ModelFailure }> {
  const passage = await call.gate.enter(call.options.signal);
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
    if (failure !== undefined && passage.refused(failure)) return { failure };
    if (failure !== undefined) {
      call.onGivenUp(failure);
      throw givenUpError(failure);
    }
    passage.left();
    throw thrown;
  }
}

/** Undefined where it is for the agent to deal with: it knows more ways than to wait. */
function sharedFailure(thrown: unknown, isOwn: boolean): ModelFailure | undefined {
  if (!(thrown instanceof ModelError)) return undefined;
  const { failure } = thrown;
  if (!SHARED.includes(failure.kind)) return undefined;
  return isOwn && PERHAPS_OWN.includes(failure.kind) ? undefined : failure;
}

/**
 * The one way to a credential for all workers. After a refusal everybody waits, once and together, and fewer go at the
 * same time; each success lets a little more through.
 */
interface Gate {
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

interface Passage {
  succeeded(): void;
  /** It failed for a reason of its own, which says nothing about the others. */
  left(): void;
  /** True where it is worth waiting and trying again, false where the provider has been away for too long. */
  refused(failure: ModelFailure): boolean;
}

type GateOptions = {
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
function givenUpError(failure: ModelFailure): ModelError {
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
