import { assertWithinLimits } from '../../agent/index.ts';
import {
  addCost,
  addUsage,
  type Clock,
  type Cost,
  errorMessage,
  HermesError,
  newId,
  NO_COST,
  NO_USAGE,
} from '../../base/index.ts';
import type { Settings } from '../../config/index.ts';
import {
  type AuxiliaryAnswer,
  type AuxiliaryModels,
  type AuxiliaryRequest,
  type AuxiliaryRoutes,
  type AuxiliaryTask,
  type Logger,
  type SessionStore,
  UnusableAnswers,
} from '../../contracts/index.ts';
import { type AuxiliaryRoute, createAuxiliaryRoute, type RouteAnswer } from './auxiliary-route.ts';
import type { SpendingTracker } from './open-auxiliary.ts';

export type AuxiliaryModelsOptions = {
  settings: Pick<Settings, 'auxiliary' | 'limits'>;
  /** The routes for requests of a session. */
  routesOf(sessionId: string | undefined): AuxiliaryRoutes;
  store: Pick<SessionStore, 'recordCall' | 'sessionSpending' | 'spendingSince'>;
  /** Receives the cost of each answer. */
  spending?: Pick<SpendingTracker, 'report'>;
  clock: Clock;
  logger: Logger;
  /** Random source for retry jitter; tests pass their own. */
  random?: () => number;
};

/** Why a model did not help: a failed call with its cause, or an answer with its rejection reason. */
type Problem = { reason: string; cause?: unknown; fault?: string };

type Asked = { task: AuxiliaryTask; request: AuxiliaryRequest; tally: Tally };

const TIMEOUT_SECONDS = 30;
/** Tasks with long input or output get more time. */
const LONG_TIMEOUT_SECONDS: Readonly<Partial<Record<AuxiliaryTask, number>>> = {
  vision: 120,
  web_extract: 120,
  compression: 120,
  review: 120,
};

/** Calls the models of a task's route chain one after another. Nothing is opened before the first request. */
export function createAuxiliaryModels(options: AuxiliaryModelsOptions): AuxiliaryModels {
  const { settings, store, clock, logger } = options;
  const chains = new WeakMap<AuxiliaryRoutes, Map<AuxiliaryTask, Promise<AuxiliaryRoute[]>>>();
  const rests = createRouteCooldowns(clock);
  const chainOf = (task: AuxiliaryTask, sessionId: string | undefined) => {
    const routes = options.routesOf(sessionId);
    const opened = chains.get(routes) ?? new Map<AuxiliaryTask, Promise<AuxiliaryRoute[]>>();
    chains.set(routes, opened);
    const chain = opened.get(task) ?? openChain(options, routes, task);
    opened.set(task, chain);
    return chain;
  };

  /** Calls one model, and again with the rejection reason if the caller checks answers. */
  async function askRoute(route: AuxiliaryRoute, asked: Asked): Promise<AuxiliaryAnswer | Problem> {
    const { task, request, tally } = asked;
    const limits = { signal: request.signal, timeoutMs: timeoutOf(settings, task) };
    const tries = request.findRejectionReason === undefined ? 1 : 2;
    let question = request;
    for (let made = 1; ; made += 1) {
      await assertWithinLimits({ store, limits: settings.limits, sessionId: request.sessionId, now: clock.now() });
      const given = await route.ask(question, limits).catch((cause: unknown) => {
        request.signal.throwIfAborted();
        return { reason: errorMessage(cause), cause };
      });
      // Outside the catch: if the cost cannot be recorded, the next model must not be called and paid as well.
      const taken: AuxiliaryAnswer | Problem = 'reason' in given ? given : await tally.take(given);
      if (!('reason' in taken)) return taken;
      logger.warn('auxiliary model failed', { task, route: route.name, reason: taken.reason });
      if (taken.fault === undefined || made === tries) return taken;
      question = withRejectionReason(request, taken.fault);
    }
  }

  return {
    async ask(task, request) {
      request.signal.throwIfAborted();
      const tally = createTally(options, task, request);
      const problems: (Problem & { name: string })[] = [];
      for (const route of rests.order(await chainOf(task, request.sessionId))) {
        if (route.isUnusable()) continue;
        const taken = await askRoute(route, { task, request, tally });
        const isProblem = 'reason' in taken;
        if (!isProblem || taken.fault !== undefined) rests.note(route, !isProblem);
        if (!isProblem) return taken;
        problems.push({ name: route.name, ...taken });
      }
      throw allFailed(task, problems, tally.answers() > 0);
    },
  };
}

async function openChain(
  options: AuxiliaryModelsOptions,
  routes: AuxiliaryRoutes,
  task: AuxiliaryTask,
): Promise<AuxiliaryRoute[]> {
  return (await routes(task)).map((source) => createAuxiliaryRoute(source, options));
}

