import type { CallRecord } from '../contracts/index.ts';

/** The calls of a session that are not on record yet: those of a deleted session stay there, because the money is spent. */
export function unknownCalls(calls: readonly CallRecord[], recorded: readonly CallRecord[]): CallRecord[] {
  const known = new Map<string, number>();
  for (const call of recorded) known.set(keyOf(call), (known.get(keyOf(call)) ?? 0) + 1);
  return calls.filter((call) => {
    const left = known.get(keyOf(call)) ?? 0;
    known.set(keyOf(call), left - 1);
    return left <= 0;
  });
}

function keyOf(call: CallRecord): string {
  const { taskId, purpose, provider, model, startedAt, durationMs, outcome, usage } = call;
  return JSON.stringify([taskId, purpose, provider, model, startedAt, durationMs, outcome, usage.input, usage.output]);
}
