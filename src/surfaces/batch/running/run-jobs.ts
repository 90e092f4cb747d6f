import type { Clock, RunResult } from '../../../base/index.ts';
import type { BatchStop } from '../batch-options.ts';
import type { RateLimiters } from '../limits/rate-limited-routes.ts';
import type { RunSpending } from '../limits/spending.ts';
import type { KeyedLine } from '../prompts/read-prompts.ts';
import type { PromptResult } from '../results/result-line.ts';
import { type Progress, type ProgressCounts, toProgress } from './progress.ts';
import { failedResult, type JobOutcome, type PromptRunner } from './prompt-runner.ts';
import { stopFor, type StopSwitch } from './stop-switch.ts';

export type RunningJobs = {
  runner: PromptRunner;
  spending: RunSpending;
  stop: StopSwitch;
  gates: RateLimiters;
  clock: Clock;
  startedAt: number;
  total: number;
  save(result: PromptResult): Promise<void>;
  /** Finished prompts, including those of earlier invocations. */
  counts(): { kept: number; dropped: number };
};

type Lines = AsyncIterator<KeyedLine & { index: number }>;
type PoolOptions = RunningJobs & { workers: number; onStarted(progress: () => Progress): void };

/** Runs all jobs. Resolves when all are done, or when the running ones are done after a stop. */
export async function runJobs(lines: Lines, options: PoolOptions): Promise<void> {
  const { spending, stop, gates, clock, startedAt, total } = options;
  const counts = { failed: 0, running: 0, ended: 0 };
  options.onStarted(() => {
    const all: ProgressCounts = { ...counts, ...options.counts(), total, startedAt };
    return toProgress(all, { usd: spending.usd, costKnown: spending.costKnown, waiting: gates.pause() }, clock.now());
  });
  const watch = createFailureWatch((reason) => stop.stop(tooManyFailures(reason)));
  await runPool({
    items: lines,
    workers: options.workers,
    isDraining() {
      if (!spending.fitsAnother(counts.running)) {
        // While prompts are running, the limit does not count as reached yet, because they may cost less than
        // estimated.
        if (counts.running === 0) stop.onSpending('reached');
        return true;
      }
      return stop.found() !== undefined;
    },
    async work(line) {
      counts.running += 1;
      try {
        const result = await runJob(line, options);
        if (result === undefined) return;
        await saveResult(result, options);
        counts.ended += 1;
        if (result.kind === 'failed') counts.failed += 1;
        if (!('fault' in line)) watch.note(result);
      } finally {
        counts.running -= 1;
      }
    },
  });
}

/** Returns undefined if the prompt was interrupted and has to be run again. */
async function runJob(
  line: KeyedLine & { index: number },
  { runner, spending, stop }: RunningJobs,
): Promise<PromptResult | undefined> {
  if ('fault' in line) return failedResult(line, { reason: `Line ${line.lineNumber}: ${line.fault}`, kind: 'input' });
  const { result, turn } = await runner.run(line, stop.now);
  noteCost(turn, spending);
  return result;
}

/** The cost of the main model calls has already been counted. */
function noteCost(turn: JobOutcome['turn'] | RunResult, spending: RunSpending): void {
  spending.noteFinished(turn?.cost.usd ?? 0);
  if (turn?.auxiliary !== undefined) spending.add(turn.auxiliary.cost);
}

async function saveResult(result: PromptResult, { save, stop }: RunningJobs): Promise<void> {
  try {
    await save(result);
  } catch (thrown) {
    stop.stop(stopFor('disk', thrown));
    throw thrown;
  }
}

function tooManyFailures(reason: string): BatchStop {
  return {
    reason: 'failures',
    message: `Stopped after too many consecutive failures. The last reason: ${reason}`,
    hint: 'Fix the cause, then continue with --resume. Failed prompts are retried.',
  };
}

/** Processes items concurrently and takes the next one only when a worker is free. */
async function runPool<Item>(options: {
  items: AsyncIterator<Item>;
  workers: number;
  work(item: Item): Promise<void>;
  /** Once true, no further items are taken, and running ones finish. */
  isDraining(): boolean;
}): Promise<void> {
  const { items, workers, work, isDraining } = options;
  let fault: { error: unknown } | undefined;
  let taking: Promise<unknown> = Promise.resolve();

  /** Serializes access to the iterator. */
  const takeNext = (): Promise<IteratorResult<Item>> => {
    const next = taking.then(
      async (): Promise<IteratorResult<Item>> =>
        isDraining() || fault !== undefined ? { done: true, value: undefined } : items.next(),
    );
    taking = next.catch(() => undefined);
    return next;
  };
  const oneWorker = async () => {
    for (;;) {
      const { done, value } = await takeNext();
      if (done) return;
      await work(value);
    }
  };
  const guarded = () =>
    oneWorker().catch((error: unknown) => {
      fault ??= { error };
    });
  await Promise.all(Array.from({ length: workers }, guarded));
  await items.return?.();
  if (fault !== undefined) throw fault.error;
}

/** Detects failures that will affect all further prompts. */
interface FailureWatch {
  note(result: PromptResult): void;
}

/** This many consecutive failures stop the run. */
const MAX_IN_A_ROW = 20;
/** This many consecutive permanent failures stop the run. */
const MAX_PERMANENT_IN_A_ROW = 3;
const PERMANENT_ERRORS: readonly unknown[] = ['auth', 'auth_permanent', 'billing', 'model_not_found'];

export function createFailureWatch(onHopeless: (reason: string) => void): FailureWatch {
  let [inARow, forGood] = [0, 0];
  return {
    note(result) {
      if (result.kind !== 'failed') {
        [inARow, forGood] = [0, 0];
        return;
      }
      const { kind, reason } = result.record;
      inARow += 1;
      forGood = PERMANENT_ERRORS.includes(kind) ? forGood + 1 : 0;
      if (inARow >= MAX_IN_A_ROW || forGood >= MAX_PERMANENT_IN_A_ROW)
        onHopeless(typeof reason === 'string' ? reason : 'unknown');
    },
  };
}
