import { randomUUID } from 'node:crypto';
import { type Clock, HermesError } from '../../base/index.ts';
import {
  BUDGET_MS,
  type Database,
  type Dialect,
  type Lock,
  type SqlValue,
  type Transaction,
  type Work,
} from '../database.ts';
import { toSeconds } from '../rows/values.ts';
import { createSessionFiles } from './blobs.ts';
import { isDuplicate, isLost, isMissingReference } from './database-error.ts';
import type { DedicatedConnection, ConnectionPool, QueryResult, Row } from './driver.ts';
import { MESSAGE_TABLE } from './messages.ts';
import { retryTransientErrors } from './retry.ts';
import { createTranslator, LOCKS } from './spelling.ts';
import { decodeText, encodeText } from './text-codec.ts';
import {
  beginRead,
  beginWrite,
  insertWriter,
  findCommitMarker,
  writeMarkerAndCommit,
  ROLLBACK,
} from './transactions.ts';

export type ConnectionParts = {
  pool: ConnectionPool;
  /** The name for error messages. */
  location: string;
  clock: Clock;
  /** Leases use the clock of the server, which is the same for all machines. */
  usesDatabaseClock: boolean;
  statementMs: number;
};

/** Runs the work of a transaction on a connection. */
type RunWork = <T>(lane: DedicatedConnection, work: (db: Transaction) => Work<T>) => Promise<T>;

export function createPostgresDatabase(parts: ConnectionParts): Database {
  const { pool, location, clock } = parts;
  const reading = new Set<Promise<unknown>>();
  let lastWrite: Promise<unknown> = Promise.resolve();
  let closing: Promise<void> | undefined;

  const assertOpen = () => {
    if (closing !== undefined) throw new HermesError(`The ${location} is already closed.`);
  };
  const read: Database['read'] = async (work) => {
    assertOpen();
    const attempt = () => pool.with((lane) => readOnce(lane, parts.statementMs, () => perform(lane, work)));
    const result = retryTransientErrors(attempt, { location, budgetMs: BUDGET_MS.normal });
    reading.add(result);
    return result.finally(() => reading.delete(result));
  };
  const write: Database['write'] = async (work, budgetMs = BUDGET_MS.normal) => {
    assertOpen();
    // The time in the queue counts too, so that ten queued writes do not wait ten times as long.
    const startedAt = performance.now();
    const written = lastWrite.then(() => transact((lane) => perform(lane, work), { location, budgetMs, startedAt }));
    lastWrite = written.catch(() => undefined);
    return written;
  };
  const dialect: Dialect = {
    location,
    clock,
    leaseTime: () => (parts.usesDatabaseClock ? null : toSeconds(clock.now())),
    messages: MESSAGE_TABLE,
    files: createSessionFiles({ read, write }),
    isDuplicate,
    isMissingReference,
  };
  const perform = createWorkRunner(dialect);
  const transact = createTransactor(parts);
  return {
    ...dialect,
    read,
    write,
    close() {
      // Everything that was requested before is completed.
      closing ??= Promise.allSettled([lastWrite, ...reading]).then(() => pool.close());
      return closing;
    },
  };
}

function createWorkRunner(dialect: Dialect): RunWork {
  const translate = createTranslator();
  return (lane, work) => {
    const query: Query = (sql, values) => {
      const encoded = values.map((value) => (typeof value === 'string' ? encodeText(value) : value));
      return lane.query(translate(sql), encoded);
    };
    return complete(
      work({
        ...dialect,
        run: (sql, ...values) => run(query, sql, values),
        get: <T>(sql: string, ...values: SqlValue[]) => get<T>(query, sql, values),
        all: <T>(sql: string, ...values: SqlValue[]) => all<T>(query, sql, values),
        lock: (what, key) => lock(query, what, key),
      }),
    );
  };
}

type Query = (sql: string, values: readonly SqlValue[]) => Promise<QueryResult>;

function* answerOf(query: Query, sql: string, values: readonly SqlValue[]): Work<QueryResult> {
  return (yield query(sql, values)) as QueryResult;
}

