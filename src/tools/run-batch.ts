import { canonicalJson, errorMessage, errorType } from '../base/index.ts';
import type { BatchContext, Concurrency, PreparedCall, ToolOutcome } from '../contracts/index.ts';
import { createSemaphore } from '../util/index.ts';
import { interruptedBeforeStart, type ReadyCall } from './run-call.ts';
import { conflicts } from './schedule.ts';
import { errorContent } from './tool-stop.ts';

/** At most so many calls run at once. */
const MAX_PARALLEL = 8;

export type BatchParts = {
  execute(ready: ReadyCall, context: BatchContext): Promise<ToolOutcome>;
  scope(ready: ReadyCall): Promise<Concurrency>;
  isInteractive(ready: ReadyCall): boolean;
  now(): number;
};

type Finished = { outcome: ToolOutcome; durationMs: number };
type Started = { ready: ReadyCall; scope: Concurrency; finished: Promise<Finished> };

/** Runs the calls of one message, as much at once as they allow, and hands over the results in call order. */
export async function runBatch(
  prepared: readonly PreparedCall[],
  context: BatchContext,
  parts: BatchParts,
): Promise<void> {
  const delivery = { failed: false, error: undefined as unknown };
  const finished = await startAll(prepared, context, parts, () => delivery.failed);
  for (const [index, call] of prepared.entries()) {
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
  const started: Started[] = [];
  return prepared.map((call, index) => {
    if (call.status !== 'ready') return Promise.resolve({ outcome: notRunnable(call), durationMs: 0 });
    const twin = findTwin(call, started);
    if (twin) return twin.finished.then(({ outcome }) => ({ outcome, durationMs: 0 }));
    const scope = scopes[index] as Concurrency;
    const before = started.filter((earlier) => conflicts(earlier.scope, scope)).map(({ finished }) => finished);
    const finished = Promise.all(before).then(() => places.use(() => runTimed(call, context, parts, isStopped)));
    started.push({ ready: call, scope, finished });
    return finished;
  });
}

/** A batch with a question to the person runs in sequence; a single call needs no plan. */
async function planScopes(prepared: readonly PreparedCall[], parts: BatchParts): Promise<Concurrency[]> {
  const ready = prepared.filter((call) => call.status === 'ready');
  const inSequence = ready.length < 2 || ready.some((call) => parts.isInteractive(call));
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
 * An identical call that is already under way: it runs once, and both get the result. A read is made again where
 * something that may have changed the answer stands between the two.
 */
function findTwin(call: ReadyCall, started: readonly Started[]): Started | undefined {
  const key = canonicalJson(call.args);
  const index = started.findLastIndex(
    ({ ready }) => ready.toolName === call.toolName && canonicalJson(ready.args) === key,
  );
  if (index < 0) return undefined;
  const changedSince = call.readOnly && started.slice(index + 1).some(({ ready }) => !ready.readOnly);
  return changedSince ? undefined : started[index];
}

function notRunnable(call: Exclude<PreparedCall, ReadyCall>): ToolOutcome {
  return { status: call.status === 'refused' ? 'refused' : 'invalid', content: errorContent(call.message) };
}
