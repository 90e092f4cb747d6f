import type { ImportOutcome } from '../contracts/index.ts';

/** The result of importing several sessions. */
export type ImportTally = {
  imported: number;
  /** Sessions that already exist. */
  skipped: number;
  /** Sessions that could not be read. */
  refused: number;
  messages: number;
  notes: string[];
};

export function newImportTally(): ImportTally {
  return { imported: 0, skipped: 0, refused: 0, messages: 0, notes: [] };
}

export function countImport(tally: ImportTally, outcome: ImportOutcome): void {
  if (outcome.status === 'exists') {
    tally.skipped += 1;
    return;
  }
  tally.imported += 1;
  tally.messages += outcome.messages;
  tally.notes.push(...outcome.notes);
}
