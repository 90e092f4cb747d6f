import { errorMessage, HermesError, type JsonObject, type RunResult, startTimer } from '../../base/index.ts';
import { DEFAULT_DELEGATION, type Settings } from '../../config/index.ts';
import type { DelegationCaller, RouteSource, SubagentReport } from '../../contracts/index.ts';
import { resolveRoutes } from '../../providers/index.ts';
import type { AgentBlueprint } from '../agent-blueprint.ts';
import type { AnswerSchema } from '../answer-schema/index.ts';
import { createAgent, type OpenedAgent } from '../create-agent.ts';
import { selectModel, settingsWith } from '../models/selected-model.ts';
import { parseModelName } from '../models/parse-model-name.ts';
import type { Services } from '../services.ts';
import type { DelegatingAgent } from './create-delegation.ts';
import { type NumberedTask, runTask } from './run-task.ts';

/** The end reason of a subagent's session. */
const END_REASON = 'delegation';

/** Runs one subagent to its end. Never throws: failures are part of the report. */
export async function runSubagent(
  services: Services,
  agent: DelegatingAgent,
  task: NumberedTask,
  caller: DelegationCaller,
): Promise<SubagentReport> {
  if (caller.signal.aborted) return notStarted('The turn was interrupted before the subagent started.');
  const { clock, logger } = services;
  const { settings } = agent.blueprint;
  const elapsed = startTimer(clock);
  let opened: OpenedAgent | undefined;
  const watch = createTimeLimit(settings, services);
  try {
    const schema = await readSchema(task.outputSchema);
    const routes = await findRoutes(settings, agent.routes(), task.model);
    const subagent = { parentSessionId: caller.sessionId, toolsets: task.toolsets };
    opened = await createAgent(services, { ...deriveBlueprint(agent), routes, subagent });
    const work = { opened, task, caller: { ...caller, signal: watch.with(caller.signal) } };
    const result = await runTask(services.turns, work, schema);
    return { ...reportOf(result), ...(watch.isOver() && { ended: 'timed_out' as const }) };
  } catch (thrown) {
    logger.warn('subagent failed', { parent: caller.sessionId, error: errorMessage(thrown) });
    return { ...notStarted(errorMessage(thrown)), durationMs: elapsed() };
  } finally {
    watch.end();
    await close(services, opened).catch((thrown: unknown) =>
      logger.warn('could not close a subagent', { error: errorMessage(thrown) }),
    );
  }
}

/** The blueprint of a subagent. It has no time limit of its own, because it runs within the parent's turn. */
function deriveBlueprint({ blueprint, choices, preferences }: DelegatingAgent): AgentBlueprint {
  const { settings } = blueprint;
  const { turnSeconds: _, ...limits } = settings.limits;
  return {
    ...blueprint,
    settings: { ...settings, limits, reasoningEffort: preferences.effort, speed: preferences.speed },
    session: undefined,
    choices,
    maxTurns: (settings.delegation ?? DEFAULT_DELEGATION).maxIterations,
    // The delegating call has already taken a checkpoint, which covers the changes of subagents.
    checkpoints: false,
    ephemeralSystemPrompt: undefined,
    prefillMessages: undefined,
    // Questions of the subagent are asked and stored as questions of the parent.
    questionLog: undefined,
    onSessionOpened: undefined,
    newSessionId: undefined,
  };
}

async function close({ store }: Services, opened: OpenedAgent | undefined): Promise<void> {
  if (opened === undefined) return;
  await opened.close();
  const { sessionId } = opened.agent;
  if ((await store.getSession(sessionId)) !== undefined) await store.endSession(sessionId, END_REASON);
}

/**
 * The routes for a task: those of the parent, or the named model followed by the configured fallbacks. Throws if the
 * model is unknown.
 */
async function findRoutes(
  settings: Settings,
  chat: readonly RouteSource[],
  model: string | undefined,
): Promise<readonly RouteSource[]> {
  const name = model?.trim() ?? '';
  if (name === '' || name === chat[0]?.model) return chat;
  const wish = await parseModelName(settings, [name], chat[0]?.provider ?? '');
  const chosen = selectModel(settings, wish);
  // The model chose the endpoint, not the user, so OPENAI_API_KEY stays at the endpoint of the chat.
  const choice = chosen.keepsAddress ? chosen.choice : { ...chosen.choice, sharedKey: false };
  const routes = resolveRoutes(settingsWith(settings, { ...chosen, choice }))?.routes ?? [];
  return routes.length === 0 ? chat : routes;
}

/** Validated first, so that a subagent does not work in vain for an unusable schema. */
async function readSchema(given: JsonObject | undefined): Promise<AnswerSchema | undefined> {
  if (given === undefined) return undefined;
  const { createAnswerSchema } = await import('../answer-schema/index.ts');
  const schema = createAnswerSchema(given);
  if ('fault' in schema) throw new HermesError(`output_schema is not a usable JSON Schema: ${schema.fault}.`);
  return schema;
}

function reportOf(result: RunResult): SubagentReport {
  const { sessionId, exitReason: ended, finalResponse: text, apiCalls, toolCalls, durationMs, error } = result;
  // Hints are for the user; the agent that reads this report cannot follow them.
  return { sessionId, ended, text, error: error?.message, apiCalls, toolCalls, durationMs };
}

function notStarted(error: string): SubagentReport {
  return {
    sessionId: undefined,
    ended: 'not_started',
    text: '',
    error,
    apiCalls: 0,
    toolCalls: 0,
    durationMs: 0,
  };
}

/** Aborts a subagent whose time limit is exceeded, like an interrupt. */
function createTimeLimit(settings: Settings, { clock }: Pick<Services, 'clock'>) {
  const { timeoutSeconds } = settings.delegation ?? {};
  const [over, done] = [new AbortController(), new AbortController()];
  if (timeoutSeconds !== undefined) {
    const message = `Timed out after ${timeoutSeconds} s (delegation.child_timeout_seconds).`;
    clock.sleep(timeoutSeconds * 1000, done.signal).then(
      () => over.abort(new HermesError(message)),
      () => undefined,
    );
  }
  return {
    with: (signal: AbortSignal) => AbortSignal.any([signal, over.signal]),
    isOver: () => over.signal.aborted,
    end: () => done.abort(),
  };
}
