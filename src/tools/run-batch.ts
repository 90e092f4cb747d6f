import { canonicalJson, type Clock, errorMessage, errorType } from '../base/index.ts';
import type { BatchContext, Concurrency, PreparedCall, ToolOutcome } from '../contracts/index.ts';
import { createSemaphore } from '../util/index.ts';
import { type CallResult, notStarted, type ReadyCall } from './run-call.ts';
import { createTimetable } from './schedule.ts';
import { errorContent } from './tool-stop.ts';
import { createWorkTime, type WorkTime } from './work-time.ts';

/** At most so many calls run at once. */
export const MAX_PARALLEL = 8;
/** After so many results the event loop gets its turn. */
const YIELD_EVERY = 32;
/** Said to the second of two identical calls, unless its tool declares that it only reads. */
const RUN_ONCE =
  '[Run once: the same call stands before it in this message, and this is its result. To run it again, call it in a message of its own.]';

export type BatchParts = {
  execute(ready: ReadyCall, context: BatchContext): Promise<CallResult>;
  scope(ready: ReadyCall): Promise<Concurrency>;
  asksThePerson(ready: ReadyCall): boolean;
  clock: Clock;
  /** How long one result may be, and all of them together. */
  limits(context: BatchContext): { result: number; batch: number };
  /** Cuts a result further, because the others need room as well. */
  shorten(result: CallResult, limit: number, context: BatchContext): Promise<CallResult>;
};

type Finished = { result: CallResult; durationMs: number };

/** Runs the calls of one message, as much at once as they allow, and hands over the results in call order. */
export async function runBatch(
  prepared: readonly PreparedCall[],
  context: BatchContext,
  parts: BatchParts,
): Promise<void> {
  const delivery = { failed: false, error: undefined as unknown };
  const finished = await startAll(prepared, context, parts, () => delivery.failed);
  const room = shareRoom(finished, context, parts);
  for (const [index, call] of prepared.entries()) {
    // Neither results that are there already nor a quick store let anything else in, such as an interrupt.
    if (index % YIELD_EVERY === YIELD_EVERY - 1) await new Promise(setImmediate);
    const { result, durationMs } = await room.take(index);
    try {
      await context.onResult(call, { status: result.status, content: result.content }, durationMs);
    } catch (thrown) {
      // A result that could not be kept: nothing new is started, and what runs is still waited for.
      if (!delivery.failed) delivery.error = thrown;
      delivery.failed = true;
    }
  }
  if (delivery.failed) throw delivery.error;
}

/**
 * Keeps the results of a batch within their common limit. One that may have to be cut waits for those behind it; all
 * others are handed over as they come.
 */
function shareRoom(finished: readonly Promise<Finished>[], context: BatchContext, parts: BatchParts) {
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
  const timetable = createTimetable();
  const twins = createTwins();
  const beside = limitTime(scopes, context, parts);
  return prepared.map((call, index) => {
    if (call.status !== 'ready') return Promise.resolve({ result: notRunnable(call), durationMs: 0 });
    const scope = scopes[index] as Concurrency;
    const run = () =>
      beside === undefined || scope.mode === 'barrier'
        ? runTimed(call, context, parts, isStopped)
        : beside.deadline.during(() => runTimed(call, beside.context, parts, isStopped));
    return twins.runOnce(call, () => timetable.add(scope, () => places.use(run)));
  });
}

/** Calls that run beside each other share a deadline; one that runs alone keeps to a limit of its own. */
function limitTime(
  scopes: readonly Concurrency[],
  context: BatchContext,
  { clock }: BatchParts,
): { deadline: WorkTime; context: BatchContext } | undefined {
  if (scopes.every(({ mode }) => mode === 'barrier')) return undefined;
  const deadline = createBatchDeadline(clock);
  const signal = AbortSignal.any([context.signal, deadline.signal]);
  return { deadline, context: { ...context, signal, interaction: deadline.patient(context.interaction) } };
}

/** A batch with a question to the person runs in sequence; a single call needs no plan. */
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
  const startedAt = parts.clock.now();
  const result = await safely(async () => {
    context.onStarted(ready);
    return parts.execute(ready, context);
  });
  return { result, durationMs: parts.clock.now() - startedAt };
}

/** Every call has an outcome, or the ones behind it would wait for ever. */
export async function safely(work: () => Promise<CallResult>): Promise<CallResult> {
  try {
    return await work();
  } catch (thrown) {
    const message = `Tool execution failed: ${errorType(thrown)}: ${errorMessage(thrown)}`;
    return { status: 'error', content: errorContent(message) };
  }
}

/**
 * An identical call that is already under way runs once, and both get the result. It is made again where something that
 * may have changed the answer stands between the two: tests before and after a patch are two runs.
 */
function createTwins() {
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

/** A read is the same however often it is made. Of anything else a model may have wanted two, and is told it got one. */
function sharedResult({ readOnly }: ReadyCall, result: CallResult): CallResult {
  if (readOnly || (result.status !== 'ok' && result.status !== 'error')) return result;
  return { ...result, content: `${result.content}\n${RUN_ONCE}` };
}

export function notRunnable(call: Exclude<PreparedCall, ReadyCall>): ToolOutcome {
  return { status: call.status === 'refused' ? 'refused' : 'invalid', content: errorContent(call.message) };
}

/** How long calls may run beside each other before they are stopped. */
const DEADLINE_MS = 420_000;

/** The reason a call's signal is aborted with when the time of its batch is over. */
export class BatchTimeOver extends Error {
  constructor() {
    super(`the calls of one message may take ${DEADLINE_MS / 1000} s together`);
  }
}

/** The time in which calls of a batch run beside each other. One that runs alone has a limit of its own. */
function createBatchDeadline(clock: Clock): WorkTime {
  return createWorkTime(DEADLINE_MS, clock, () => new BatchTimeOver());
}

/** No result is cut below this for the sake of the others. */
const SHORTEST = 500;

/** Room that the results of one batch share. Handed out in call order, and yet the largest are the ones that are cut. */
interface BatchBudget {
  /** Whether a result can be handed over without knowing those behind it: no cut would ever reach it. */
  isSafe(length: number, behind: number): boolean;
  take(length: number): void;
  /** How long a result may be so that these all fit; undefined where they do anyway. */
  levelFor(lengths: readonly number[]): number | undefined;
}

function createBatchBudget(limit: number, count: number, resultLimit: number): BatchBudget {
  let left = limit;
  const share = limit / Math.max(count, 1);
  return {
    // What is no longer than an even share is never among those that have to give way.
    isSafe: (length, behind) => length <= share || length + behind * resultLimit <= left,
    take(length) {
      left -= length;
    },
    levelFor(lengths) {
      let room = left;
      const ascending = [...lengths].sort((a, b) => a - b);
      for (const [index, length] of ascending.entries()) {
        const others = ascending.length - index;
        if (length * others > room) return Math.max(Math.floor(room / others), SHORTEST);
        room -= length;
      }
      return undefined;
    },
  };
}
