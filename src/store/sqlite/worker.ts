/** The entry point of a worker thread: runs one task, posts its result and exits. */
import { parentPort, workerData } from 'node:worker_threads';
import { serializeError } from './serialize-error.ts';
import type { WorkerResult, WorkerRequest } from './run-in-worker.ts';
import { TASKS } from './worker-tasks.ts';

const { name, args } = workerData as WorkerRequest;
const task = TASKS[name] as (...args: unknown[]) => Promise<unknown>;

async function answer(): Promise<WorkerResult> {
  try {
    return { value: await task(...args) };
  } catch (thrown) {
    return { thrown: serializeError(thrown) };
  }
}

// Everything is copied, nothing is transferred.
parentPort?.postMessage(await answer(), []);