function* run(query: Query, sql: string, values: readonly SqlValue[]): Work<number> {
  return (yield* answerOf(query, sql, values)).changes;
}

function* get<T>(query: Query, sql: string, values: readonly SqlValue[]): Work<T | undefined> {
  const [row] = (yield* answerOf(query, sql, values)).rows;
  return row && (decodeRow(row) as T);
}

function* all<T>(query: Query, sql: string, values: readonly SqlValue[]): Work<T[]> {
  return (yield* answerOf(query, sql, values)).rows.map(decodeRow) as T[];
}

function* lock(query: Query, what: Lock, key: string | undefined): Work<void> {
  yield* answerOf(query, LOCKS[what], key === undefined ? [] : [key]);
}

/** Resumes the work with each answer of the server; an error is thrown at the statement that failed. */
async function complete<T>(work: Work<T>): Promise<T> {
  const steps = work[Symbol.iterator]();
  let step = steps.next();
  while (!step.done) {
    let answer: unknown;
    try {
      answer = await step.value;
    } catch (thrown) {
      if (steps.throw === undefined) throw thrown;
      step = steps.throw(thrown);
      continue;
    }
    step = steps.next(answer);
  }
  return step.value;
}

async function readOnce<T>(lane: DedicatedConnection, statementMs: number, operation: () => Promise<T>): Promise<T> {
  await lane.query(beginRead(statementMs));
  try {
    const result = await operation();
    await lane.query(ROLLBACK);
    return result;
  } catch (thrown) {
    await rollBack(lane, thrown);
    throw thrown;
  }
}

type Transact = <T>(
  operation: (lane: DedicatedConnection) => Promise<T>,
  context: { location: string; budgetMs: number; startedAt: number },
) => Promise<T>;

/**
 * If the connection is lost during a commit, the client cannot know whether it succeeded. Each transaction therefore
 * writes a commit marker to the row of this store; if the next attempt finds it, the transaction is not repeated.
 */
function createTransactor({ pool, statementMs }: ConnectionParts): Transact {
  const writer = randomUUID();
  let isKnown = false;
  return (operation, context) => {
    const id = randomUUID();
    const marking = { writer, id, statementMs };
    let done: { result: Awaited<ReturnType<typeof operation>> } | undefined;
    const attempt = (lane: DedicatedConnection) =>
      writeOnce(lane, marking, async () => {
        done = undefined;
        const result = await operation(lane);
        done = { result };
        return result;
      });
    return retryTransientErrors(
      () =>
        pool.with(async (lane) => {
          if (!isKnown) await lane.query(insertWriter(writer));
          isKnown = true;
          if (done !== undefined && (await wasCommitted(lane, marking))) return done.result;
          return attempt(lane);
        }),
      context,
    );
  };
}

type CommitMarker = { writer: string; id: string; statementMs: number };

async function writeOnce<T>(lane: DedicatedConnection, marking: CommitMarker, operation: () => Promise<T>): Promise<T> {
  // Awaited, because nothing may be written outside a transaction.
  await lane.query(beginWrite(marking.statementMs));
  try {
    const result = await operation();
    await lane.query(writeMarkerAndCommit(marking.writer, marking.id));
    return result;
  } catch (thrown) {
    await rollBack(lane, thrown);
    throw thrown;
  }
}

async function wasCommitted(lane: DedicatedConnection, { writer, id, statementMs }: CommitMarker): Promise<boolean> {
  await lane.query(beginWrite(statementMs));
  // Waits for the transaction that may still be running on the lost connection.
  const { rows } = await lane.query(findCommitMarker(writer));
  await lane.query(ROLLBACK);
  return rows[0]?.['mark'] === id;
}

async function rollBack(lane: DedicatedConnection, thrown: unknown): Promise<void> {
  if (isLost(thrown) || lane.isBroken) return lane.discard();
  // If the rollback fails, the connection is discarded with its transaction.
  await lane.query(ROLLBACK).catch(() => lane.discard());
}

function decodeRow(row: Row): Row {
  for (const [name, value] of Object.entries(row)) if (typeof value === 'string') row[name] = decodeText(value);
  return row;
}
