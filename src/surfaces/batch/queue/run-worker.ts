import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { errorMessage, systemClock } from '../../../base/index.ts';
import { backOffDelay, markFolderOwner, removeAbandonedFolders } from '../../../util/index.ts';
import type { AgentsOptions, BatchStop } from '../batch-options.ts';
import { runPaths } from '../folder/run-folder.ts';
import type { RateLimiterListeners, RateLimiters } from '../limits/rate-limited-routes.ts';
import { openAgents, type OpenedAgents } from '../running/open-agents.ts';
import type { Progress } from '../running/progress.ts';
import { createPromptRunner, failedResult, type JobOutcome, type PromptRunner } from '../running/prompt-runner.ts';
import { createFailureWatch } from '../running/run-jobs.ts';
import { createStopSwitch, stopFor, type StopSwitch } from '../running/stop-switch.ts';
import type { JobQueue, QueuedJob } from './open-queue.ts';
import {
  costOf,
  countRun,
  findPrompt,
  hasReachedLimit,
  hasResult,
  listRuns,
  type QueuedRun,
  queueName,
  saveDiscardedCost,
  saveQueuedResult,
  toStoredResult,
} from './queued-runs.ts';
import { MAX_DEAD_WORKERS } from './submit-run.ts';
import { createWorkerProgress, type WorkerProgress } from './worker-progress.ts';

type WorkerOptions = {
  queue: JobQueue;
  load: LoadAgents;
  /** Number of concurrent prompts. */
  workers: number;
  maxWaitMs: number;
  /** Processes only this run. */
  runId?: string | undefined;
  /** Exits when no work is left instead of waiting for more. */
  untilDone: boolean;
  signal: AbortSignal;
  /** Aborting it interrupts the running prompts too. */
  interrupt?: AbortSignal | undefined;
  onNote(text: string): void;
  /** Called once with a function that returns the progress of the runs. */
  onStarted?(progress: () => Progress): void;
};

type WorkerReport = { ended: number; failed: number; stop: BatchStop | undefined };

const IDLE_MS = 500;
const BEAT_MS = 3_000;
const DATABASE_BACK_OFF = { baseMs: 500, maxMs: 15_000 };

type HeldJob = { run: QueuedRun; job: QueuedJob };
type Worker = WorkerOptions & {
  stop: StopSwitch;
  held: Set<HeldJob>;
  agents: Map<string, Promise<RunAgents>>;
  folder: string;
  /** A heartbeat failure was reported, and none has succeeded since. */
  heartbeatsFail: boolean;
  report: { ended: number; failed: number };
  progress: WorkerProgress;
  gates: RateLimiters[];
};

/** Takes prompts from the queue and runs them until it is stopped. Several machines may do so concurrently. */
export async function runWorker(options: WorkerOptions): Promise<WorkerReport> {
  const { folder, remove } = await makeWorkerFolder();
  const stop = createStopSwitch(options, {
    afterOutage:
      'Start a worker again when the provider is available. Use `hermes batch retry` to requeue failed prompts.',
  });
  const worker: Worker = {
    ...options,
    stop,
    folder,
    held: new Set(),
    agents: new Map(),
    heartbeatsFail: false,
    report: { ended: 0, failed: 0 },
    progress: createWorkerProgress(),
    gates: [],
  };
  options.onStarted?.(() =>
    worker.progress.show(Date.now(), { running: worker.held.size, waiting: currentPause(worker) }),
  );
  const beating = setInterval(() => void sendHeartbeats(worker), BEAT_MS);
  try {
    await processJobs(worker);
  } finally {
    clearInterval(beating);
    for (const opened of worker.agents.values()) await (await opened.catch(() => undefined))?.runtime.close();
    await remove();
  }
  return { ...worker.report, stop: stop.found() };
}

