import type { Worker } from 'node:worker_threads';
import { exitFacts } from '../../base/index.ts';
import { type CarriedError, unpackError } from './carried-error.ts';
import type { IntegrityReport } from './integrity.ts';
import type { RebuiltIndex } from './mend-index.ts';
import type { OptimizeReport } from './optimize.ts';
import type { RepairReport } from './repair.ts';
import { removeUnfinished } from './database-file.ts';
import type { TaskName, TaskResult, Tasks } from './worker-tasks.ts';

export type WorkerOrder = { name: TaskName; args: unknown[] };
export type WorkerAnswer = { value: unknown } | { thrown: CarriedError };

declare const HERMES_STORE_WORKER: string | undefined;

/** Beside this file: the source, or what the build made of it. */
const ENTRY = typeof HERMES_STORE_WORKER === 'string' ? HERMES_STORE_WORKER : './worker.ts';

/** How long a task that is to stop is waited for: SQLite ends no statement before it is done. */
const STOP_GRACE_MS = 1_000;

/**
 * Does a task of the store in a thread of its own, so that signals, timers and everything else go on here. Where the
 * signal is aborted the task is ended, and its reason is thrown; a transaction it was in has then not happened.
 */
export async function runInWorker<Name extends TaskName>(
  name: Name,
  args: Parameters<Tasks[Name]>,
  signal?: AbortSignal,
): Promise<TaskResult<Name>> {
  signal?.throwIfAborted();
  const { isMainThread, Worker } = await import('node:worker_threads');
  // A thread of its own is what this is for, and it is one already.
  if (!isMainThread) return runHere(name, args);
  const order: WorkerOrder = { name, args };
  const worker = new Worker(new URL(ENTRY, import.meta.url), { workerData: order });
  process.on('exit', leaveAtOnce);
  worker.once('exit', () => process.off('exit', leaveAtOnce));
  return (await Promise.race([answerOf(worker, signal), stopOf(worker, signal)])) as TaskResult<Name>;
}

async function runHere<Name extends TaskName>(name: Name, args: Parameters<Tasks[Name]>): Promise<TaskResult<Name>> {
  const { TASKS } = await import('./worker-tasks.ts');
  return (TASKS[name] as (...args: unknown[]) => Promise<TaskResult<Name>>)(...args);
}

function answerOf(worker: Worker, signal: AbortSignal | undefined): Promise<unknown> {
  return new Promise((resolve, reject) => {
    worker.once('message', (answer: WorkerAnswer) => {
      if ('value' in answer) resolve(answer.value);
      else reject(unpackError(answer.thrown));
    });
    worker.once('error', reject);
    worker.once('exit', (code) => {
      // One that was stopped has nothing to answer, and that is told elsewhere.
      if (!signal?.aborted) reject(new Error(`the worker of the session store ended with ${code} and no answer`));
    });
  });
}

/** Rejects when the signal has come and the worker has ended; never settles otherwise. */
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
 * At its end Node waits for all threads, and one that is in the middle of a statement cannot be stopped; giving back the
 * space of a large file takes minutes. Whoever has interrupted us does not want to wait for that, and SQLite takes no
 * harm. Ending by the signal itself is the one way out, and what a shell shows for it is the same exit code.
 */
function leaveAtOnce(exitCode: number): void {
  if (exitCode !== exitFacts('interrupted').exitCode) return;
  process.removeAllListeners('SIGINT');
  process.kill(process.pid, 'SIGINT');
}

type Stoppable = {
  /** Ends the work; what it had not finished is as if it had not begun. */
  signal?: AbortSignal;
};

/** Looks through a whole file without changing it, which takes as long as reading it does. */
export function checkIntegrity(file: string, { signal }: Stoppable = {}): Promise<IntegrityReport> {
  return runInWorker('checkIntegrity', [file], signal);
}

/** Builds the search index of a file anew from its messages; the note is for the person. */
export function rebuildSearchIndex(file: string, { signal }: Stoppable = {}): Promise<RebuiltIndex> {
  return runInWorker('rebuildSearchIndex', [file], signal);
}

/** Brings the search up to all messages, and returns free space to the disk. */
export function optimizeDatabase(file: string, { signal }: Stoppable = {}): Promise<OptimizeReport> {
  return runInWorker('optimizeDatabase', [file], signal);
}

/** Copies a database as it is at one moment, while others go on with it. */
export function backUpDatabase(file: string, target: string, { signal }: Stoppable = {}): Promise<void> {
  return runInWorker('backUpDatabase', [file, target], signal);
}

/** Writes what can be read of a damaged file into a new one, which is there when it is whole. */
export async function repairDatabase(file: string, target: string, { signal }: Stoppable = {}): Promise<RepairReport> {
  try {
    return await runInWorker('repairDatabase', [file, target], signal);
  } finally {
    // A worker that was ended could not tidy up.
    removeUnfinished(target);
  }
}
