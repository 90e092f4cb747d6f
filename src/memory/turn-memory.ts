import { errorMessage } from '../base/index.ts';
import type { Logger, LearntTurn, MemoryProvider, TurnMemory } from '../contracts/index.ts';
import { scanText } from '../scanning/index.ts';
import { redactForModel, takeStart } from '../util/index.ts';

export type TurnMemoryOptions = {
  provider: MemoryProvider;
  logger: Logger;
  /** How long a turn waits for what is known: 3 s. */
  recallMs?: number;
  /** How long one turn may take to be learnt: 30 s. */
  learnMs?: number;
};

/** A provider around the turns of all sessions of a program. */
export interface ProviderMemory extends TurnMemory {
  /** For the prompt of a new session; undefined where there is nothing, or it took too long. */
  staticBlock(): Promise<string | undefined>;
  sessionEnded(sessionId: string): void;
  /** Waits so long for what is still to be learnt, then lets it be. */
  close(waitMs?: number): Promise<void>;
}

const RECALL_MS = 3_000;
const LEARN_MS = 30_000;
const CLOSE_MS = 5_000;
/** Turns that wait to be learnt; a service that is away for long must not fill the memory. */
const MOST_WAITING = 100;
const RECALLED_CHARACTERS = 4_000;

/** Nothing of a provider can stop a turn or make it fail: it has a little time, and what goes wrong is a line in the log. */
export function createProviderMemory(options: TurnMemoryOptions): ProviderMemory {
  const { provider, logger, recallMs = RECALL_MS, learnMs = LEARN_MS } = options;
  const closing = new AbortController();
  let available: Promise<boolean> | undefined;
  let waiting = 0;
  let last: Promise<void> = Promise.resolve();

  const isAvailable = () => {
    available ??= checkAvailable(provider, logger);
    // A check that failed says nothing about the next time.
    available.catch(() => (available = undefined));
    return available;
  };

  async function bounded<Value>(
    what: string,
    limitMs: number,
    task: (signal: AbortSignal) => Promise<Value>,
    stop?: AbortSignal,
  ): Promise<Value | undefined> {
    const signal = AbortSignal.any([AbortSignal.timeout(limitMs), closing.signal, ...(stop ? [stop] : [])]);
    try {
      if (!(await isAvailable())) return undefined;
      // A provider that does not listen to its signal is not waited for either.
      return await Promise.race([task(signal), aborted(signal)]);
    } catch (thrown) {
      if (stop?.aborted !== true) logger.warn(`memory provider: ${what} failed`, describe(provider, thrown));
      return undefined;
    }
  }

  function inBackground(what: string, task: (signal: AbortSignal) => Promise<void>): void {
    if (closing.signal.aborted) return;
    if (waiting >= MOST_WAITING) {
      logger.warn(`memory provider: ${what} was left out, too much is waiting`, { provider: provider.name });
      return;
    }
    waiting += 1;
    last = last.then(async () => {
      if (!closing.signal.aborted) await bounded(what, learnMs, task);
      waiting -= 1;
    });
  }

  return {
    async recall(query, signal) {
      const items = await bounded('recall', recallMs, (limit) => provider.recall(query, limit), signal);
      return items === undefined ? undefined : fitForModel(items, logger);
    },
    async staticBlock() {
      const text = await bounded('static block', recallMs, async (limit) => provider.staticBlock?.(limit));
      return text === undefined ? undefined : fitForModel([text], logger);
    },
    learn(turn: LearntTurn) {
      if (provider.learnTurn === undefined) return;
      inBackground('learning', async (signal) => provider.learnTurn?.(turn, signal));
    },
    sessionEnded(sessionId) {
      if (provider.sessionEnded === undefined) return;
      inBackground('end of a session', async (signal) => provider.sessionEnded?.(sessionId, signal));
    },
    async close(waitMs = CLOSE_MS) {
      await withinTime(last, waitMs);
      closing.abort(new Error('the program ends'));
      await withinTime(provider.close?.() ?? Promise.resolve(), waitMs).catch((thrown: unknown) =>
        logger.warn('memory provider: closing failed', describe(provider, thrown)),
      );
    },
  };
}

async function checkAvailable(provider: MemoryProvider, logger: Logger): Promise<boolean> {
  const answer = await provider.isAvailable();
  if (answer === true) return true;
  logger.warn('the memory provider is not used', { provider: provider.name, reason: answer.reason });
  return false;
}

/** What others wrote once, fit to be put before a model again: bounded, without secrets, and without what looks like an attack. */
async function fitForModel(items: readonly string[], logger: Logger): Promise<string | undefined> {
  const fitting: string[] = [];
  let room = RECALLED_CHARACTERS;
  for (const item of items) {
    const whole = redactForModel(item.toWellFormed().trim());
    // The best one is worth a part of it; of the others only what fits.
    const text = fitting.length === 0 ? takeStart(whole, room) : whole;
    if (text === '' || text.length > room) continue;
    const findings = await scanText(text, 'context');
    if (findings.length > 0) {
      logger.warn('recalled text was left out', { rules: findings.map(({ rule }) => rule).join(', ') });
      continue;
    }
    fitting.push(text);
    room -= text.length;
  }
  return fitting.length === 0 ? undefined : fitting.join('\n\n');
}

function describe(provider: MemoryProvider, thrown: unknown): { provider: string; reason: string } {
  return { provider: provider.name, reason: errorMessage(thrown) };
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const stop = () => reject(signal.reason as Error);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
}

async function withinTime(task: Promise<void>, milliseconds: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const time = new Promise<void>((resolve) => (timer = setTimeout(resolve, milliseconds)));
  await Promise.race([task, time]).finally(() => clearTimeout(timer));
}
