import { canonicalJson, type Clock, errorMessage, errorType, startTimer } from '../base/index.ts';
import type { BatchContext, Concurrency, PreparedCall, ToolOutcome } from '../contracts/index.ts';
import { createSemaphore } from '../util/index.ts';
import { type CallResult, notStarted, type ReadyCall } from './run-call.ts';
import { createCallSchedule } from './schedule.ts';
import { errorContent } from './tool-stop.ts';
import { createWorkTime, type WorkTime } from './work-time.ts';

/** How many calls run in parallel. */
export const MAX_PARALLEL = 8;
/** Yield to the event loop after this many results. */
const YIELD_EVERY = 32;
/** Appended to the result of a duplicate call, unless the tool is read-only. */
const DUPLICATE_NOTICE =
  '[Not run again: this is the result of the identical call earlier in this message. To run the call twice, repeat it in a separate message.]';

export type BatchParts = {
  execute(ready: ReadyCall, context: BatchContext): Promise<CallResult>;
  scope(ready: ReadyCall): Promise<Concurrency>;
  asksThePerson(ready: ReadyCall): boolean;
  clock: Clock;
  /** Limits of one result and of the whole batch, in characters. */
  limits(context: BatchContext): { result: number; batch: number };
  /** Truncates a result further to make room for the others. */
  shorten(result: CallResult, limit: number, context: BatchContext): Promise<CallResult>;
};

type Finished = { result: CallResult; durationMs: number };

/** Runs the calls of one message, in parallel where their scopes allow it, and delivers the results in call order. */
export async function runBatch(
  prepared: readonly PreparedCall[],
  context: BatchContext,
  parts: BatchParts,
): Promise<void> {
  const delivery = { failed: false, error: undefined as unknown };
  const finished = await startAll(prepared, context, parts, () => delivery.failed);
  const room = createDelivery(finished, context, parts);
  for (const [index, call] of prepared.entries()) {
    // Awaiting settled results and a fast store never yields to the event loop, so an interrupt would not be noticed.
    if (index % YIELD_EVERY === YIELD_EVERY - 1) await new Promise(setImmediate);
    const { result, durationMs } = await room.take(index);
    try {
      await context.onResult(call, outcomeOf(result), durationMs);
    } catch (thrown) {
      // A result could not be stored: start no further calls, but wait for the running ones.
      if (!delivery.failed) delivery.error = thrown;
      delivery.failed = true;
    }
  }
  if (delivery.failed) throw delivery.error;
}

/** The part of a result that the agent needs. */
function outcomeOf({ status, content, attachments }: CallResult): ToolOutcome {
  return attachments === undefined ? { status, content } : { status, content, attachments };
}

/**
 * Keeps the results of a batch within their common limit. A result that may have to be truncated waits for the later
 * ones; all others are delivered immediately.
 */
function createDelivery(finished: readonly Promise<Finished>[], context: BatchContext, parts: BatchParts) {
  const limits = parts.limits(context);
  const budget = createBatchBudget(limits.batch, finished.length, limits.result);
  let decided: { level: number | undefined } | undefined;
  return {
    async take(index: number): Promise<Finished> {
      const done = await (finished[index] as Promise<Finished>);
      const { length } = done.result.content;
      if (!decided && !budget.isSafe(length, finished.length - index - 1)) {
        const rest = await Promise.all(finished.slice(index));
        decided = { level: budget.levelFor(rest.map(({ result }) => result.content.length)) };
      }
      const level = decided?.level;
      if (level === undefined || length <= level) {
        budget.take(length);
        return done;
      }
      return { ...done, result: await parts.shorten(done.result, level, context) };
    },
  };
}

async function startAll(
  prepared: readonly PreparedCall[],
  context: BatchContext,
  parts: BatchParts,
  isStopped: () => boolean,
): Promise<Promise<Finished>[]> {
  const scopes = await planScopes(prepared, parts);
  const places = createSemaphore(MAX_PARALLEL);
  const timetable = createCallSchedule();
  const twins = createDeduplicator();
  const limited = limitTime(scopes, context, parts);
  return prepared.map((call, index) => {
    if (call.status !== 'ready') return Promise.resolve({ result: notRunnable(call), durationMs: 0 });
    const scope = scopes[index] as Concurrency;
    const run = () =>
      limited === undefined || scope.mode === 'barrier'
        ? runTimed(call, context, parts, isStopped)
        : limited.deadline.run(() => runTimed(call, limited.context, parts, isStopped));
    const start = () => timetable.add(scope, () => places.use(run));
    // A single call has no twin.
    return prepared.length === 1 ? start() : twins.runOnce(call, start);
  });
}

