import { systemClock } from '../../../base/index.ts';
import { createRuntime, type Runtime } from '../../../runtime/index.ts';
import type { AgentsOptions } from '../batch-options.ts';
import { createRateLimiters, type RateLimiterListeners, type RateLimiters } from '../limits/rate-limited-routes.ts';

const BATCH_SOURCE = 'batch';

/** What all agents of a run share. */
export type OpenedAgents = { runtime: Runtime; gates: RateLimiters };

/**
 * Opens the agents of a run. Sessions, log and spill files are stored in the folder of the run, and no personal data
 * of the user is included in the prompts.
 */
export async function openAgents(
  options: AgentsOptions,
  dataFolder: string,
  listeners: RateLimiterListeners,
): Promise<OpenedAgents> {
  const { settings, route, auxiliaryRoutes, maxTurns, maxWaitMs, clock = systemClock } = options;
  const gates = createRateLimiters({ clock, maxWaitMs, ...listeners });
  const runtime = await createRuntime({
    settings,
    dataFolder,
    workingDirectory: dataFolder,
    source: BATCH_SOURCE,
    attended: false,
    impersonal: true,
    checkpoints: false,
    saveTrajectories: false,
    clock,
    routes: [gates.wrap(route)],
    ...(auxiliaryRoutes && { auxiliaryRoutes }),
    ...(maxTurns !== undefined && { maxTurns }),
    ...(options.verbose && { verbose: true }),
  });
  return { runtime, gates };
}

/** Returns all tools, enabled or not, and the states of the tool sets. */
export async function inspectRuntime(runtime: Runtime): Promise<{
  tools: string[];
  sets: readonly { name: string; state: string }[];
}> {
  const opened = await runtime.openAgent();
  try {
    const { tools, sets } = await opened.inspectTools();
    return { tools: tools.map(({ name }) => name).sort(), sets };
  } finally {
    await opened.close();
  }
}
