import { randomUUID } from 'node:crypto';
import { type Clock, HermesError } from '../../base/index.ts';
import { isLost } from './database-error.ts';
import type { Lane, Row, SqlValue } from './driver.ts';
import type { Lanes } from './lanes.ts';
import { BUDGET_MS, retryWhilePassing } from './retry.ts';
import { decodeText, encodeText } from './text-codec.ts';
import { beginRead, beginWrite, createWriter, findMark, markAndCommit, ROLLBACK } from './transactions.ts';

/** What an operation does its work with, inside its transaction. Statements are done in the order they were asked for. */
export interface Queries {
  run(sql: string, ...values: SqlValue[]): Promise<number>;
  /** Rows are as their statement says; callers name their shape. */
  get<T = Row>(sql: string, ...values: SqlValue[]): Promise<T | undefined>;
  all<T = Row>(sql: string, ...values: SqlValue[]): Promise<T[]>;
}

export interface Connection {
  /** As it stands in messages. */
  readonly place: string;
  readonly clock: Clock;
  /** In seconds, where leases do not go by the clock of the database. */
  leaseTime(): number | null;
  read<T>(operation: (db: Queries) => Promise<T>): Promise<T>;
  /** One transaction: all of the operation or nothing of it, and never twice. In the order they were asked for. */
  write<T>(operation: (db: Queries) => Promise<T>, budgetMs?: number): Promise<T>;
  close(): Promise<void>;
}

export type ConnectionParts = {
  lanes: Lanes;
  place: string;
  clock: Clock;
  /** Leases then go by the clock that all machines share. */
  usesDatabaseClock: boolean;
  statementMs: number;
};

export function createConnection(parts: ConnectionParts): Connection {
  const { lanes, place, clock } = parts;
  const transact = createTransactor(parts);
  const reading = new Set<Promise<unknown>>();
  let lastWrite: Promise<unknown> = Promise.resolve();
  let closing: Promise<void> | undefined;

  const assertOpen = () => {
    if (closing !== undefined) throw new HermesError(`The ${place} was closed already.`);
  };
  return {
    place,
    clock,
    leaseTime: () => (parts.usesDatabaseClock ? null : clock.now() / 1000),
    async read(operation) {
      assertOpen();
      const read = retryWhilePassing(() => lanes.with((lane) => readOnce(lane, operation, parts.statementMs)), {
        place,
        budgetMs: BUDGET_MS.normal,
      });
      reading.add(read);
      return read.finally(() => reading.delete(read));
    },
    async write(operation, budgetMs = BUDGET_MS.normal) {
      assertOpen();
      // The time in the queue counts too: ten waiting writes must not wait ten times as long.
      const startedAt = performance.now();
      const written = lastWrite.then(() => transact(operation, { place, budgetMs, startedAt }));
      lastWrite = written.catch(() => undefined);
      return written;
    },
    close() {
      // Whatever was asked for before is still done.
      closing ??= Promise.allSettled([lastWrite, ...reading]).then(() => lanes.close());
      return closing;
    },
  };
}

async function readOnce<T>(lane: Lane, operation: (db: Queries) => Promise<T>, statementMs: number): Promise<T> {
  await lane.query(beginRead(statementMs));
  try {
    const result = await operation(queriesOn(lane));
    await lane.query(ROLLBACK);
    return result;
  } catch (thrown) {
    await rollBack(lane, thrown);
    throw thrown;
  }
}

type Transact = <T>(
  operation: (db: Queries) => Promise<T>,
  context: { place: string; budgetMs: number; startedAt: number },
) => Promise<T>;

/**
 * A connection that is lost while a transaction is committed leaves open whether it was. Each transaction therefore
 * leaves a mark in the row of this store, by which the next attempt sees that there is nothing to be done any more.
 */
function createTransactor({ lanes, statementMs }: ConnectionParts): Transact {
  const writer = randomUUID();
  let isKnown = false;
  return (operation, context) => {
    const mark = randomUUID();
    let done: { result: Awaited<ReturnType<typeof operation>> } | undefined;
    const attempt = (lane: Lane) =>
      writeOnce(
        lane,
        async (db) => {
          done = undefined;
          const result = await operation(db);
          done = { result };
          return result;
        },
        { writer, mark, statementMs },
      );
    return retryWhilePassing(
      () =>
        lanes.with(async (lane) => {
          if (!isKnown) await lane.query(createWriter(writer));
          isKnown = true;
          if (done !== undefined && (await wasCommitted(lane, { writer, mark, statementMs }))) return done.result;
          return attempt(lane);
        }),
      context,
    );
  };
}

type Marking = { writer: string; mark: string; statementMs: number };

async function writeOnce<T>(lane: Lane, operation: (db: Queries) => Promise<T>, marking: Marking): Promise<T> {
  // Waited for: without a transaction around it, nothing may be written.
  await lane.query(beginWrite(marking.statementMs));
  try {
    const result = await operation(queriesOn(lane));
    await lane.query(markAndCommit(marking.writer, marking.mark));
    return result;
  } catch (thrown) {
    await rollBack(lane, thrown);
    throw thrown;
  }
}

async function wasCommitted(lane: Lane, { writer, mark, statementMs }: Marking): Promise<boolean> {
  await lane.query(beginWrite(statementMs));
  // Waits for the transaction that may still be at it on the connection that was lost.
  const { rows } = await lane.query(findMark(writer));
  await lane.query(ROLLBACK);
  return rows[0]?.['mark'] === mark;
}

async function rollBack(lane: Lane, thrown: unknown): Promise<void> {
  if (isLost(thrown) || lane.isBroken) return lane.discard();
  // What cannot be rolled back goes with its connection.
  await lane.query(ROLLBACK).catch(() => lane.discard());
}

function queriesOn(lane: Lane): Queries {
  const ask = async (sql: string, values: readonly SqlValue[]) => {
    const encoded = values.map((value) => (typeof value === 'string' ? encodeText(value) : value));
    return lane.query(sql, encoded);
  };
  const all = async (sql: string, values: readonly SqlValue[]) => (await ask(sql, values)).rows.map(decodeRow);
  return {
    run: async (sql, ...values) => (await ask(sql, values)).changes,
    get: async <T>(sql: string, ...values: SqlValue[]) => (await all(sql, values))[0] as T | undefined,
    all: async <T>(sql: string, ...values: SqlValue[]) => (await all(sql, values)) as T[],
  };
}

function decodeRow(row: Row): Row {
  for (const [name, value] of Object.entries(row)) if (typeof value === 'string') row[name] = decodeText(value);
  return row;
}