function timeoutOf(settings: Pick<Settings, 'auxiliary'>, task: AuxiliaryTask): number {
  return (settings.auxiliary[task]?.timeoutSeconds ?? LONG_TIMEOUT_SECONDS[task] ?? TIMEOUT_SECONDS) * 1000;
}

/** Adds the rejection reason to the request. */
function withRejectionReason(request: AuxiliaryRequest, fault: string): AuxiliaryRequest {
  const rejection = `Your previous answer could not be used: ${fault}.`;
  const last = request.messages.at(-1);
  // Some providers reject two consecutive user messages.
  if (last?.role !== 'user')
    return { ...request, messages: [...request.messages, { role: 'user', content: rejection }] };
  const content = `${last.content}\n\n${rejection}`;
  return { ...request, messages: [...request.messages.slice(0, -1), { ...last, content }] };
}

function allFailed(task: AuxiliaryTask, problems: readonly (Problem & { name: string })[], answered: boolean) {
  const listed = problems.map(({ name, reason }) => `${name}: ${reason.replace(/\.$/, '')}`).join('; ');
  const tried = listed === '' ? 'no model is available' : listed;
  const Thrown = answered ? UnusableAnswers : HermesError;
  return new Thrown(`The auxiliary task ${task} failed: ${tried}.`, {
    hint: `Check auxiliary.${task} in config.yaml, or set another model there.`,
    cause: problems.at(-1)?.cause,
  });
}

/** Counts the answers to one request, accepted or not. */
interface Tally {
  /** Records the cost of an answer, adds it to the total, and checks whether the answer can be used. */
  take(given: RouteAnswer): Promise<AuxiliaryAnswer | { reason: string; fault: string }>;
  answers(): number;
}

function createTally(
  { store, spending }: { store: Pick<SessionStore, 'recordCall'>; spending?: Pick<SpendingTracker, 'report'> },
  task: AuxiliaryTask,
  request: AuxiliaryRequest,
): Tally {
  const taskId = request.taskId ?? newId('task');
  let [answers, usage, cost] = [0, NO_USAGE, undefined as Cost | undefined];
  return {
    answers: () => answers,
    async take({ answer, route, startedAt, durationMs }) {
      const { provider, model, baseUrl } = route;
      const own = { usage: answer.usage, cost: answer.cost ?? NO_COST };
      answers += 1;
      usage = addUsage(usage, own.usage);
      cost = addCost(cost, own.cost);
      const judged = readAnswer(answer, request);
      const fault = findRejectionReason(judged, request);
      const outcome = fault === undefined ? 'ok' : 'discarded';
      const what = { taskId, purpose: task, provider, model, baseUrl, startedAt, durationMs, ...own, outcome } as const;
      await store.recordCall(request.sessionId ?? '', what);
      spending?.report(taskId, own);
      if (fault !== undefined) return { reason: `the answer could not be used: ${fault}`, fault };
      return { ...judged, usage, cost, provider, model };
    },
  };
}

/** Some models call tools that were not offered; such calls are ignored. */
function readAnswer({ text, toolCalls, finishReason }: RouteAnswer['answer'], { tools = [] }: AuxiliaryRequest) {
  const calls = tools.length > 0 && toolCalls.length > 0;
  return { text: text.trim(), ...(calls && { toolCalls }), finishReason };
}

function findRejectionReason(judged: ReturnType<typeof readAnswer>, request: AuxiliaryRequest): string | undefined {
  if (judged.text === '' && judged.toolCalls === undefined) return 'it was empty';
  return request.findRejectionReason?.(judged);
}

/**
 * Consecutive unusable answers after which a model is put into cooldown. One may be an accident; after two, a third
 * is likely.
 */
const MAX_REJECTIONS = 2;
const COOL_DOWN_MS = 600_000;

/**
 * Tracks models that recently gave unusable answers. While in cooldown, a model is tried last, so that no call is
 * wasted on it.
 */
interface RouteCooldowns {
  note(route: AuxiliaryRoute, wasOfUse: boolean): void;
  /** Returns the chain with models in cooldown at the end. */
  order(chain: readonly AuxiliaryRoute[]): AuxiliaryRoute[];
}

function createRouteCooldowns(clock: Clock): RouteCooldowns {
  const found = new Map<AuxiliaryRoute, { faults: number; at: number }>();
  const isResting = (route: AuxiliaryRoute) => {
    const { faults, at } = found.get(route) ?? { faults: 0, at: 0 };
    return faults >= MAX_REJECTIONS && clock.now() - at < COOL_DOWN_MS;
  };
  return {
    note(route, wasOfUse) {
      if (wasOfUse) found.delete(route);
      else found.set(route, { faults: (found.get(route)?.faults ?? 0) + 1, at: clock.now() });
    },
    order: (chain) => [...chain.filter((route) => !isResting(route)), ...chain.filter(isResting)],
  };
}
