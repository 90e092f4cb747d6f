import { DEFAULT_DELEGATION } from '../../config/index.ts';
import type { Delegation, SubagentReport } from '../../contracts/index.ts';
import { createSemaphore } from '../../util/index.ts';
import type { DelegationParts, OwnParts, SharedParts } from './delegation-parts.ts';

/** What subagents do while a program runs. It is waited for at its end: they write to the store as any agent does. */
export interface RunningDelegations {
  forAgent(parts: OwnParts): Delegation;
  settled(): Promise<void>;
}

export function createRunningDelegations(shared: SharedParts): RunningDelegations {
  const running = new Set<Promise<unknown>>();
  return {
    forAgent: (own) => ({
      async run(tasks, caller) {
        const work = runAll({ ...shared, ...own }, tasks, caller);
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
  parts: DelegationParts,
  ...[tasks, caller]: Parameters<Delegation['run']>
): Promise<SubagentReport[]> {
  // Loaded with the first task: most sessions hand nothing to anybody.
  const { runSubagent } = await import('./run-subagent.ts');
  const { maxConcurrent } = parts.settings.delegation ?? DEFAULT_DELEGATION;
  const places = createSemaphore(maxConcurrent);
  const numbered = tasks.map((task, index) => ({ ...task, task: index + 1 }));
  return Promise.all(numbered.map((task) => places.use(() => runSubagent(parts, task, caller))));
}
