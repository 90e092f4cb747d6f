import { errorMessage } from '../base/index.ts';
import type { LearnedTurn, Logger, MemoryProvider, TurnMemory } from '../contracts/index.ts';
import { scanText } from '../scanning/index.ts';
import { settlesWithin, redactForModel, takeStart, withTimeout } from '../util/index.ts';

const RECALLED_CHARACTERS = 4_000;

export type TurnMemoryOptions = {
  provider: MemoryProvider;
  logger: Logger;
  /** How long a turn waits for recall; 3 s by default. */
  recallMs?: number;
  /** How long learning from one turn may take; 30 s by default. */
  learnMs?: number;
};

/** A memory provider wrapped for the turns of all sessions of a process. */
export interface ProviderMemory extends TurnMemory {
  /** Text for the prompt of a new session; undefined if there is none or it took too long. */
  staticBlock(): Promise<string | undefined>;
  sessionEnded(sessionId: string): void;
  /** Waits this long for pending work, then aborts it. */
  close(waitMs?: number): Promise<void>;
}

const RECALL_MS = 3_000;
const LEARN_MS = 30_000;
const CLOSE_MS = 5_000;
/** Maximum queued turns, so that an unreachable service does not fill the memory. */
const MAX_WAITING = 100;

/** A provider cannot block a turn or make it fail: every call has a timeout, and errors are only logged. */
export function createProviderMemory(options: TurnMemoryOptions): ProviderMemory {
  const { provider, logger, recallMs = RECALL_MS, learnMs = LEARN_MS } = options;
  const closing = new AbortController();
  const bounded = createTimeLimitedCall(options, closing.signal);
  const inBackground = createQueue(logger, closing.signal);
  const background = (what: string, task: (signal: AbortSignal) => Promise<void>) =>
    inBackground.add(what, () => bounded(what, learnMs, task));
  return {
    async recall(query, signal) {
      const items = await bounded('recall', recallMs, (limit) => provider.recall(query, limit), signal);
      return items === undefined ? undefined : fitRecalled(items, logger);
    },
    async staticBlock() {
      const text = await bounded('static block', recallMs, async (limit) => provider.staticBlock?.(limit));
      return text === undefined ? undefined : fitRecalled([text], logger);
    },
    learn(turn: LearnedTurn) {
      if (provider.learnTurn) background('learning', async (signal) => provider.learnTurn?.(turn, signal));
    },
    sessionEnded(sessionId) {
      if (!provider.sessionEnded) return;
      background('end of a session', async (signal) => provider.sessionEnded?.(sessionId, signal));
    },
    async close(waitMs = CLOSE_MS) {
      await settlesWithin(inBackground.settled(), waitMs);
      closing.abort(new Error('Hermes is shutting down'));
      await withTimeout(provider.close?.() ?? Promise.resolve(), waitMs).catch((thrown: unknown) =>
        logger.warn('memory provider: closing failed', describe(provider, thrown)),
      );
    },
  };
}

/** Runs a provider call with a timeout. Returns undefined if it timed out or failed. */
function createTimeLimitedCall({ provider, logger }: TurnMemoryOptions, closing: AbortSignal) {
  let available: Promise<boolean> | undefined;
  const isAvailable = () => {
    available ??= checkAvailable(provider, logger);
    // A failed check is repeated the next time.
    available.catch(() => (available = undefined));
    return available;
  };
  return async <Value>(
    what: string,
    limitMs: number,
    task: (signal: AbortSignal) => Promise<Value>,
    stop?: AbortSignal,
  ): Promise<Value | undefined> => {
    const signal = AbortSignal.any([AbortSignal.timeout(limitMs), closing, ...(stop ? [stop] : [])]);
    try {
      if (!(await isAvailable())) return undefined;
      // Do not wait for a provider that ignores its signal.
      return await Promise.race([task(signal), aborted(signal)]);
    } catch (thrown) {
      if (stop?.aborted !== true) logger.warn(`memory provider: ${what} failed`, describe(provider, thrown));
      return undefined;
    }
  };
}

/** Runs tasks one after the other, in order. */
function createQueue(logger: Logger, closing: AbortSignal) {
  let waiting = 0;
  let last: Promise<void> = Promise.resolve();
  async function runAfter(before: Promise<void>, task: () => Promise<unknown>): Promise<void> {
    await before;
    if (!closing.aborted) await task();
    waiting -= 1;
  }
  return {
    settled: () => last,
    add(what: string, task: () => Promise<unknown>): void {
      if (closing.aborted) return;
      if (waiting >= MAX_WAITING) return logger.warn(`memory provider: ${what} was skipped, the queue is full`);
      waiting += 1;
      last = runAfter(last, task);
    },
  };
}

async function checkAvailable(provider: MemoryProvider, logger: Logger): Promise<boolean> {
  const answer = await provider.isAvailable();
  if (answer === true) return true;
  logger.warn('memory provider is not available', { provider: provider.name, reason: answer.reason });
  return false;
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

/**
 * Prepares recalled text for a model: limited in length, without secrets, and without text that looks like a prompt
 * injection.
 */
async function fitRecalled(items: readonly string[], logger: Logger): Promise<string | undefined> {
  const fitting: string[] = [];
  let room = RECALLED_CHARACTERS;
  for (const item of items) {
    const whole = redactForModel(item.toWellFormed().trim());
    // The first match may be truncated to fit; later ones are included only if they fit.
    const text = fitting.length === 0 ? takeStart(whole, room) : whole;
    if (text === '' || text.length > room) continue;
    const findings = await scanText(text, 'context');
    if (findings.length > 0) {
      logger.warn('recalled text was omitted', { rules: findings.map(({ rule }) => rule).join(', ') });
      continue;
    }
    fitting.push(text);
    room -= text.length;
  }
  return fitting.length === 0 ? undefined : fitting.join('\n\n');
}
