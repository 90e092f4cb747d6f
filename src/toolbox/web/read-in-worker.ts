import type { Worker } from 'node:worker_threads';
import { ToolFailure } from '../../tools/index.ts';
import type { PageAnswer, PageOrder, PageText } from './page-order.ts';

declare const HERMES_PAGE_WORKER: string | undefined;

/** Beside this file: the source, or what the build made of it. */
const ENTRY = typeof HERMES_PAGE_WORKER === 'string' ? HERMES_PAGE_WORKER : './page-worker.ts';

const TIME_LIMIT_MS = 30_000;
const MEMORY_MB = 768;
/**
 * By so much the whole program may grow meanwhile. What a PDF file unfolds lies outside of the memory that a thread can be
 * limited to, and three million bytes can unfold into three thousand million.
 */
const GROWTH_BYTES = 1200 * 1024 * 1024;
const LOOK_EVERY_MS = 50;

export type ReadingLimits = { timeMs?: number; growthBytes?: number };

/**
 * Turns a page into text in a thread of its own: a large page takes seconds, a nasty one for ever or all memory, and
 * neither may hold up or end anything else.
 */
export async function readInWorker(
  order: PageOrder,
  signal: AbortSignal,
  { timeMs = TIME_LIMIT_MS, growthBytes = GROWTH_BYTES }: ReadingLimits = {},
): Promise<PageText> {
  signal.throwIfAborted();
  const { Worker } = await import('node:worker_threads');
  const worker = new Worker(new URL(ENTRY, import.meta.url), {
    workerData: order,
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
    // What packages say is for nobody here.
    ...{ stdout: true, stderr: true },
  });
  const timeLimit = AbortSignal.timeout(timeMs);
  const memory = watchMemory(growthBytes);
  try {
    const answer = await answerOf(worker, AbortSignal.any([signal, timeLimit, memory.limit]));
    if ('page' in answer) return answer.page;
    throw new ToolFailure(`it could not be turned into text: ${answer.fault}`);
  } catch (thrown) {
    signal.throwIfAborted();
    if (timeLimit.aborted) throw new ToolFailure('it took too long to turn it into text');
    throw thrown;
  } finally {
    memory.stop();
    await worker.terminate();
  }
}

/** A signal that comes when the program has grown too much. */
function watchMemory(growthBytes: number): { limit: AbortSignal; stop(): void } {
  const grown = new AbortController();
  const most = process.memoryUsage.rss() + growthBytes;
  const timer = setInterval(() => {
    if (process.memoryUsage.rss() > most) grown.abort(new ToolFailure('it unfolds into more than can be read'));
  }, LOOK_EVERY_MS);
  return { limit: grown.signal, stop: () => clearInterval(timer) };
}

function answerOf(worker: Worker, signal: AbortSignal): Promise<PageAnswer> {
  return new Promise((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', () => reject(new ToolFailure('it is too large or too deep to be turned into text')));
    worker.once('exit', () => reject(new ToolFailure('nothing came of turning it into text')));
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
}
