import { HermesError } from '../../base/index.ts';
import { sqliteCode } from './driver.ts';

const BUSY = 5;
const LOCKED = 6;
/** Too many processes started to read at the same moment. */
const PROTOCOL = 15;

/** Another connection is in the way; the same operation can work a moment later. */
export function isBusy(thrown: unknown): boolean {
  const code = primaryCode(thrown);
  return code === BUSY || code === LOCKED || code === PROTOCOL;
}

/** A UNIQUE or PRIMARY KEY constraint stands against a write. */
export function isDuplicate(thrown: unknown): boolean {
  const code = sqliteCode(thrown);
  return code === 2067 || code === 1555;
}

/** A row refers to another that does not exist. */
export function isMissingReference(thrown: unknown): boolean {
  return sqliteCode(thrown) === 787;
}

/** Only the index of the search is damaged: its own code, and the messages are not in it. */
export function isDamagedIndex(thrown: unknown): boolean {
  return sqliteCode(thrown) === 267;
}

/** The content of the file is not what it should be. */
export function isDamage(thrown: unknown): boolean {
  const code = primaryCode(thrown);
  return code === 11 || code === 26;
}

/** The disk took no more, or may not be written: whatever is tried next will not work either. */
export function isRefusedByDisk(thrown: unknown): boolean {
  return [8, 10, 13].includes(primaryCode(thrown) ?? 0);
}

type Explanation = { what: string; hint: string };

const RESCUE =
  'Nothing was changed. Move the file (with its -wal and -shm files) aside to start with a new one, ' +
  'after saving what can be read of it with: hermes sessions repair';
const ACCESS = 'Check who owns the file and its folder and whether you may write there.';

const FULL: Explanation = {
  what: 'cannot grow: the disk is full',
  hint: 'Make room on the disk, then try again. What was stored before is safe.',
};

const EXPLANATIONS: Record<number, Explanation> = {
  3: { what: 'may not be accessed', hint: ACCESS },
  8: { what: 'cannot be written', hint: ACCESS },
  10: {
    what: 'cannot be read or written: the disk reports an error',
    hint: 'Check the disk, and whether there is room on it, then try again.',
  },
  11: { what: 'is damaged', hint: RESCUE },
  13: FULL,
  14: { what: 'cannot be opened', hint: ACCESS },
  26: { what: 'is not a SQLite database, or its beginning is damaged', hint: RESCUE },
  // Only the index of the search, while the messages themselves are whole.
  267: {
    what: 'has a damaged search index',
    hint: 'No message is lost. Build it anew with: hermes sessions repair',
  },
  // No room for the file through which processes share the write-ahead log.
  4874: FULL,
};

/** Turns an error of SQLite into one for the reader; everything else passes through unchanged. */
export function explainDatabaseError(thrown: unknown, file: string): unknown {
  const explanation = EXPLANATIONS[sqliteCode(thrown) ?? 0] ?? EXPLANATIONS[primaryCode(thrown) ?? 0];
  if (explanation === undefined) return thrown;
  return new HermesError(`The session database ${file} ${explanation.what}.`, {
    hint: explanation.hint,
    cause: thrown,
  });
}

// Extended codes carry the primary one in their lowest byte.
function primaryCode(thrown: unknown): number | undefined {
  const code = sqliteCode(thrown);
  return code === undefined ? undefined : code & 0xff;
}
