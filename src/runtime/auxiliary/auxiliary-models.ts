import { assertWithinLimits } from '../../agent/index.ts';
import {
  addCost,
  addUsage,
  type Clock,
  errorMessage,
  HermesError,
  NO_COST,
  NO_USAGE,
  newId,
} from '../../base/index.ts';
import type { Settings } from '../../config/index.ts';
import type {
  AuxiliaryAnswer,
  AuxiliaryModels,
  AuxiliaryRequest,
  AuxiliaryRoutes,
  AuxiliaryTask,
  CallRecord,
  Logger,
  SessionStore,
} from '../../contracts/index.ts';
import { type AuxiliaryRoute, createAuxiliaryRoute, type RouteAnswer } from './auxiliary-route.ts';

export type AuxiliaryModelsOptions = {
  settings: Pick<Settings, 'auxiliary' | 'limits'>;
  routes: AuxiliaryRoutes;
  store: Pick<SessionStore, 'recordCall' | 'sessionSpending' | 'spendingSince'>;
  clock: Clock;
  logger: Logger;
  /** Chance for the jitter of waits; tests bring their own. */
  random?: () => number;
};

const TIMEOUT_SECONDS = 30;
/** What these read or write takes a model longer. */
const LONGER: Readonly<Partial<Record<AuxiliaryTask, number>>> = {
  vision: 120,
  web_extract: 120,
  compression: 120,
  review: 120,
};

/** Asks the models of a task's chain one after another. Nothing is opened before the first question. */
export function createAuxiliaryModels(options: AuxiliaryModelsOptions): AuxiliaryModels {
  const { settings, store, clock, logger } = options;
  const chains = new Map<AuxiliaryTask, Promise<AuxiliaryRoute[]>>();
  const chainOf = (task: AuxiliaryTask) => {
    const chain = chains.get(task) ?? openChain(options, task);
    chains.set(task, chain);
    return chain;
  };

  return {
    async ask(task, request) {
      const { signal, sessionId } = request;
      signal.throwIfAborted();
      await assertWithinLimits({ store, limits: settings.limits, sessionId, now: clock.now() });
      const limits = { signal, timeoutMs: timeoutOf(settings, task) };
      const tally = createTally(options, task, request);
      const problems: string[] = [];
      let cause: unknown;
      for (const route of await chainOf(task)) {
        if (route.isUseless()) continue;
        const given = await route.ask(request, limits).catch((thrown: unknown) => {
          signal.throwIfAborted();
          cause = thrown;
          return undefined;
        });
        const text = given?.answer.text.trim() ?? '';
        // Outside of the try: an account that cannot be kept is no reason to ask, and pay, the next model.
        const isEmpty = text === '' && !callsTools(given?.answer, request);
        if (given !== undefined) await tally.count(given, isEmpty ? 'discarded' : 'ok');
        if (given !== undefined && !isEmpty) return tally.answer(given, text);
        const reason = given === undefined ? errorMessage(cause) : 'it gave an empty answer';
        problems.push(`${route.name}: ${reason}`);
        logger.warn('an auxiliary model failed', { task, route: route.name, reason });
      }
      throw allFailed(task, problems, cause);
    },
  };
}

/** Some models call tools that nobody offered; that is no answer. */
function callsTools(answer: RouteAnswer['answer'] | undefined, { tools = [] }: AuxiliaryRequest): boolean {
  return tools.length > 0 && (answer?.toolCalls.length ?? 0) > 0;
}

async function openChain(options: AuxiliaryModelsOptions, task: AuxiliaryTask): Promise<AuxiliaryRoute[]> {
  return (await options.routes(task)).map((source) => createAuxiliaryRoute(source, options));
}

function timeoutOf(settings: Pick<Settings, 'auxiliary'>, task: AuxiliaryTask): number {
  return (settings.auxiliary[task]?.timeoutSeconds ?? LONGER[task] ?? TIMEOUT_SECONDS) * 1000;
}

/** Stores what each answer cost, used or not, and adds it up for whoever asked. */
function createTally(options: AuxiliaryModelsOptions, task: AuxiliaryTask, request: AuxiliaryRequest) {
  const taskId = request.taskId ?? newId('task');
  let [usage, cost] = [NO_USAGE, undefined as AuxiliaryAnswer['cost'] | undefined];
  return {
    async count({ answer, route, startedAt, durationMs }: RouteAnswer, outcome: CallRecord['outcome']): Promise<void> {
      const { provider, model, baseUrl } = route;
      const own = { usage: answer.usage, cost: answer.cost ?? NO_COST };
      usage = addUsage(usage, own.usage);
      cost = addCost(cost, own.cost);
      const what = { taskId, purpose: task, provider, model, baseUrl, startedAt, durationMs, ...own, outcome };
      await options.store.recordCall(request.sessionId ?? '', what);
    },
    answer: ({ answer, route }: RouteAnswer, text: string): AuxiliaryAnswer => ({
      text,
      ...(callsTools(answer, request) && { toolCalls: answer.toolCalls }),
      finishReason: answer.finishReason,
      usage,
      cost: cost ?? NO_COST,
      provider: route.provider,
      model: route.model,
    }),
  };
}

function allFailed(task: AuxiliaryTask, problems: readonly string[], cause: unknown): HermesError {
  const tried = problems.length === 0 ? 'there is none that could be asked' : problems.join('; ');
  return new HermesError(`No model could do the auxiliary task ${task}: ${tried}.`, {
    hint: `Check auxiliary.${task} in config.yaml, or choose another model for it there.`,
    cause,
  });
}
