import { canonicalJson, errorMessage, errorType } from '../base/index.ts';
import type { BatchContext, Concurrency, PreparedCall, ToolOutcome } from '../contracts/index.ts';
import { createSemaphore } from '../util/index.ts';
import { interruptedBeforeStart, type ReadyCall } from './run-call.ts';
import { createTimetable } from './schedule.ts';
import { errorContent } from './tool-stop.ts';

/** At most so many calls run at once. */
const MAX_PARALLEL = 8;
/** After so many results the event loop gets its turn. */
const YIELD_EVERY = 32;

export type BatchParts = {
  execute(ready: ReadyCall, context: BatchContext): Promise<ToolOutcome>;
  scope(ready: ReadyCall): Promise<Concurrency>;
  asksThePerson(ready: ReadyCall): boolean;
  now(): number;
};

type Finished = { outcome: ToolOutcome; durationMs: number };

/** Runs the calls of one message, as much at once as they allow, and hands over the results in call order. */
export async function runBatch(
  prepared: readonly PreparedCall[],
  context: BatchContext,
  parts: BatchParts,
): Promise<void> {
  const delivery = { failed: false, error: undefined as unknown };
  const finished = await startAll(prepared, context, parts, () => delivery.failed);
  for (const [index, call] of prepared.entries()) {
    // Neither results that are there already nor a quick store let anything else in, such as an interrupt.
    if (index % YIELD_EVERY === YIELD_EVERY - 1) await new Promise(setImmediate);
    const { outcome, durationMs } = await (finished[index] as Promise<Finished>);
    try {
      await context.onResult(call, outcome, durationMs);
    } catch (thrown) {
      // A result that could not be kept: nothing new is started, and what runs is still waited for.
      if (!delivery.failed) delivery.error = thrown;
      delivery.failed = true;
    }
  }
  if (delivery.failed) throw delivery.error;
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
  return prepared.map((call, index) => {
    if (call.status !== 'ready') return Promise.resolve({ outcome: notRunnable(call), durationMs: 0 });
    return twins.runOnce(call, () =>
      timetable.add(scopes[index] as Concurrency, () => places.use(() => runTimed(call, context, parts, isStopped))),
    );
  });
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
  if (context.signal.aborted || isStopped()) return { outcome: interruptedBeforeStart(), durationMs: 0 };
  const startedAt = parts.now();
  const outcome = await safely(async () => {
    context.onStarted(ready);
    return parts.execute(ready, context);
  });
  return { outcome, durationMs: parts.now() - startedAt };
}

/** Every call has an outcome, or the ones behind it would wait for ever. */
async function safely(work: () => Promise<ToolOutcome>): Promise<ToolOutcome> {
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
      if (twin && lastChange <= twin.place) return twin.finished.then(({ outcome }) => ({ outcome, durationMs: 0 }));
      place += 1;
      if (!call.readOnly) lastChange = place;
      const finished = start();
      latest.set(key, { place, finished });
      return finished;
    },
  };
}

function notRunnable(call: Exclude<PreparedCall, ReadyCall>): ToolOutcome {
  return { status: call.status === 'refused' ? 'refused' : 'invalid', content: errorContent(call.message) };
}
