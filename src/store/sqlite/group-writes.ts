import type { SqliteDatabase, SqliteStatement } from './driver.ts';

/** Combines writes that are requested at the same time into one transaction. */
export interface WriteGroups {
  add<T>(operation: () => T, budgetMs: number | undefined): Promise<T>;
  /** Resolves when all requested writes are done. */
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
  /** Throws if the database file was replaced. */
  checkFile(): void;
  /** Runs a write in a transaction of its own, with retries and repairs. */
  alone(operation: () => unknown, budgetMs: number | undefined): Promise<unknown>;
};

/**
 * With many agents in one process, a commit costs more than the data it commits. Each operation is still all or
 * nothing, and its promise resolves after the commit. If one fails, each operation is run separately, with the usual
 * error handling.
 */
export function createWriteGroups(parts: GroupParts): WriteGroups {
  let waiting: Waiting[] = [];
  let flushing: Promise<void> | undefined;

  async function flush(): Promise<void> {
    while (waiting.length > 0) {
      // Waits until all pending events are processed, so that their writes are included.
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
 * Returns whether all were written. If one fails, the whole group is rolled back and then run one by one. That is
 * rare, and a savepoint for each operation would make the search index flush every time.
 */
function writeTogether(group: readonly Waiting[], { database, statement, checkFile }: GroupParts): boolean {
  let values: unknown[];
  try {
    statement('BEGIN IMMEDIATE').run();
    checkFile();
    values = group.map(({ operation }) => operation());
    statement('COMMIT').run();
  } catch {
    // After some errors, such as a full disk, SQLite has already rolled back.
    if (database.isTransaction) statement('ROLLBACK').run();
    return false;
  }
  for (const [index, { resolve }] of group.entries()) resolve(values[index]);
  return true;
}
