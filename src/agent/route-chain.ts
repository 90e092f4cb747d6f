import { type Clock, errorMessage, HermesError } from '../base/index.ts';
import type { Logger, ModelRoute, ParameterChange, RouteSource } from '../contracts/index.ts';

/** What was learnt about a route by using it; kept as long as the agent lives. */
export type RouteLessons = {
  streamRefused: boolean;
  parameterChanges: ParameterChange[];
  contextLimit: number | undefined;
};

export type FallbackStep = { from: string; to: string };

/** The routes of an agent and which of them is in use. */
export interface RouteChain {
  /** Goes back to the primary, unless it is known not to be ready yet, and opens what is in use. */
  beginTurn(onFallback: (step: FallbackStep, reason: string) => void): Promise<void>;
  current(): ModelRoute;
  /** The names of the route in use, opened or not. */
  describe(): { provider: string; model: string };
  lessons(): RouteLessons;
  hasFallback(): boolean;
  /** Moves on to the next route that opens; undefined where none is left. */
  fallBack(): Promise<FallbackStep | undefined>;
  /** Keeps later turns off the current route until then. */
  restUntil(timestamp: number): void;
}

export function createRouteChain(sources: readonly RouteSource[], clock: Clock, logger: Logger): RouteChain {
  const links = sources.map(createLink);
  let position = 0;
  const here = () => links[position];

  async function moveOn(): Promise<FallbackStep | undefined> {
    const from = nameOf(here());
    for (const [index, link] of links.entries()) {
      if (index <= position) continue;
      try {
        await link.open();
        position = index;
        return { from, to: nameOf(link) };
      } catch (cause) {
        logger.warn('fallback could not be opened', { route: nameOf(link), error: errorMessage(cause) });
      }
    }
    return undefined;
  }

  return {
    async beginTurn(onFallback) {
      position = Math.max(
        links.findIndex((link) => link.restingUntil <= clock.now()),
        0,
      );
      const link = here();
      if (!link) throw new HermesError('No model is configured.', { hint: 'Run `hermes setup`.' });
      try {
        await link.open();
      } catch (cause) {
        const step = await moveOn();
        if (!step) throw cause;
        onFallback(step, errorMessage(cause));
      }
    },
    current() {
      const route = here()?.route;
      if (!route) throw new Error('the route chain is used before the turn began');
      return route;
    },
    describe() {
      const { provider = 'none', model = 'none' } = here()?.source ?? {};
      return { provider, model };
    },
    lessons: () => here()?.lessons ?? noLessons(),
    hasFallback: () => position + 1 < links.length,
    fallBack: moveOn,
    restUntil(timestamp) {
      const link = here();
      if (link) link.restingUntil = timestamp;
    },
  };
}

/** One route of the chain: opened when it is first needed, and all that was learnt about it since. */
type Link = {
  source: RouteSource;
  route: ModelRoute | undefined;
  lessons: RouteLessons;
  restingUntil: number;
  open(): Promise<void>;
};

function createLink(source: RouteSource): Link {
  const link: Link = {
    source,
    route: undefined,
    lessons: noLessons(),
    restingUntil: 0,
    async open() {
      link.route ??= await source.open();
    },
  };
  return link;
}

function noLessons(): RouteLessons {
  return { streamRefused: false, parameterChanges: [], contextLimit: undefined };
}

function nameOf(link: Link | undefined): string {
  return link ? `${link.source.provider}/${link.source.model}` : 'none';
}
