import { errorMessage, HermesError, type JsonObject, type RunResult } from '../../base/index.ts';
import type { DelegationCaller, SubagentReport } from '../../contracts/index.ts';
import type { AnswerSchema } from '../answer-schema/index.ts';
import type { DelegationParts } from './delegation-parts.ts';
import { type OpenedSubagent, openSubagent } from './open-subagent.ts';
import { findRoutes } from './subagent-routes.ts';
import { type NumberedTask, workOn } from './work-on-task.ts';

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
    const schema = await readSchema(task.outputSchema);
    const routes = await findRoutes(parts.settings, parts.routes(), task.model);
    opened = await openSubagent(parts, { parentSessionId: caller.sessionId, toolsets: task.toolsets, routes });
    const work = { agent: opened.agent, task, caller: { ...caller, signal: watch.with(caller.signal) } };
    const result = await workOn(parts.turns, work, schema);
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

/** One that cannot be used would let a subagent work for nothing. */
async function readSchema(given: JsonObject | undefined): Promise<AnswerSchema | undefined> {
  if (given === undefined) return undefined;
  const { createAnswerSchema } = await import('../answer-schema/index.ts');
  const schema = createAnswerSchema(given);
  if ('fault' in schema) throw new HermesError(`output_schema is no JSON Schema that can be used: ${schema.fault}.`);
  return schema;
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
