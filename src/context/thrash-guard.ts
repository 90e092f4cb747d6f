import type { Compression } from '../contracts/index.ts';

/** A compression that saves less is not worth what it costs. */
const LEAST_SAVING = 0.1;
const MOST_IN_A_ROW = 2;

/** Stops compressions that save nothing from following each other without end. */
export interface ThrashGuard {
  isStopped(lineageId: string): boolean;
  /** What came of one: nothing, or how large the conversation is now. */
  note(lineageId: string, compression: Compression | undefined): void;
  forget(lineageId: string): void;
}

export function createThrashGuard(): ThrashGuard {
  const inARow = new Map<string, number>();
  return {
    isStopped: (lineageId) => (inARow.get(lineageId) ?? 0) >= MOST_IN_A_ROW,
    note(lineageId, compression) {
      const saved = compression === undefined ? 0 : 1 - compression.tokensAfter / compression.tokensBefore;
      if (saved >= LEAST_SAVING) inARow.delete(lineageId);
      else inARow.set(lineageId, (inARow.get(lineageId) ?? 0) + 1);
    },
    forget(lineageId) {
      inARow.delete(lineageId);
    },
  };
}
