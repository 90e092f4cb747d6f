/** The entry point of a worker thread: runs one task, posts its result and exits. */
import { parentPort, workerData } from 'node:worker_threads';
import { packError } from './carried-error.ts';
import type { WorkerAnswer, WorkerOrder } from './run-in-worker.ts';
import { TASKS } from './worker-tasks.ts';

const { name, args } = workerData as WorkerOrder;
const task = TASKS[name] as (...args: unknown[]) => Promise<unknown>;

async function answer(): Promise<WorkerAnswer> {
  try {
    return { value: await task(...args) };
  } catch (thrown) {
    return { thrown: packError(thrown) };
  }
}

// Everything is copied, nothing is transferred.
parentPort?.postMessage(await answer(), []);
