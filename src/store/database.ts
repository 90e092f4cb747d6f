import type { Clock } from '../base/index.ts';
import type { MessagePage } from '../contracts/index.ts';
import type { MessageRow, StoredRow } from './rows/message-row.ts';

/**
 * Work inside a transaction, written as a generator: `yield* db.get(…)` returns the result of a statement. SQLite
 * completes each statement synchronously; on PostgreSQL the generator is suspended until the server answers. Nothing
 * runs before the work is iterated, so a statement without `yield*` is never executed. Declare generators at the top
 * level of a module: creating a generator function inside another function costs as much as a small statement.
 */
export type Work<T> = Iterable<PromiseLike<unknown>, T, unknown>;

/** Wraps a synchronous operation as work that executes no statement. */
export function immediate<T>(operation: () => T): Work<T> {
  return { [Symbol.iterator]: () => ({ next: () => ({ done: true, value: operation() }) }) };
}

export type SqlValue = string | number | null | Uint8Array;

/**
 * A database that the store logic runs on. Statements are written once, in SQL that both databases understand, with the
 * placeholders `?` (faster on SQLite) or `?1`; see `Spelling` for the few expressions that differ.
 */
export interface Database extends Dialect {
  /** Runs the work on one consistent snapshot, however many statements it executes. */
  read<T>(work: (db: Transaction) => Work<T>): Promise<T>;
  /**
   * Runs the work in a transaction that is applied exactly once or not at all. Transactions run in the order of the
   * calls. The work may run again after a conflict.
   */
  write<T>(work: (db: Transaction) => Work<T>, budgetMs?: number): Promise<T>;
  close(): Promise<void>;
}

export interface Transaction extends Dialect {
  /** Returns how many rows were changed. */
  run(sql: string, ...values: SqlValue[]): Work<number>;
  /** The caller specifies the type of the row. */
  get<T = object>(sql: string, ...values: SqlValue[]): Work<T | undefined>;
  all<T>(sql: string, ...values: SqlValue[]): Work<T[]>;
  /**
   * Locks until the transaction ends. Does nothing on SQLite, where a write transaction has the file to itself. Take
   * `titles` before anything else, so that two transactions cannot wait for each other.
   */
  lock(what: Lock, key?: string): Work<void>;
}

/**
 * `titles`: all titles; `lease`: the lease of a session, even one that does not exist yet; `session`: a row of `sessions`;
 * `pairing`: who may use the bots of the gateway.
 */
export type Lock = 'titles' | 'lease' | 'session' | 'sessionForShare' | 'pairing';

/** What differs between the databases beyond spelling. */
export interface Dialect {
  /** The file or the database, as error messages name it. */
  readonly location: string;
  readonly clock: Clock;
  /** The value for `{now ?}`: seconds, or null if leases use the clock of the database server. */
  leaseTime(): number | null;
  readonly messages: MessageTable;
  readonly files: SessionFiles;
  /** A UNIQUE or PRIMARY KEY constraint was violated. */
  isDuplicate(thrown: unknown): boolean;
  /** A foreign key constraint was violated. */
  isMissingReference(thrown: unknown): boolean;
}

/**
 * The rows of `messages`. They are database-specific because PostgreSQL stores the search terms with them and SQLite
 * has a faster way to read many.
 */
export interface MessageTable {
  /** The column of `messages` that only this database has. */
  readonly ownColumn: string;
  /** Runs in a transaction that also updates the counts of the session. */
  insert(db: Transaction, sessionId: string, messages: readonly NewMessage[]): Work<void>;
  /** Returns messages in the order in which they were stored, even if the clock was set back. */
  read(db: Transaction, sessionId: string, page?: MessagePage): Work<StoredRow[]>;
}

export type NewMessage = {
  row: MessageRow;
  /** In seconds. */
  timestamp: number;
  toolStatus?: string | undefined;
  copyOf?: number | undefined;
};

export type Blob = { hash: string; mediaType: string; bytes: Uint8Array };

/** Blobs are files next to a SQLite database, and rows on PostgreSQL. */
export interface SessionFiles {
  /** Called before the transaction in which the blob is referenced. */
  prepareBlob(blob: Blob): Promise<void>;
  /** Runs in the transaction, before the reference is inserted. */
  storeBlob(db: Transaction, blob: Blob): Work<void>;
  readBlob(hash: string): Promise<Omit<Blob, 'hash'> | undefined>;
  /** The blobs that a session references; missing files are omitted. */
  readBlobs(db: Transaction, sessionId: string): Work<Blob[]>;
  /** Runs in the transaction that deletes a session. */
  recordRemoval(db: Transaction, sessionId: string): Work<void>;
  /** Deletes unreferenced blobs, and the folders of deleted sessions. */
  removeUnused(sessionIds: readonly string[], folders: readonly string[]): Promise<void>;
}

/**
 * How long a transaction may wait for others. Messages get more time, because a turn depends on them, and an upgrade
 * of the tables gets the most.
 */
export const BUDGET_MS = { normal: 20_000, messages: 60_000, upgrade: 300_000 } as const;

/** The expressions that the databases spell differently, written `{name argument}` in a statement. */
export type Spelling = {
  /** A text parameter or expression, compared byte by byte. */
  text(value: string): string;
  /** The current time in seconds; the parameter is `leaseTime()`. */
  now(value: string): string;
  /** The order in which the rows of `sessions` were inserted. */
  order(table: string): string;
  /** Text that must come back complete, even with NUL characters in it. */
  bytes(column: string): string;
  /** The integer part of a number. */
  whole(value: string): string;
  /** Contains more than whitespace. */
  hasText(column: string): string;
  /** LIKE that ignores case. */
  like(): string;
  /** True for message copies; a copy whose original was deleted counts as an original. */
  isCopy(table: string): string;
  forUpdate(): string;
  forShare(): string;
  /** After SELECT: locks the rows that no other transaction has locked, and omits the others. */
  skipLocked(): string;
  /** In CREATE TABLE: the type of ids and other text that is compared byte by byte. */
  textKey(): string;
  /** In CREATE TABLE: the type of a numeric primary key that the database assigns in ascending order. */
  serialKey(): string;
};

/** Translates a statement for one database. Both drivers do this once per statement, when they prepare it. */
export function spell(sql: string, spelling: Spelling): string {
  return sql.replace(/\{(\w+)(?: ([^}]+))?\}/g, (_, name: keyof Spelling, argument = '') => spelling[name](argument));
}
