import type { Worker } from 'node:worker_threads';

/** A regular expression as plain data that can be passed to a thread. */
export type Expression = Pick<RegExp, 'source' | 'flags'>;

/** Matches lines against regular expressions from untrusted sources. */
export interface ExpressionMatcher {
  /**
   * The indexes of the lines that match at least one of the expressions; undefined if matching timed out. Lines must
   * not contain line breaks.
   */
  match(lines: readonly string[]): Promise<number[] | undefined>;
  /** Terminates the thread, if one is running. */
  close(): void;
}

export type ExpressionMatcherOptions = {
  /** Time limit for one request; only catastrophic backtracking exceeds it. */
  timeoutMs?: number;
  /** An idle thread is terminated after this time; the next request starts a new one. */
  idleMs?: number;
};

/** Without repetition, matching takes linear time. */
const REPETITION = /[*+?{]/;

/** The lines are sent as one string, because that is faster than sending an array. */
const WORKER_SOURCE = `const { parentPort, workerData } = require('node:worker_threads');
const expressions = workerData.map(({ source, flags }) => new RegExp(source, flags));
parentPort.on('message', (text) => {
  const found = [];
  text.split('\\n').forEach((line, at) => {
    if (expressions.some((expression) => expression.test(line))) found.push(at);
  });
  parentPort.postMessage(found);
});
parentPort.postMessage('ready');`;

/**
 * With catastrophic backtracking an expression may effectively never finish, and it blocks its thread. Such
 * expressions therefore run in a worker thread that can be terminated; it is started on first use. Expressions
 * without repetition do not need one.
 */
export function createExpressionMatcher(
  expressions: readonly Expression[],
  { timeoutMs = 1000, idleMs = 5000 }: ExpressionMatcherOptions = {},
): ExpressionMatcher {
  const isHarmless = expressions.every(({ source }) => !REPETITION.test(source));
  let thread: Promise<Worker> | undefined;
  let idle: NodeJS.Timeout | undefined;
  let work: Promise<unknown> = Promise.resolve();

  function close(): void {
    clearTimeout(idle);
    const ending = thread;
    thread = undefined;
    void ending?.then((worker) => worker.terminate()).catch(() => undefined);
  }

  async function ask(lines: readonly string[]): Promise<number[] | undefined> {
    clearTimeout(idle);
    thread ??= startWorker(expressions);
    const found = await requestMatches(await thread, lines.join('\n'), timeoutMs);
    if (found === undefined) close();
    else idle = setTimeout(close, idleMs).unref();
    return found;
  }

  return {
    async match(lines) {
      if (lines.length === 0) return [];
      if (isHarmless) return matchInProcess(expressions, lines);
      // Requests run one at a time, so that waiting does not count towards a request's time limit.
      const answer = work.then(() => ask(lines));
      work = answer.catch(() => undefined);
      return answer;
    },
    close,
  };
}

function matchInProcess(expressions: readonly Expression[], lines: readonly string[]): number[] {
  const compiled = expressions.map(({ source, flags }) => new RegExp(source, flags));
  return lines.flatMap((line, at) => (compiled.some((expression) => expression.test(line)) ? [at] : []));
}

/**
 * Resolves when the thread is ready, so that its startup does not count towards the time limit. The thread does not
 * keep the process alive.
 */
async function startWorker(expressions: readonly Expression[]): Promise<Worker> {
  const { Worker } = await import('node:worker_threads');
  const worker = new Worker(WORKER_SOURCE, { eval: true, workerData: expressions.map(plain), execArgv: [], env: {} });
  await new Promise<void>((resolve, reject) => {
    worker.once('message', () => resolve());
    worker.once('error', reject);
  });
  worker.unref();
  return worker;
}

const plain = ({ source, flags }: Expression): Expression => ({ source, flags });

/** Returns undefined if the request times out. A pending request keeps the process alive. */
function requestMatches(worker: Worker, text: string, limitMs: number): Promise<number[] | undefined> {
  return new Promise((resolve) => {
    const finish = (found: number[] | undefined) => {
      clearTimeout(timer);
      worker.off('message', finish).off('exit', gone).unref();
      resolve(found);
    };
    const gone = () => finish(undefined);
    const timer = setTimeout(gone, limitMs);
    worker.on('message', finish).on('exit', gone).ref();
    worker.postMessage(text, []);
  });
}
