import { type AttachmentKind, type Clock, errorMessage, HermesError } from '../base/index.ts';
import type {
  Logger,
  MarkerLevel,
  ModelRoute,
  ParameterChange,
  RouteSource,
  UnusedMarkers,
} from '../contracts/index.ts';

/** What the agent learned about a route by using it; kept for the life of the agent. */
export type LearnedRouteFacts = {
  streamRefused: boolean;
  parameterChanges: ParameterChange[];
  contextLimit: number | undefined;
  /** Lowered output limits: what the model accepts, and what the account can pay for. */
  outputLimit: number | undefined;
  affordableOutput: number | undefined;
  /** The provider rejects an answer schema, always or in combination with tools. */
  schemaRefused: boolean;
  markers: LearnedMarkerFacts;
  /** Attachment kinds that the model cannot read, and single attachments that the provider rejected. */
  unreadable: Set<AttachmentKind>;
  refusedBlobs: Set<string>;
};

/** What the agent learned about the cache markers of a route. */
export type LearnedMarkerFacts = {
  /** The level to use; undefined for the saved one, or the highest. */
  level: MarkerLevel | undefined;
  /** Usage has shown that all markers of that level have an effect. */
  isConfirmed: boolean;
  /** Whether that level follows from a refusal. It is saved as soon as a request with it is accepted. */
  isUnsaved: boolean;
  /** What requests with markers contained that were accepted: only text, or tool results too. */
  accepted: 'text' | 'results' | undefined;
  /** How often in a row markers that were tried had no effect. */
  ignored: number;
  /** The endpoint rejects the lifetime of an hour. */
  longTtlRefused: boolean;
  unused: UnusedMarkers | undefined;
};

export type FallbackStep = { from: string; to: string };
export type RouteName = { provider: string; model: string };

/** The routes of an agent, and which one is in use. */
export interface RouteChain {
  /** Returns to the primary route, unless it is in cooldown, and opens the route to use. */
  beginTurn(onFallback: (step: FallbackStep, reason: string) => void): Promise<void>;
  current(): ModelRoute;
  /** Provider and model of the route in use, even if it is not open yet. */
  describe(): RouteName;
  /** Provider and model of the primary route, which the user chose. */
  primary(): RouteName;
  /** Replaces all routes and forgets what was learned about the old ones. */
  replace(sources: readonly RouteSource[]): void;
  learned(): LearnedRouteFacts;
  hasFallback(): boolean;
  /**
   * Switches to the next route that opens, and puts the current one into cooldown until `restUntil`. Returns
   * undefined if no route is left.
   */
  fallBack(restUntil?: number): Promise<FallbackStep | undefined>;
}

export function createRouteChain(sources: readonly RouteSource[], clock: Clock, logger: Logger): RouteChain {
  const open = (all: readonly RouteSource[]) => all.map((source) => createLink(source, clock));
  let links = open(sources);
  let position = 0;
  /**
   * The last announced fallback at the start of a turn, so that a route that stays unavailable is announced only
   * once.
   */
  let announced = '';
  const here = () => links[position];

  /** Switches to the first usable route among the candidates. */
  async function moveTo(candidates: readonly number[]): Promise<{ moved: boolean; passedOver?: SkippedRoute }> {
    const { index, passedOver } = await findUsable(links, candidates, clock, logger);
    position = index ?? position;
    return { moved: index !== undefined, passedOver };
  }

  return {
    async beginTurn(onFallback) {
      if (links.length === 0) throw new HermesError('No model is configured.', { hint: 'Run `hermes setup`.' });
      position = 0;
      const { moved, passedOver } = await moveTo([...links.keys()]);
      if (!moved) throw passedOver?.cause;
      if (passedOver === undefined || passedOver.link === here()) return;
      const step = { from: nameOf(passedOver.link), to: nameOf(here()) };
      const reason = reasonOf(passedOver.cause);
      if (announced !== `${step.to}: ${reason}`) onFallback(step, reason);
      announced = `${step.to}: ${reason}`;
    },
    current() {
      const route = here()?.route;
      if (!route) throw new Error('the route chain was used before the turn began');
      return route;
    },
    describe: () => namesOf(here()),
    primary: () => namesOf(links[0]),
    replace(others) {
      links = open(others);
      position = 0;
      announced = '';
    },
    learned: () => here()?.learned ?? noLearnedFacts(),
    hasFallback: () => position + 1 < links.length,
    async fallBack(restUntil = 0) {
      const left = here();
      const { moved } = await moveTo([...links.keys()].slice(position + 1));
      if (!moved) return undefined;
      if (left) left.cooldownUntil = restUntil;
      return { from: nameOf(left), to: nameOf(here()) };
    },
  };
}

