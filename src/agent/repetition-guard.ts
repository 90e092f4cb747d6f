import type { PreparedCall, ToolOutcome } from '../contracts/index.ts';

const READS_BEFORE_NOTICE = 3;
const FAILURES_BEFORE_NOTICE = 3;
const FAILURES_BEFORE_STOP = 5;

/** Detects that a model repeats itself: the same read several times in a row, or the same failing call. */
export interface RepetitionGuard {
  /** Refuses a read that has just been made three times in a row. */
  check(prepared: PreparedCall): PreparedCall;
  /** Counts a result. `notice` is text for the model; `stop` ends the turn. */
  record(prepared: PreparedCall, outcome: ToolOutcome): { notice: string | undefined; stop: boolean };
}

export function createRepetitionGuard(): RepetitionGuard {
  let lastReadKey: string | undefined;
  let readsInARow = 0;
  const failures = new Map<string, number>();

  function noteRead(key: string | undefined): string | undefined {
    readsInARow = key !== undefined && key === lastReadKey ? readsInARow + 1 : 1;
    lastReadKey = key;
    if (key === undefined || readsInARow !== READS_BEFORE_NOTICE) return undefined;
    return 'Notice: this is the third identical call in a row. The result will not change; the next identical call will be refused.';
  }

  function noteFailure(key: string, content: string): { notice: string | undefined; stop: boolean } {
    const failureKey = `${key}\n${content}`;
    const count = (failures.get(failureKey) ?? 0) + 1;
    failures.set(failureKey, count);
    const notice =
      count >= FAILURES_BEFORE_NOTICE
        ? `Notice: this call has failed ${count} times with the same error. Try something else; after ${FAILURES_BEFORE_STOP} failures the turn ends.`
        : undefined;
    return { notice, stop: count >= FAILURES_BEFORE_STOP };
  }

  return {
    check(prepared) {
      if (prepared.status !== 'ready' || !prepared.readOnly) return prepared;
      if (prepared.repeatKey !== lastReadKey || readsInARow < READS_BEFORE_NOTICE) return prepared;
      const message = `Refused: ${prepared.toolName} was called ${readsInARow} times in a row with the same arguments. Use the result above, or change the arguments.`;
      return { call: prepared.call, status: 'refused', message };
    },
    record(prepared, outcome) {
      // A refused read does not reset the count, so the next identical one is refused too.
      if (prepared.status === 'refused') return noteFailure(`refused ${prepared.call.name}`, prepared.message);
      const ready = prepared.status === 'ready';
      const readNotice = noteRead(ready && prepared.readOnly ? prepared.repeatKey : undefined);
      // A successful change may have fixed the cause, so failures are counted from zero again.
      if (outcome.status === 'ok' && ready && !prepared.readOnly) failures.clear();
      if (outcome.status === 'ok' || outcome.status === 'interrupted') return { notice: readNotice, stop: false };
      const key = ready ? prepared.repeatKey : `${prepared.call.name} ${prepared.call.arguments}`;
      const failure = noteFailure(key, outcome.content);
      return { notice: failure.notice ?? readNotice, stop: failure.stop };
    },
  };
}
