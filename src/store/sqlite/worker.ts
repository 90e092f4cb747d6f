/** Where a worker begins: it does the one task it was started for, tells what came of it, and ends. */
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

// All of it is copied, nothing handed over.
parentPort?.postMessage(await answer(), []);
