import { type Progress, toProgress } from '../running/progress.ts';
import type { RunCounts } from './queued-runs.ts';

/** The progress of the runs that a worker takes part in. */
export interface WorkerProgress {
  /** Records the counts of a run at this time. */
  note(runId: string, counts: RunCounts, now: number): void;
  show(now: number, others: Pick<Progress, 'running' | 'waiting'>): Progress;
}

/** The progress is as of the last query of the queue, which a worker makes whenever it has a free slot. */
export function createWorkerProgress(): WorkerProgress {
  let startedAt = 0;
  const runs = new Map<string, { first: RunCounts; latest: RunCounts }>();
  return {
    note(runId, counts, now) {
      if (!runs.has(runId)) {
        // Runs that were finished before the worker started are not counted.
        if (isDone(counts)) return;
        // The worker may have been idle for days, so time is measured from the first of the current runs.
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
      // Requeued prompts can make the difference negative.
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
