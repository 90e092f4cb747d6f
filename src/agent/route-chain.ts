import { type AttachmentKind, type Clock, errorMessage, HermesError } from '../base/index.ts';
import type { Logger, ModelRoute, ParameterChange, RouteSource } from '../contracts/index.ts';

/** What was learnt about a route by using it; kept as long as the agent lives. */
export type RouteLessons = {
  streamRefused: boolean;
  parameterChanges: ParameterChange[];
  contextLimit: number | undefined;
  /** Kinds of attachments that the model cannot read, and single ones that its provider did not take. */
  unreadable: Set<AttachmentKind>;
  refusedBlobs: Set<string>;
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
  /** Moves on to the next route that opens; undefined where none is left. The one left behind rests until then. */
  fallBack(restUntil?: number): Promise<FallbackStep | undefined>;
}

export function createRouteChain(sources: readonly RouteSource[], clock: Clock, logger: Logger): RouteChain {
  const links = sources.map(createLink);
  let position = 0;
  const here = () => links[position];

  /** Takes the first of these routes that opens. */
  async function moveTo(indexes: readonly number[]): Promise<FallbackStep | undefined> {
    const from = nameOf(here());
    for (const index of indexes) {
      const link = links[index] as Link;
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
      const [first, ...others] = startingOrder(links, clock.now());
      if (first === undefined) throw new HermesError('No model is configured.', { hint: 'Run `hermes setup`.' });
      position = first;
      try {
        await here()?.open();
      } catch (cause) {
        const step = await moveTo(others);
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
    async fallBack(restUntil = 0) {
      const left = here();
      const step = await moveTo([...links.keys()].slice(position + 1));
      if (step && left) left.restingUntil = restUntil;
      return step;
    },
  };
}

/** The order of the chain, with those at the end that are known not to be ready yet. */
function startingOrder(links: readonly Link[], now: number): number[] {
  const isResting = (index: number) => (links[index]?.restingUntil ?? 0) > now;
  const indexes = [...links.keys()];
  return [...indexes.filter((index) => !isResting(index)), ...indexes.filter(isResting)];
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
  const learnt = { unreadable: new Set<AttachmentKind>(), refusedBlobs: new Set<string>() };
  return { streamRefused: false, parameterChanges: [], contextLimit: undefined, ...learnt };
}

function nameOf(link: Link | undefined): string {
  return link ? `${link.source.provider}/${link.source.model}` : 'none';
}
