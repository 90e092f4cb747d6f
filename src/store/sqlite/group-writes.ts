import type { SqliteDatabase, SqliteStatement } from './driver.ts';

/** Puts writes that were asked for at the same moment into one transaction. */
export interface WriteGroups {
  add<T>(operation: () => T, budgetMs: number | undefined): Promise<T>;
  /** All that was asked for is written. */
  settled(): Promise<void>;
}

type Waiting = {
  operation: () => unknown;
  budgetMs: number | undefined;
  resolve(value: unknown): void;
  reject(reason: unknown): void;
};

type GroupParts = {
  database: SqliteDatabase;
  statement(sql: string): SqliteStatement;
  /** A write in a transaction of its own, which waits for others and mends what can be mended. */
  alone(operation: () => unknown, budgetMs: number | undefined): Promise<unknown>;
};

/**
 * With many agents in one process a commit costs more than what it commits. Each operation is all or nothing as before,
 * and its promise resolves after the commit; where one fails, each is done by itself, with all that is done about
 * failures there.
 */
export function createWriteGroups(parts: GroupParts): WriteGroups {
  let waiting: Waiting[] = [];
  let flushing: Promise<void> | undefined;

  async function flush(): Promise<void> {
    while (waiting.length > 0) {
      // Once all that has just come in was looked at, so that its writes are here.
      await new Promise((resolve) => setImmediate(resolve));
      const group = waiting;
      waiting = [];
      if (group.length > 1 && writeTogether(group, parts)) continue;
      for (const { operation, budgetMs, resolve, reject } of group) {
        await parts.alone(operation, budgetMs).then(resolve, reject);
      }
    }
    flushing = undefined;
  }

  return {
    add(operation, budgetMs) {
      const { promise, resolve, reject } = Promise.withResolvers<ReturnType<typeof operation>>();
      waiting.push({ operation, budgetMs, resolve, reject });
      flushing ??= flush();
      return promise;
    },
    settled: async () => flushing,
  };
}

/**
 * Whether all of them are written. One that fails takes back the whole group, which is then done one by one: that is
 * seldom, and a savepoint for each would make the search index write out what it has gathered, every time.
 */
function writeTogether(group: readonly Waiting[], { database, statement }: GroupParts): boolean {
  let values: unknown[];
  try {
    statement('BEGIN IMMEDIATE').run();
    values = group.map(({ operation }) => operation());
    statement('COMMIT').run();
  } catch {
    // Some errors, such as a full disk, have taken back everything.
    if (database.isTransaction) statement('ROLLBACK').run();
    return false;
  }
  for (const [place, { resolve }] of group.entries()) resolve(values[place]);
  return true;
}
