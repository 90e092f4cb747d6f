import type { Run } from '../../agent/index.ts';
import {
  type AgentEvent,
  errorMessage,
  HermesError,
  type InteractionAnswer,
  type RunResult,
  type SubagentEvent,
} from '../../base/index.ts';
import type { DelegatedTask, DelegationCaller, SubagentReport } from '../../contracts/index.ts';
import { shorten } from '../../util/index.ts';
import type { DelegationParts } from './delegation-parts.ts';
import { type OpenedSubagent, openSubagent } from './open-subagent.ts';
import { findRoutes } from './subagent-routes.ts';
import { SUBAGENT_LAYER, taskMessage } from './subagent-text.ts';

/** Of a goal, where a person is asked something for it. */
const SHOWN_GOAL = 60;

export type NumberedTask = DelegatedTask & { task: number };

/** One subagent from its beginning to its end. Whatever happens to it is in its report. */
export async function runSubagent(
  parts: DelegationParts,
  task: NumberedTask,
  caller: DelegationCaller,
): Promise<SubagentReport> {
  if (caller.signal.aborted) return notStarted('The turn was interrupted before it began.');
  const { clock, logger } = parts;
  const startedAt = clock.now();
  let opened: OpenedSubagent | undefined;
  const watch = watchTime(parts);
  try {
    const routes = await findRoutes(parts.settings, parts.routes(), task.model);
    opened = await openSubagent(parts, { parentSessionId: caller.sessionId, toolsets: task.toolsets, routes });
    const result = await runTurn(parts, opened, task, { ...caller, signal: watch.with(caller.signal) });
    return { ...reportOf(result), ...(watch.isOver() && { ended: 'timed_out' as const }) };
  } catch (thrown) {
    logger.warn('a subagent failed', { parent: caller.sessionId, error: errorMessage(thrown) });
    return { ...notStarted(errorMessage(thrown)), durationMs: clock.now() - startedAt };
  } finally {
    watch.end();
    await opened
      ?.close()
      .catch((thrown: unknown) => logger.warn('a subagent left something open', { error: errorMessage(thrown) }));
  }
}

async function runTurn(
  { turns }: DelegationParts,
  { agent }: OpenedSubagent,
  task: NumberedTask,
  caller: DelegationCaller,
): Promise<RunResult> {
  return turns.run(agent.sessionId, async (turn) => {
    const signal = AbortSignal.any([caller.signal, turn.signal]);
    const message = { userMessage: taskMessage(task), systemMessage: SUBAGENT_LAYER };
    const run = agent.run({ ...turn, ...message, signal });
    for await (const event of run) {
      if (event.type === 'request') void answer(run, event, task, caller);
      const told = toTell(event);
      if (told !== undefined) caller.tell({ task: task.task, sessionId: agent.sessionId, event: told });
    }
    return run.result;
  });
}

/** Whoever is there for its agent is asked, and told for whom. What was allowed to others counts for nothing here. */
async function answer(
  run: Run,
  { requestId, request }: Extract<AgentEvent, { type: 'request' }>,
  { task, goal }: NumberedTask,
  { interaction }: DelegationCaller,
): Promise<void> {
  const none: InteractionAnswer = { kind: 'approval', answer: 'deny' };
  if (request.kind !== 'approval') return;
  const { kind: _, toolName, ...question } = request;
  const name = `${toolName} of subagent ${task} (${shorten(goal, SHOWN_GOAL)})`;
  const given = await interaction.approve({ ...question, toolName: name }).catch(() => 'deny' as const);
  run.respond(requestId, { ...none, answer: given });
}

function toTell(event: AgentEvent): SubagentEvent | undefined {
  switch (event.type) {
    case 'text-delta':
    case 'reasoning-delta':
    case 'tool-progress':
    case 'request':
    case 'request-closed':
    case 'subagent':
      return undefined;
    case 'finished': {
      const { exitReason, apiCalls, toolCalls, durationMs, auxiliary } = event.result;
      return { type: 'ended', exitReason, apiCalls, toolCalls, durationMs, ...(auxiliary && { auxiliary }) };
    }
    default:
      return event;
  }
}

function reportOf(result: RunResult): SubagentReport {
  const { sessionId, exitReason: ended, finalResponse: text, apiCalls, toolCalls, durationMs, error } = result;
  // Hints are for the person, who is told of the same thing by the agent that reads this.
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

/** Ends a subagent whose time is up, as an interrupt would. */
function watchTime({ settings, clock }: DelegationParts) {
  const { timeoutSeconds } = settings.delegation ?? {};
  const [over, done] = [new AbortController(), new AbortController()];
  if (timeoutSeconds !== undefined) {
    const limit = `delegation.child_timeout_seconds of ${timeoutSeconds} s is over`;
    const timeIsUp = () => over.abort(new HermesError(`Its time was up: ${limit}.`));
    clock.sleep(timeoutSeconds * 1000, done.signal).then(timeIsUp, () => undefined);
  }
  return {
    with: (signal: AbortSignal) => AbortSignal.any([signal, over.signal]),
    isOver: () => over.signal.aborted,
    end: () => done.abort(),
  };
}
