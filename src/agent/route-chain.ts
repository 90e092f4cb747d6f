import { type AttachmentKind, type Clock, errorMessage, HermesError } from '../base/index.ts';
import type { Logger, ModelRoute, ParameterChange, RouteSource } from '../contracts/index.ts';

/** What was learnt about a route by using it; kept as long as the agent lives. */
export type RouteLessons = {
  streamRefused: boolean;
  parameterChanges: ParameterChange[];
  contextLimit: number | undefined;
  /** It does not take the schema of an answer, or not beside tools. */
  schemaRefused: boolean;
  /** Kinds of attachments that the model cannot read, and single ones that its provider did not take. */
  unreadable: Set<AttachmentKind>;
  refusedBlobs: Set<string>;
};

export type FallbackStep = { from: string; to: string };
export type RouteName = { provider: string; model: string };

/** The routes of an agent and which of them is in use. */
export interface RouteChain {
  /** Goes back to the primary, unless it is known not to be ready yet, and opens what is in use. */
  beginTurn(onFallback: (step: FallbackStep, reason: string) => void): Promise<void>;
  current(): ModelRoute;
  /** The names of the route in use, opened or not. */
  describe(): RouteName;
  /** Those of the first one, which the person chose. */
  primary(): RouteName;
  /** Other routes in the place of all there were; what was learnt about those is of no use for these. */
  replace(sources: readonly RouteSource[]): void;
  lessons(): RouteLessons;
  hasFallback(): boolean;
  /** Moves on to the next route that opens; undefined where none is left. The one left behind rests until then. */
  fallBack(restUntil?: number): Promise<FallbackStep | undefined>;
}

export function createRouteChain(sources: readonly RouteSource[], clock: Clock, logger: Logger): RouteChain {
  const open = (all: readonly RouteSource[]) => all.map((source) => createLink(source, clock));
  let links = open(sources);
  let position = 0;
  /** The last beginning elsewhere that was told of: a route that cannot be opened stays so, turn after turn. */
  let told = '';
  const here = () => links[position];

  /** Whether any of these routes could be taken; the one that was is the current one from now on. */
  async function moveTo(candidates: readonly number[]): Promise<{ moved: boolean; passedOver?: PassedOver }> {
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
      if (told !== `${step.to}: ${reason}`) onFallback(step, reason);
      told = `${step.to}: ${reason}`;
    },
    current() {
      const route = here()?.route;
      if (!route) throw new Error('the route chain is used before the turn began');
      return route;
    },
    describe: () => namesOf(here()),
    primary: () => namesOf(links[0]),
    replace(others) {
      links = open(others);
      position = 0;
      told = '';
    },
    lessons: () => here()?.lessons ?? noLessons(),
    hasFallback: () => position + 1 < links.length,
    async fallBack(restUntil = 0) {
      const left = here();
      const { moved } = await moveTo([...links.keys()].slice(position + 1));
      if (!moved) return undefined;
      if (left) left.restingUntil = restUntil;
      return { from: nameOf(left), to: nameOf(here()) };
    },
  };
}

/** Why a route was not taken, where nobody has been told of it yet. */
type PassedOver = { link: Link; cause: unknown };

/** The first of these routes that opens and need not rest, else the first that opens at all. */
async function findUsable(
  links: readonly Link[],
  candidates: readonly number[],
  clock: Clock,
  logger: Logger,
): Promise<{ index?: number; passedOver?: PassedOver }> {
  const resting: number[] = [];
  let passedOver: PassedOver | undefined;
  for (const index of candidates) {
    const link = links[index] as Link;
    try {
      await link.open();
      const [known, until] = [link.restingUntil, await restEnd(link)];
      if (until <= clock.now()) return { index, passedOver };
      resting.push(index);
      link.restingUntil = until;
      if (until > known) passedOver ??= { link, cause: new Error(limitReached(until - clock.now())) };
    } catch (cause) {
      passedOver ??= { link, cause };
      logger.warn('a model could not be opened', { route: nameOf(link), error: errorMessage(cause) });
    }
  }
  return { index: resting[0], passedOver };
}

/** Until when a route is of no use: as it told us, or as another process was told with the same credentials. */
async function restEnd({ restingUntil, route }: Link): Promise<number> {
  const rest = await route?.credentials?.restOfAll();
  return Math.max(restingUntil, rest?.told ? rest.until : 0);
}

function limitReached(milliseconds: number): string {
  return `its limit is reached for another ${Math.ceil(milliseconds / 60_000)} min`;
}

/** One route of the chain: opened when it is first needed, and all that was learnt about it since. */
type Link = {
  source: RouteSource;
  route: ModelRoute | undefined;
  lessons: RouteLessons;
  restingUntil: number;
  open(): Promise<void>;
};

function createLink(source: RouteSource, clock: Clock): Link {
  const link: Link = {
    source,
    route: undefined,
    lessons: noLessons(),
    restingUntil: 0,
    async open() {
      link.route ??= await source.open(clock);
    },
  };
  return link;
}

/** What is known of a route that was never used. */
export function noLessons(): RouteLessons {
  const learnt = { unreadable: new Set<AttachmentKind>(), refusedBlobs: new Set<string>() };
  return { streamRefused: false, parameterChanges: [], contextLimit: undefined, schemaRefused: false, ...learnt };
}

function nameOf(link: Link | undefined): string {
  return link ? `${link.source.provider}/${link.source.model}` : 'none';
}

function namesOf(link: Link | undefined): RouteName {
  const { provider = 'none', model = 'none' } = link?.source ?? {};
  return { provider, model };
}

/** Why a route could not be opened, and what to do about it: the one line that is shown has to say both. */
function reasonOf(cause: unknown): string {
  const hint = cause instanceof HermesError ? cause.hint : undefined;
  return [errorMessage(cause), hint].filter(Boolean).join(' ');
}