/** Takes a prompt only if there is a free slot. */
async function processJobs(worker: Worker): Promise<void> {
  const { workers, stop, untilDone } = worker;
  const watch = createFailureWatch((reason) =>
    stop.stop({
      reason: 'failures',
      message: `Stopped after too many consecutive failures. The last reason: ${reason}`,
    }),
  );
  const working = new Set<Promise<void>>();
  while (stop.found() === undefined) {
    const taken = await takeJobsUnlessStopped(worker, workers - working.size);
    for (const held of taken.jobs) {
      const task: Promise<void> = processJob(held, worker, watch.note).finally(() => working.delete(task));
      working.add(task);
    }
    if (untilDone && !taken.isOpen && working.size === 0) break;
    const idle = systemClock.sleep(IDLE_MS, worker.signal).catch(() => undefined);
    // Waits for a free slot or for new prompts.
    if (working.size >= workers || taken.jobs.length === 0) await Promise.race([idle, ...working]);
  }
  await Promise.all(working);
}

/** Stops waiting for the database on a signal; nothing is lost, because no job was taken. */
async function takeJobsUnlessStopped(worker: Worker, count: number): Promise<{ jobs: HeldJob[]; isOpen: boolean }> {
  try {
    return await withDatabase(worker, () => takeJobs(worker, count), worker.signal);
  } catch (thrown) {
    if (!worker.signal.aborted) throw thrown;
    return { jobs: [], isOpen: true };
  }
}

/**
 * Takes prompts of the oldest run that has some. `isOpen` is true if a run is unfinished, even if other workers have
 * its remaining prompts.
 */
async function takeJobs(worker: Worker, count: number): Promise<{ jobs: HeldJob[]; isOpen: boolean }> {
  const { queue, runId, held } = worker;
  let isOpen = false;
  for (const run of await listRuns(queue)) {
    if (run.state !== 'open' || (runId !== undefined && run.id !== runId)) continue;
    const counts = await countRun(queue, run.id);
    const { prompts, kept, dropped, failed } = counts;
    worker.progress.note(run.id, counts, Date.now());
    if (kept + dropped + failed >= prompts || hasReachedLimit(run, counts)) continue;
    isOpen = true;
    if (count <= 0 || !(await canWorkOn(run, worker))) break;
    const jobs = await queue.take(queueName(run), count);
    // Other workers hold the remaining jobs. If such a worker died, its jobs are requeued.
    if (jobs.length === 0) await queue.requeueExpired(queueName(run));
    const mine = jobs.map((job) => ({ run, job }));
    for (const one of mine) held.add(one);
    if (mine.length > 0) return { jobs: mine, isOpen };
  }
  return { jobs: [], isOpen };
}

/**
 * Whether this machine can run the prompts of a run; checked before a job is taken. A machine without the API key or
 * the provider would have to return the job, and each returned job counts as a dead worker.
 */
async function canWorkOn(run: QueuedRun, worker: Worker): Promise<boolean> {
  try {
    await agentsOf(run, worker);
    return true;
  } catch (thrown) {
    worker.stop.stop(stopFor('failures', thrown));
    return false;
  }
}

type Note = (result: NonNullable<JobOutcome['result']>) => void;

async function processJob(held: HeldJob, worker: Worker, note: Note): Promise<void> {
  const { queue, stop } = worker;
  const name = queueName(held.run);
  try {
    const isDone = await finish(held, worker, note);
    await withDatabase(worker, () => (isDone ? queue.complete(name, held.job) : queue.requeue(name, held.job)));
  } catch (thrown) {
    // This is not a failure of the prompt: the machine cannot continue, so its jobs are requeued.
    stop.stop(stopFor('failures', thrown));
    await queue.requeue(name, held.job).catch(() => undefined);
  } finally {
    worker.held.delete(held);
  }
}

/**
 * Returns whether the result was stored. It is stored before the job is completed, so repeating the completion is
 * harmless.
 */
async function finish({ run, job }: HeldJob, worker: Worker, note: Note): Promise<boolean> {
  const { queue, report } = worker;
  if (await withDatabase(worker, () => hasResult(queue, run.id, job.index))) return true;
  const { result, turn } = await runJob({ run, job }, worker);
  if (result === undefined) {
    const cost = costOf(turn);
    // An interrupted prompt is run again, but what it used was charged.
    if (cost.tokens > 0 || !cost.costKnown) await withDatabase(worker, () => saveDiscardedCost(queue, run.id, cost));
    return false;
  }
  const stored = toStoredResult(result, turn);
  await withDatabase(worker, () => saveQueuedResult(queue, run.id, stored));
  report.ended += 1;
  if (result.kind === 'failed') report.failed += 1;
  note(result);
  return true;
}

