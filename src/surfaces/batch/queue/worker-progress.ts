import { type Progress, toProgress } from '../running/progress.ts';
import type { RunCounts } from './queued-runs.ts';

/** Progress of the runs a worker takes part in. */
export interface WorkerProgress {
  /** What was counted of a run, at this moment. */
  note(runId: string, counts: RunCounts, now: number): void;
  show(now: number, others: Pick<Progress, 'running' | 'waiting'>): Progress;
}

/** What is known is as old as the last look into the queue; a worker looks there whenever it has a free hand. */
export function createWorkerProgress(): WorkerProgress {
  let startedAt = 0;
  const runs = new Map<string, { first: RunCounts; latest: RunCounts }>();
  return {
    note(runId, counts, now) {
      if (!runs.has(runId)) {
        // What was done before anybody looked is none of its work.
        if (isDone(counts)) return;
        // It may have waited for days: time counts from the first of the runs that it has now.
        if ([...runs.values()].every(({ latest }) => isDone(latest))) {
          runs.clear();
          startedAt = now;
        }
      }
      runs.set(runId, { first: runs.get(runId)?.first ?? counts, latest: counts });
    },
    show(now, { running, waiting }) {
      const all = [...runs.values()];
      const sum = (name: Exclude<keyof RunCounts, 'costKnown'>) =>
        all.reduce((total, { latest }) => total + latest[name], 0);
      const ended = all.reduce((total, { first, latest }) => total + doneOf(latest) - doneOf(first), 0);
      const counts = { total: sum('prompts'), kept: sum('kept'), dropped: sum('dropped'), failed: sum('failed') };
      const costKnown = all.every(({ latest }) => latest.costKnown);
      // Prompts that were put back into the queue are taken off again.
      const timed = { ...counts, running, ended: Math.max(0, ended), startedAt };
      return toProgress(timed, { usd: sum('usd'), costKnown, waiting }, now);
    },
  };
}

function isDone(counts: RunCounts): boolean {
  return doneOf(counts) >= counts.prompts;
}

function doneOf({ kept, dropped, failed }: RunCounts): number {
  return kept + dropped + failed;
}
