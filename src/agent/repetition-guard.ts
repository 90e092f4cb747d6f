import { digestOf, maskSpillFiles } from '../base/index.ts';
import type { PreparedCall, ToolOutcome } from '../contracts/index.ts';

const REPEATS_BEFORE_NOTICE = 3;
const FAILURES_BEFORE_STOP = 5;

/** Detects that a model repeats itself: the same call with the same result, or the same failing call. */
export interface RepetitionGuard {
  /** Starts a batch. Identical calls of one batch run only once, so they count only once. */
  startBatch(): (prepared: PreparedCall, outcome: ToolOutcome) => RepetitionVerdict;
}

/** `notice` is text for the model. `stop` says why the turn ends. */
export type RepetitionVerdict = { notice?: string; stop?: 'failures' | 'identical calls' };

export function createRepetitionGuard(maxIdenticalCalls: number): RepetitionGuard {
  const failures = createFailureCount();
  const results = createResultCount(maxIdenticalCalls);
  return {
    startBatch() {
      const counted = new Set<string>();
      return (prepared, outcome) => {
        const key = keyOf(prepared);
        if (outcome.status === 'interrupted' || counted.has(key)) return {};
        counted.add(key);
        // A successful change may have fixed the cause of the failures.
        if (outcome.status === 'ok' && prepared.status === 'ready' && !prepared.readOnly) failures.reset();
        const result = resultKeyOf(outcome);
        const repeated = results.count(key, result);
        return outcome.status === 'ok' ? repeated : failures.count(key, result);
      };
    },
  };
}

function keyOf(prepared: PreparedCall): string {
  if (prepared.status === 'ready') return prepared.repeatKey;
  return `${prepared.call.name} ${prepared.call.arguments}`;
}

/** Each long result names a new file, and images are not in the text. */
function resultKeyOf({ content, attachments = [] }: ToolOutcome): string {
  return [maskSpillFiles(content), ...attachments.map(({ bytes }) => digestOf(bytes))].join('\n');
}

/** Counts calls that fail in the same way, whatever else is called between them. */
function createFailureCount() {
  const counts = new Map<string, number>();
  return {
    reset: () => counts.clear(),
    count(key: string, error: string): RepetitionVerdict {
      const count = addOne(counts, `${key}\n${error}`);
      if (count < REPEATS_BEFORE_NOTICE) return {};
      const notice = `Notice: this call has failed ${count} times with the same error. Try something else; after ${FAILURES_BEFORE_STOP} failures the turn ends.`;
      return count < FAILURES_BEFORE_STOP ? { notice } : { notice, stop: 'failures' };
    },
  };
}

/**
 * Counts calls that return what they returned before. A call that is new, or whose result has changed, is progress:
 * all counts start again. So polling is not a loop as long as something changes, but alternating between two calls is.
 */
function createResultCount(maxIdenticalCalls: number) {
  const latest = new Map<string, string>();
  const counts = new Map<string, number>();
  return {
    count(key: string, result: string): RepetitionVerdict {
      if (latest.get(key) !== result) counts.clear();
      latest.set(key, result);
      const count = addOne(counts, key);
      if (count >= maxIdenticalCalls) return { stop: 'identical calls' };
      if (count < REPEATS_BEFORE_NOTICE) return {};
      return {
        notice: `Notice: this call has returned the same result ${count} times. Use the result, or try something else; after ${maxIdenticalCalls} identical calls the turn ends.`,
      };
    },
  };
}

function addOne(counts: Map<string, number>, key: string): number {
  const count = (counts.get(key) ?? 0) + 1;
  counts.set(key, count);
  return count;
}