async function runJob({ run, job }: HeldJob, worker: Worker): Promise<JobOutcome> {
  const { queue, stop } = worker;
  const found = await withDatabase(worker, () => findPrompt(queue, run.id, job.index));
  // The run was deleted meanwhile.
  if (found === undefined) return { result: undefined, turn: undefined };
  if (job.retryCount > MAX_DEAD_WORKERS) {
    const reason = `${job.retryCount} workers died while running this prompt.`;
    return { result: failedResult(found, { reason }), turn: undefined };
  }
  const { runner } = await agentsOf(run, worker);
  return runner.run(found, stop.now);
}

function agentsOf(run: QueuedRun, worker: Worker): Promise<RunAgents> {
  const { agents, stop } = worker;
  const known = agents.get(run.id);
  if (known !== undefined) return known;
  const listeners = { onAnswer: () => undefined, onGivenUp: stop.onGivenUp };
  const opened = openRunAgents(run, worker, listeners).then((made) => {
    worker.gates.push(made.gates);
    return made;
  });
  agents.set(run.id, opened);
  return opened;
}

function currentPause({ gates }: Worker): Progress['waiting'] {
  return gates.map((gate) => gate.pause()).find((found) => found !== undefined);
}

/** Sends heartbeats, which keep the lease on this worker's jobs. */
async function sendHeartbeats(worker: Worker): Promise<void> {
  const { queue, held, onNote } = worker;
  const byQueue = Map.groupBy(held, ({ run }) => queueName(run));
  for (const [name, some] of byQueue) {
    try {
      await queue.touch(
        name,
        some.map(({ job }) => job),
      );
      worker.heartbeatsFail = false;
    } catch (thrown) {
      if (!worker.heartbeatsFail) onNote(`A heartbeat failed: ${errorMessage(thrown)}`);
      worker.heartbeatsFail = true;
    }
  }
}

/** Retries while the database is unavailable, because the result has been paid for. */
async function withDatabase<Value>(
  { onNote, maxWaitMs, stop }: Worker,
  ask: () => Promise<Value>,
  signal?: AbortSignal,
): Promise<Value> {
  const startedAt = Date.now();
  for (let tries = 1; ; tries += 1) {
    try {
      return await ask();
    } catch (thrown) {
      const waited = Date.now() - startedAt;
      if (waited > maxWaitMs) {
        stop.stop({ reason: 'failures', message: `The database is unavailable: ${errorMessage(thrown)}` });
        throw thrown;
      }
      if (tries === 1) onNote(`The database is unavailable; retrying: ${errorMessage(thrown)}`);
      await systemClock.sleep(backOffDelay(tries, DATABASE_BACK_OFF), signal);
    }
  }
}

/** The agents of a run on this machine. */
type RunAgents = OpenedAgents & { runner: PromptRunner };

/** Resolves the model of a run with the API keys of this machine. */
type LoadAgents = (run: Pick<QueuedRun, 'manifest'>) => Promise<Omit<AgentsOptions, 'maxWaitMs'>>;

async function openRunAgents(
  run: QueuedRun,
  { load, folder, maxWaitMs }: { load: LoadAgents; folder: string; maxWaitMs: number },
  listeners: RateLimiterListeners,
): Promise<RunAgents> {
  const { manifest, options } = run;
  const here = await load(run);
  const data = join(folder, run.id);
  const agents = await openAgents({ ...here, maxTurns: options.maxTurns, maxWaitMs }, data, listeners);
  const paths = runPaths(data);
  const runner = createPromptRunner({
    ...options,
    runtime: agents.runtime,
    manifest,
    readAttachments: here.readAttachments,
    foldersOf: (index) => ({ workspace: paths.workspace(index), inputFolder: options.inputFolder }),
  });
  return { ...agents, runner };
}

const PREFIX = 'hermes-batch-worker-';

/** Creates a temporary folder for the sessions of a worker, and removes those of killed workers. */
async function makeWorkerFolder(): Promise<{ folder: string; remove(): Promise<void> }> {
  removeAbandonedFolders(tmpdir(), PREFIX);
  const folder = await mkdtemp(join(tmpdir(), PREFIX));
  markFolderOwner(folder);
  return { folder, remove: () => rm(folder, { recursive: true, force: true, maxRetries: 3 }) };
}