/** Parallel calls share a deadline. A call that runs alone has its own timeout. */
function limitTime(
  scopes: readonly Concurrency[],
  context: BatchContext,
  { clock }: BatchParts,
): { deadline: WorkTime; context: BatchContext } | undefined {
  if (scopes.every(({ mode }) => mode === 'barrier')) return undefined;
  const deadline = createBatchDeadline(clock);
  const signal = AbortSignal.any([context.signal, deadline.signal]);
  return { deadline, context: { ...context, signal, interaction: deadline.pauseWhileAsking(context.interaction) } };
}

/** A batch that asks the user something runs sequentially. A single call needs no plan. */
async function planScopes(prepared: readonly PreparedCall[], parts: BatchParts): Promise<Concurrency[]> {
  const ready = prepared.filter((call) => call.status === 'ready');
  const inSequence = ready.length < 2 || ready.some((call) => parts.asksThePerson(call));
  return Promise.all(
    prepared.map(async (call): Promise<Concurrency> => {
      return inSequence || call.status !== 'ready' ? { mode: 'barrier' } : parts.scope(call);
    }),
  );
}

async function runTimed(
  ready: ReadyCall,
  context: BatchContext,
  parts: BatchParts,
  isStopped: () => boolean,
): Promise<Finished> {
  if (context.signal.aborted || isStopped()) return { result: notStarted(context.signal), durationMs: 0 };
  const elapsed = startTimer(parts.clock);
  const result = await catchErrors(async () => {
    context.onStarted(ready);
    return parts.execute(ready, context);
  });
  return { result, durationMs: elapsed() };
}

/** Turns an exception into an outcome, because later results would otherwise wait forever. */
export async function catchErrors(work: () => Promise<CallResult>): Promise<CallResult> {
  try {
    return await work();
  } catch (thrown) {
    const message = `Tool execution failed: ${errorType(thrown)}: ${errorMessage(thrown)}`;
    return { status: 'error', content: errorContent(message) };
  }
}

/**
 * Runs identical calls once and gives both the result, unless a call between them may have changed the answer: tests
 * before and after a patch are two runs.
 */
function createDeduplicator() {
  const latest = new Map<string, { place: number; finished: Promise<Finished> }>();
  let place = 0;
  let lastChange = 0;
  return {
    runOnce(call: ReadyCall, start: () => Promise<Finished>): Promise<Finished> {
      const key = `${call.toolName} ${canonicalJson(call.args)}`;
      const twin = latest.get(key);
      if (twin && lastChange <= twin.place) {
        return twin.finished.then(({ result }) => ({ result: sharedResult(call, result), durationMs: 0 }));
      }
      place += 1;
      if (!call.readOnly) lastChange = place;
      const finished = start();
      latest.set(key, { place, finished });
      return finished;
    },
  };
}

/**
 * The result for the second of two identical calls. Unless the tool is read-only, it says that the call ran only
 * once.
 */
function sharedResult({ readOnly }: ReadyCall, result: CallResult): CallResult {
  if (readOnly || (result.status !== 'ok' && result.status !== 'error')) return result;
  return { ...result, content: `${result.content}\n${DUPLICATE_NOTICE}` };
}

export function notRunnable(call: Exclude<PreparedCall, ReadyCall>): ToolOutcome {
  return { status: call.status === 'refused' ? 'refused' : 'invalid', content: errorContent(call.message) };
}

/** Timeout of the parallel calls of a batch. */
const DEADLINE_MS = 420_000;

/** Abort reason of calls whose batch timed out. */
export class BatchTimeout extends Error {
  constructor() {
    super(`the parallel calls of one message may take ${DEADLINE_MS / 1000} s in total`);
  }
}

/** The deadline of the parallel calls of a batch. */
function createBatchDeadline(clock: Clock): WorkTime {
  return createWorkTime(DEADLINE_MS, clock, () => new BatchTimeout());
}

/** A result is never truncated below this to make room for others. */
const MIN_TRUNCATED_LENGTH = 500;

/** The character budget of one batch. It is spent in call order, but truncates the largest results. */
interface BatchBudget {
  /** Whether a result can be delivered before the later ones are known, because it will never be truncated. */
  isSafe(length: number, remaining: number): boolean;
  take(length: number): void;
  /** The length to truncate results to so that all fit; undefined if they fit anyway. */
  levelFor(lengths: readonly number[]): number | undefined;
}

function createBatchBudget(limit: number, count: number, resultLimit: number): BatchBudget {
  let left = limit;
  const share = limit / Math.max(count, 1);
  return {
    // A result no longer than an even share is never truncated.
    isSafe: (length, remaining) => length <= share || length + remaining * resultLimit <= left,
    take(length) {
      left -= length;
    },
    levelFor(lengths) {
      let room = left;
      const ascending = [...lengths].sort((a, b) => a - b);
      for (const [index, length] of ascending.entries()) {
        const others = ascending.length - index;
        if (length * others > room) return Math.max(Math.floor(room / others), MIN_TRUNCATED_LENGTH);
        room -= length;
      }
      return undefined;
    },
  };
}
