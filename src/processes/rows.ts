import type { Clock } from '../base/index.ts';
import type { ProcessEntry } from './process-entry.ts';

/** How long a process that has ended is remembered. */
const KEPT_MS = 30 * 60_000;

export type RowsOptions = { most: number; clock: Clock; onRemoved(entry: ProcessEntry): void };

/** The rows of the table: those that run, and for a while those that have ended. */
export interface Rows {
  /** A place for one more, given back by the call it returns; undefined where as many run as may run. */
  reserve(): (() => void) | undefined;
  add(entry: ProcessEntry): void;
  /** Oldest first. */
  all(): ProcessEntry[];
}

export function createRows({ most, clock, onRemoved }: RowsOptions): Rows {
  const rows = new Map<string, ProcessEntry>();
  let reserved = 0;

  function remove(entry: ProcessEntry): void {
    rows.delete(entry.id);
    onRemoved(entry);
  }

  function forgetOld(): void {
    for (const entry of rows.values()) {
      const endedAt = entry.ending()?.endedAt;
      if (endedAt !== undefined && clock.now() - endedAt > KEPT_MS) remove(entry);
    }
  }

  /** Those that ended first make room first. */
  function makeRoom(): void {
    const ended = [...rows.values()].filter((entry) => entry.ending() !== undefined);
    ended.sort((first, second) => (first.ending()?.endedAt ?? 0) - (second.ending()?.endedAt ?? 0));
    for (const entry of ended) {
      if (rows.size + reserved < most) return;
      remove(entry);
    }
  }

  return {
    reserve() {
      forgetOld();
      makeRoom();
      if (rows.size + reserved >= most) return undefined;
      reserved += 1;
      return () => {
        reserved -= 1;
      };
    },
    add: (entry) => void rows.set(entry.id, entry),
    all() {
      forgetOld();
      return [...rows.values()];
    },
  };
}