/** A skipped route and the reason, if it was not announced yet. */
type SkippedRoute = { link: Link; cause: unknown };

/** Returns the first candidate that opens and is not in cooldown, otherwise the first that opens at all. */
async function findUsable(
  links: readonly Link[],
  candidates: readonly number[],
  clock: Clock,
  logger: Logger,
): Promise<{ index?: number; passedOver?: SkippedRoute }> {
  const resting: number[] = [];
  let passedOver: SkippedRoute | undefined;
  for (const index of candidates) {
    const link = links[index] as Link;
    try {
      await link.open();
      const [known, until] = [link.cooldownUntil, await findCooldownEnd(link)];
      if (until <= clock.now()) return { index, passedOver };
      resting.push(index);
      link.cooldownUntil = until;
      if (until > known) passedOver ??= { link, cause: new Error(limitReached(until - clock.now())) };
    } catch (cause) {
      passedOver ??= { link, cause };
      logger.warn('could not open a route', { route: nameOf(link), error: errorMessage(cause) });
    }
  }
  return { index: resting[0], passedOver };
}

/**
 * When the cooldown of a route ends, as stated by its provider to this process or to another process with the same
 * credentials.
 */
async function findCooldownEnd({ cooldownUntil, route }: Link): Promise<number> {
  const rest = await route?.credentials?.findCooldown();
  return Math.max(cooldownUntil, rest?.told ? rest.until : 0);
}

function limitReached(milliseconds: number): string {
  return `rate limited for another ${Math.ceil(milliseconds / 60_000)} min`;
}

/** A route of the chain, opened on first use, with what was learned about it. */
type Link = {
  source: RouteSource;
  route: ModelRoute | undefined;
  learned: LearnedRouteFacts;
  cooldownUntil: number;
  open(): Promise<void>;
};

function createLink(source: RouteSource, clock: Clock): Link {
  const link: Link = {
    source,
    route: undefined,
    learned: noLearnedFacts(),
    cooldownUntil: 0,
    async open() {
      link.route ??= await source.open(clock);
    },
  };
  return link;
}

/** The initial state for a route that has not been used. */
export function noLearnedFacts(): LearnedRouteFacts {
  return {
    streamRefused: false,
    parameterChanges: [],
    contextLimit: undefined,
    outputLimit: undefined,
    affordableOutput: undefined,
    schemaRefused: false,
    markers: {
      level: undefined,
      isConfirmed: false,
      isUnsaved: false,
      accepted: undefined,
      ignored: 0,
      longTtlRefused: false,
      unused: undefined,
    },
    unreadable: new Set(),
    refusedBlobs: new Set(),
  };
}

function nameOf(link: Link | undefined): string {
  return link ? `${link.source.provider}/${link.source.model}` : 'none';
}

function namesOf(link: Link | undefined): RouteName {
  const { provider = 'none', model = 'none' } = link?.source ?? {};
  return { provider, model };
}

/** The reason why a route could not be opened and the hint, in one line. */
function reasonOf(cause: unknown): string {
  const hint = cause instanceof HermesError ? cause.hint : undefined;
  return [errorMessage(cause), hint].filter(Boolean).join(' ');
}
