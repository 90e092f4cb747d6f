import postgres from 'postgres';
import type { SqlValue } from '../database.ts';
import { isStatementLost } from './database-error.ts';

/** A dedicated connection, used by one operation at a time. This is the only file that uses the driver package. */
export interface DedicatedConnection {
  /**
   * Queries run one at a time. One query may contain several statements if they have no parameters, which saves round
   * trips.
   */
  query(sql: string, values?: readonly SqlValue[], limits?: { patient?: boolean }): Promise<QueryResult>;
  /** A broken connection cannot be used any more, and its transaction is lost. */
  readonly isBroken: boolean;
  /** Closes the connection without waiting. */
  discard(): void;
  close(): Promise<void>;
}

export type Row = Record<string, unknown>;
/** `processId`: the server process as it introduced itself when the connection was opened. */
export type QueryResult = { rows: Row[]; changes: number; processId?: number | undefined };

/** `answerSeconds`: the timeout after which an unresponsive server counts as lost. */
export type ConnectionOptions = { url: string; connectSeconds: number; answerSeconds: number };

const TYPES = {
  /** Ids, counts and sums are never above 2^53, so they are read as numbers. */
  number: { to: 20, from: [20, 1700], parse: Number, serialize: String },
  /** SQLite has no booleans, so conditions are 0 and 1 on both databases. */
  condition: { to: 16, from: [16], parse: (value: string) => (value === 't' ? 1 : 0), serialize: String },
};

const CLOSE_SECONDS = 5;

/** A small pool of connections, opened on demand and kept open. */
export interface ConnectionPool {
  /** Runs the operation on a connection of its own; waits if all are in use. */
  with<T>(operation: (lane: DedicatedConnection) => Promise<T>): Promise<T>;
  /** Whether prepared statements are used; see `avoidPreparedStatements`. */
  readonly preparesStatements: boolean;
  /**
   * Behind a pooler such as PgBouncer, every transaction may run on another connection to the server, where a statement
   * that was prepared earlier does not exist.
   */
  avoidPreparedStatements(): void;
  close(): Promise<void>;
}

/** Shared by the connections of a pool. */
type Preparing = { isOn: boolean };

export function createConnectionPool(options: ConnectionOptions & { size: number }): ConnectionPool {
  const free: DedicatedConnection[] = [];
  const waiting: (() => void)[] = [];
  const preparing: Preparing = { isOn: true };
  let taken = 0;

  const take = async (): Promise<DedicatedConnection> => {
    while (taken >= options.size) await new Promise<void>((resolve) => waiting.push(resolve));
    taken += 1;
    return free.pop() ?? openConnection(options, preparing);
  };
  const giveBack = (lane: DedicatedConnection) => {
    taken -= 1;
    if (lane.isBroken) lane.discard();
    else free.push(lane);
    waiting.shift()?.();
  };
  return {
    async with(operation) {
      let lane = await take();
      // Replaces connections that the server closed while they were idle; this does not count as an attempt.
      while (lane.isBroken) {
        lane.discard();
        lane = free.pop() ?? openConnection(options, preparing);
      }
      try {
        return await operation(lane);
      } finally {
        giveBack(lane);
      }
    },
    get preparesStatements() {
      return preparing.isOn;
    },
    avoidPreparedStatements: () => void (preparing.isOn = false),
    async close() {
      await Promise.all(free.splice(0).map((lane) => lane.close()));
    },
  };
}

function openConnection(
  { url, connectSeconds, answerSeconds }: ConnectionOptions,
  preparing: Preparing,
): DedicatedConnection {
  let isBroken = false;
  // Queries are serialised here, because the driver would queue them and send them over the next connection if this
  // one is lost.
  let last: Promise<unknown> = Promise.resolve();
  const client = postgres(url, {
    max: 1,
    connect_timeout: connectSeconds,
    // A lost connection is never used again: statements would run outside the transaction that was lost with it.
    onclose: () => {
      isBroken = true;
    },
    idle_timeout: undefined,
    max_lifetime: null,
    fetch_types: false,
    connection: { application_name: 'hermes' },
    types: TYPES,
    onnotice: () => undefined,
  });
  const discard = () => {
    isBroken = true;
    client.end({ timeout: 0 }).catch(() => undefined);
  };
  return {
    get isBroken() {
      return isBroken;
    },
    query(sql, values = [], { patient = false } = {}) {
      const answer = last.then(async () => {
        if (isBroken) throw connectionLost('CONNECTION_CLOSED');
        const prepare = preparing.isOn && values.length > 0;
        const asked = client.unsafe<Row[]>(sql, [...values], { prepare });
        const result = await (patient ? asked : withAnswerTimeout(answerSeconds, asked, discard)).catch(
          (thrown: unknown) => {
            // A pooler that was not recognised when the store was opened. The transaction is repeated without them.
            if (isStatementLost(thrown)) preparing.isOn = false;
            throw thrown;
          },
        );
        return { rows: [...result], changes: result.count ?? 0, processId: result.state?.pid };
      });
      last = answer.catch(() => undefined);
      return answer;
    },
    discard,
    async close() {
      await client.end({ timeout: CLOSE_SECONDS }).catch(() => undefined);
      isBroken = true;
    },
  };
}

function connectionLost(code: string): Error {
  return Object.assign(new Error('The connection was lost'), { code });
}

/** A machine that disappears from the network neither closes the connection nor answers. */
async function withAnswerTimeout<T>(seconds: number, answer: PromiseLike<T>, giveUp: () => void): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      giveUp();
      reject(connectionLost('NO_ANSWER'));
    }, seconds * 1000);
  });
  try {
    return await Promise.race([answer, silence]);
  } finally {
    clearTimeout(timer);
  }
}
