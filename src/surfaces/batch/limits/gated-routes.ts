import { type Clock, ModelError, type ModelErrorKind, type ModelFailure } from '../../../base/index.ts';
import type { ModelAnswer, ModelClient, ModelRoute, RouteSource, StreamOptions } from '../../../contracts/index.ts';
import { createGate, type Gate, type GateOptions, givenUpError } from './gate.ts';

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
