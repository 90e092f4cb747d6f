import { HermesError } from '../../base/index.ts';
import { DEFAULT_DELEGATION } from '../../config/index.ts';
import type {
  Delegation,
  DelegationCaller,
  ModelPreferences,
  RouteSource,
  SubagentReport,
} from '../../contracts/index.ts';
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

/** A subagent that is working now. */
export type RunningSubagent = {
  /** Unique in this process, counted from 1. */
  number: number;
  parentSessionId: string;
  goal: string;
  startedAt: number;
  /** Undefined until it has started. */
  sessionId(): string | undefined;
  /** Interrupts it. The agent that started it gets a report that says so. */
  stop(): void;
};

/** The running subagents of a process. Shutdown waits for them, because they write to the store like any agent. */
export interface RunningDelegations {
  forAgent(agent: DelegatingAgent): Delegation;
  /** The subagents that are working now, oldest first. */
  list(): readonly RunningSubagent[];
  settled(): Promise<void>;
}

export function createRunningDelegations(services: () => Services): RunningDelegations {
  const running = new Set<Promise<unknown>>();
  const subagents = createSubagentList();
  return {
    forAgent: (agent) => ({
      async run(tasks, caller) {
        const work = runAll(services(), agent, subagents, tasks, caller);
        running.add(work);
        return work.finally(() => running.delete(work));
      },
    }),
    list: subagents.list,
    async settled() {
      await Promise.allSettled(running);
    },
  };
}

async function runAll(
  services: Services,
  agent: DelegatingAgent,
  subagents: SubagentList,
  ...[tasks, caller]: Parameters<Delegation['run']>
): Promise<SubagentReport[]> {
  // Loaded with the first task, because most sessions never delegate.
  const { runSubagent } = await import('./run-subagent.ts');
  const { maxConcurrent } = agent.blueprint.settings.delegation ?? DEFAULT_DELEGATION;
  const slots = createSemaphore(maxConcurrent);
  const numbered = tasks.map((task, index) => ({ ...task, task: index + 1 }));
  return Promise.all(
    numbered.map((task) =>
      slots.use(() =>
        subagents.track(task.goal, caller, services.clock.now(), (tracked) =>
          runSubagent(services, agent, task, tracked),
        ),
      ),
    ),
  );
}

type SubagentList = ReturnType<typeof createSubagentList>;

function createSubagentList() {
  const working = new Map<number, RunningSubagent>();
  let started = 0;
  return {
    list: () => [...working.values()],
    /** Lists a subagent while it runs. Stopping it aborts its signal, but not that of the caller. */
    async track<Report>(
      goal: string,
      caller: DelegationCaller,
      startedAt: number,
      run: (tracked: DelegationCaller) => Promise<Report>,
    ): Promise<Report> {
      started += 1;
      const number = started;
      const stopped = new AbortController();
      let sessionId: string | undefined;
      working.set(number, {
        number,
        goal,
        startedAt,
        parentSessionId: caller.sessionId,
        sessionId: () => sessionId,
        stop: () => stopped.abort(new HermesError('The user stopped the subagent.')),
      });
      const report: DelegationCaller['report'] = (news) => {
        sessionId = news.sessionId;
        caller.report(news);
      };
      try {
        return await run({ ...caller, report, signal: AbortSignal.any([caller.signal, stopped.signal]) });
      } finally {
        working.delete(number);
      }
    },
  };
}
