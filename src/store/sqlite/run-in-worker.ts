import type { Worker } from 'node:worker_threads';
import { exitFacts } from '../../base/index.ts';
import { type SerializedError, deserializeError } from './serialize-error.ts';
import type { IntegrityReport } from './integrity.ts';
import type { RebuiltIndex } from './rebuild-index.ts';
import type { OptimizeReport } from './optimize.ts';
import type { RepairReport } from './repair.ts';
import { removeStagingFiles } from './database-file.ts';
import type { TaskName, TaskResult, Tasks } from './worker-tasks.ts';

export type WorkerRequest = { name: TaskName; args: unknown[] };
export type WorkerResult = { value: unknown } | { thrown: SerializedError };

declare const HERMES_STORE_WORKER: string | undefined;

/** The file of the worker, next to this one: the source, or its bundle in a build. */
const ENTRY = typeof HERMES_STORE_WORKER === 'string' ? HERMES_STORE_WORKER : './worker.ts';

/** How long to wait for a worker to stop: SQLite cannot interrupt a statement. */
const STOP_GRACE_MS = 1_000;

/**
 * Runs a task of the store in a worker thread, so that signals and timers still work here. If the signal is aborted, the
 * worker is terminated and the reason of the signal is thrown; an open transaction is rolled back.
 */
export async function runInWorker<Name extends TaskName>(
  name: Name,
  args: Parameters<Tasks[Name]>,
  signal?: AbortSignal,
): Promise<TaskResult<Name>> {
  signal?.throwIfAborted();
  const { isMainThread, Worker } = await import('node:worker_threads');
  if (!isMainThread) return runHere(name, args);
  const order: WorkerRequest = { name, args };
  const worker = new Worker(new URL(ENTRY, import.meta.url), { workerData: order });
  process.on('exit', exitImmediately);
  worker.once('exit', () => process.off('exit', exitImmediately));
  return (await Promise.race([answerOf(worker, signal), stopOf(worker, signal)])) as TaskResult<Name>;
}

async function runHere<Name extends TaskName>(name: Name, args: Parameters<Tasks[Name]>): Promise<TaskResult<Name>> {
  const { TASKS } = await import('./worker-tasks.ts');
  return (TASKS[name] as (...args: unknown[]) => Promise<TaskResult<Name>>)(...args);
}

function answerOf(worker: Worker, signal: AbortSignal | undefined): Promise<unknown> {
  return new Promise((resolve, reject) => {
    worker.once('message', (answer: WorkerResult) => {
      if ('value' in answer) resolve(answer.value);
      else reject(deserializeError(answer.thrown));
    });
    worker.once('error', reject);
    worker.once('exit', (code) => {
      // A worker that was stopped sends no answer; `stopOf` rejects then.
      if (!signal?.aborted) reject(new Error(`the store worker exited with code ${code} without a result`));
    });
  });
}

/** Rejects when the signal was aborted and the worker has stopped; never settles otherwise. */
function stopOf(worker: Worker, signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    const stop = async () => {
      const grace = new Promise((resolve) => setTimeout(resolve, STOP_GRACE_MS).unref());
      await Promise.race([worker.terminate(), grace]);
      reject(signal?.reason as Error);
    };
    const onAbort = () => void stop();
    signal?.addEventListener('abort', onAbort, { once: true });
    worker.once('exit', () => signal?.removeEventListener('abort', onAbort));
  });
}

/**
 * On exit Node waits for all threads, and a running statement cannot be interrupted; VACUUM of a large file takes
 * minutes. After an interrupt nobody wants to wait for that, and SQLite recovers. Only killing the process with the
 * signal itself avoids the wait, and the shell reports the same exit code for it.
 */
function exitImmediately(exitCode: number): void {
  if (exitCode !== exitFacts('interrupted').exitCode) return;
  process.removeAllListeners('SIGINT');
  process.kill(process.pid, 'SIGINT');
}

type Abortable = {
  /** Aborts the task; unfinished changes are rolled back. */
  signal?: AbortSignal;
};

/** Checks a whole file without changing it, which takes as long as reading it. */
export function checkIntegrity(file: string, { signal }: Abortable = {}): Promise<IntegrityReport> {
  return runInWorker('checkIntegrity', [file], signal);
}

/** Rebuilds the search index of a file from its messages; the note is shown to the user. */
export function rebuildSearchIndex(file: string, { signal }: Abortable = {}): Promise<RebuiltIndex> {
  return runInWorker('rebuildSearchIndex', [file], signal);
}

/** Updates the search index and returns free space to the disk. */
export function optimizeDatabase(file: string, { signal }: Abortable = {}): Promise<OptimizeReport> {
  return runInWorker('optimizeDatabase', [file], signal);
}

/** Copies a consistent snapshot of a database while others use it. */
export function backUpDatabase(file: string, target: string, { signal }: Abortable = {}): Promise<void> {
  return runInWorker('backUpDatabase', [file, target], signal);
}

/** Copies everything readable of a corrupt file into a new one, which appears when it is complete. */
export async function repairDatabase(file: string, target: string, { signal }: Abortable = {}): Promise<RepairReport> {
  try {
    return await runInWorker('repairDatabase', [file, target], signal);
  } finally {
    // A worker that was terminated could not clean up.
    removeStagingFiles(target);
  }
}
