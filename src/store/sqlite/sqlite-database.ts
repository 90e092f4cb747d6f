import { type Database, immediate, type SqlValue, type Transaction, type Work } from '../database.ts';
import { toSeconds } from '../rows/values.ts';
import { createSessionFiles } from './blobs.ts';
import type { Connection } from './connection.ts';
import { isDuplicate, isMissingReference } from './database-error.ts';
import { createMessageTable } from './messages.ts';

/** Implements `Database` on a SQLite file. Work never waits: each statement completes when its result is requested. */
export function createSqliteDatabase(connection: Connection): Database {
  const { file, clock } = connection;
  const dialect = {
    location: file,
    clock,
    leaseTime: () => toSeconds(clock.now()),
    messages: createMessageTable(connection),
    files: createSessionFiles(connection),
    isDuplicate,
    isMissingReference,
  };
  const transaction: Transaction = {
    ...dialect,
    run: (sql, ...values) => new Statement(connection.run, sql, values),
    get: <T>(sql: string, ...values: SqlValue[]) =>
      new Statement(connection.get, sql, values) as Work<unknown> as Work<T | undefined>,
    all: <T>(sql: string, ...values: SqlValue[]) =>
      new Statement(connection.all, sql, values) as Work<unknown> as Work<T[]>,
    lock: () => NOTHING,
  };
  return {
    ...dialect,
    read: (work) => connection.read(() => complete(work(transaction))),
    write: (work, budgetMs) => connection.write(() => complete(work(transaction)), budgetMs),
    close: () => connection.close(),
  };
}

const NOTHING = immediate(() => undefined);

type Execute<T> = (sql: string, ...values: SqlValue[]) => T;

/** A statement is its own iterator and its own result, which saves allocations in every step of every transaction. */
class Statement<T> implements Work<T>, Iterator<PromiseLike<unknown>, T>, IteratorReturnResult<T> {
  readonly done = true;
  readonly execute: Execute<T>;
  readonly sql: string;
  readonly values: SqlValue[];
  value!: T;

  constructor(execute: Execute<T>, sql: string, values: SqlValue[]) {
    this.execute = execute;
    this.sql = sql;
    this.values = values;
  }

  [Symbol.iterator](): this {
    return this;
  }

  next(): this {
    this.value = this.execute(this.sql, ...this.values);
    return this;
  }
}

function complete<T>(work: Work<T>): T {
  const step = work[Symbol.iterator]().next();
  if (!step.done) throw new Error('Work on SQLite must not wait.');
  return step.value;
}
