import { DEFAULT_DELEGATION } from '../../config/index.ts';
import type { Delegation, ModelPreferences, RouteSource, SubagentReport } from '../../contracts/index.ts';
import { createSemaphore } from '../../util/index.ts';
import type { AgentBlueprint } from '../agent-blueprint.ts';
import type { Services } from '../services.ts';
import type { SessionChoices } from '../session-choices.ts';

/**
 * The agent that delegates. Its subagents inherit its configuration at the time they are created, except for memory.
 */
export type DelegatingAgent = {
  blueprint: AgentBlueprint;
  choices: SessionChoices;
  preferences: Readonly<ModelPreferences>;
  routes(): readonly RouteSource[];
};

/** The running subagents of a process. Shutdown waits for them, because they write to the store like any agent. */
export interface RunningDelegations {
  forAgent(agent: DelegatingAgent): Delegation;
  settled(): Promise<void>;
}

export function createRunningDelegations(services: () => Services): RunningDelegations {
  const running = new Set<Promise<unknown>>();
  return {
    forAgent: (agent) => ({
      async run(tasks, caller) {
        const work = runAll(services(), agent, tasks, caller);
        running.add(work);
        return work.finally(() => running.delete(work));
      },
    }),
    async settled() {
      await Promise.allSettled(running);
    },
  };
}

async function runAll(
  services: Services,
  agent: DelegatingAgent,
  ...[tasks, caller]: Parameters<Delegation['run']>
): Promise<SubagentReport[]> {
  // Loaded with the first task, because most sessions never delegate.
  const { runSubagent } = await import('./run-subagent.ts');
  const { maxConcurrent } = agent.blueprint.settings.delegation ?? DEFAULT_DELEGATION;
  const slots = createSemaphore(maxConcurrent);
  const numbered = tasks.map((task, index) => ({ ...task, task: index + 1 }));
  return Promise.all(numbered.map((task) => slots.use(() => runSubagent(services, agent, task, caller))));
}
