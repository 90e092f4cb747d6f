import type { Worker } from 'node:worker_threads';

/** A regular expression as plain data, which a thread can be given. */
export type Expression = Pick<RegExp, 'source' | 'flags'>;

/** Looks for lines with regular expressions that somebody else wrote. */
export interface ExpressionMatcher {
  /**
   * The numbers, from 0, of the lines that one of the expressions matches. Undefined where that took too long: it was
   * ended then. Lines must not have line breaks in them.
   */
  match(lines: readonly string[]): Promise<number[] | undefined>;
  /** Ends the thread, if there is one. */
  close(): void;
}

export type ExpressionMatcherOptions = {
  /** How long one question may take; only an expression that explodes needs more. */
  limitMs?: number;
  /** A thread that has nothing to do for so long is ended; the next question begins another. */
  idleMs?: number;
};

/** Where nothing repeats, the time is in proportion to the text. */
const CAN_REPEAT = /[*+?{]/;

/** Lines come as one text, which is handed over at a stroke. */
const THREAD = `const { parentPort, workerData } = require('node:worker_threads');
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
 * Some expressions take longer than the universe has with the right text, and nothing else of a thread runs meanwhile. So
 * they run in a thread of their own that can be ended, which is made for the first question. Those that cannot explode
 * need none.
 */
export function createExpressionMatcher(
  expressions: readonly Expression[],
  { limitMs = 1000, idleMs = 5000 }: ExpressionMatcherOptions = {},
): ExpressionMatcher {
  const isHarmless = expressions.every(({ source }) => !CAN_REPEAT.test(source));
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
    thread ??= startThread(expressions);
    const found = await answerOf(await thread, lines.join('\n'), limitMs);
    if (found === undefined) close();
    else idle = setTimeout(close, idleMs).unref();
    return found;
  }

  return {
    async match(lines) {
      if (lines.length === 0) return [];
      if (isHarmless) return matchHere(expressions, lines);
      // One after the other: a question that waits must not be stopped for the time of another.
      const answer = work.then(() => ask(lines));
      work = answer.catch(() => undefined);
      return answer;
    },
    close,
  };
}

function matchHere(expressions: readonly Expression[], lines: readonly string[]): number[] {
  const compiled = expressions.map(({ source, flags }) => new RegExp(source, flags));
  return lines.flatMap((line, at) => (compiled.some((expression) => expression.test(line)) ? [at] : []));
}

/** Resolves when it listens, so that its start does not count. The program does not wait for it at its end. */
async function startThread(expressions: readonly Expression[]): Promise<Worker> {
  const { Worker } = await import('node:worker_threads');
  const worker = new Worker(THREAD, { eval: true, workerData: expressions.map(plain), execArgv: [], env: {} });
  await new Promise<void>((resolve, reject) => {
    worker.once('message', () => resolve());
    worker.once('error', reject);
  });
  worker.unref();
  return worker;
}

const plain = ({ source, flags }: Expression): Expression => ({ source, flags });

/** The question keeps the program alive; undefined where there is no answer in time. */
function answerOf(worker: Worker, text: string, limitMs: number): Promise<number[] | undefined> {
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
