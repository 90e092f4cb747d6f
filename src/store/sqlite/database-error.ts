import { HermesError } from '../../base/index.ts';
import { sqliteCode } from './driver.ts';

const BUSY = 5;
const LOCKED = 6;
/** Too many processes tried to start reading at the same moment. */
const PROTOCOL = 15;

/** Another connection holds a lock; a retry may succeed. */
export function isBusy(thrown: unknown): boolean {
  const code = primaryCode(thrown);
  return code === BUSY || code === LOCKED || code === PROTOCOL;
}

/** A UNIQUE or PRIMARY KEY constraint was violated. */
export function isDuplicate(thrown: unknown): boolean {
  const code = sqliteCode(thrown);
  return code === 2067 || code === 1555;
}

/** A foreign key constraint was violated. */
export function isMissingReference(thrown: unknown): boolean {
  return sqliteCode(thrown) === 787;
}

/** Only the search index is corrupt: it has its own code, and it does not contain the messages. */
export function isCorruptIndex(thrown: unknown): boolean {
  return sqliteCode(thrown) === 267;
}

/** The content of the file is corrupt or not a database. */
export function isCorrupt(thrown: unknown): boolean {
  const code = primaryCode(thrown);
  return code === 11 || code === 26;
}

/** The disk is full, read-only or failing: the next write will fail too. */
export function isDiskError(thrown: unknown): boolean {
  return [8, 10, 13].includes(primaryCode(thrown) ?? 0);
}

/** The file, or one that SQLite needs next to it, cannot be opened or created. */
export function isUnopenable(thrown: unknown): boolean {
  return [8, 14].includes(primaryCode(thrown) ?? 0);
}

type Explanation = { what: string; hint: string };

const REPAIR_HINT =
  'Nothing was changed. Save what can be read with `hermes sessions repair`. ' +
  'Then move the file (with its -wal and -shm files) aside to start with a new one.';
const ACCESS = 'Check the owner and the permissions of the file and its folder.';

const FULL: Explanation = {
  what: 'cannot grow: the disk is full',
  hint: 'Free up disk space, then try again. Everything stored before is safe.',
};

const EXPLANATIONS: Record<number, Explanation> = {
  3: { what: 'cannot be accessed: permission denied', hint: ACCESS },
  8: { what: 'cannot be written', hint: ACCESS },
  10: {
    what: 'cannot be read or written: input/output error',
    hint: 'Check the disk and its free space, then try again.',
  },
  11: { what: 'is damaged', hint: REPAIR_HINT },
  13: FULL,
  14: { what: 'cannot be opened', hint: ACCESS },
  26: { what: 'is not a SQLite database, or its header is damaged', hint: REPAIR_HINT },
  // Only the search index; the messages themselves are intact.
  267: {
    what: 'has a damaged search index',
    hint: 'No message is lost. Rebuild the index with: hermes sessions repair',
  },
  // No space for the shared-memory file of the write-ahead log.
  4874: FULL,
};

/** Turns a SQLite error into a readable one; everything else is returned unchanged. */
export function explainDatabaseError(thrown: unknown, file: string): unknown {
  const explanation = EXPLANATIONS[sqliteCode(thrown) ?? 0] ?? EXPLANATIONS[primaryCode(thrown) ?? 0];
  if (explanation === undefined) return thrown;
  return new HermesError(`The session database ${file} ${explanation.what}.`, {
    hint: explanation.hint,
    cause: thrown,
  });
}

// Extended codes contain the primary one in their lowest byte.
function primaryCode(thrown: unknown): number | undefined {
  const code = sqliteCode(thrown);
  return code === undefined ? undefined : code & 0xff;
}
