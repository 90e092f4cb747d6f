/** What can stand in a statement. */
export type SqlValue = string | number | boolean | null;
export type SqlRows = Record<string, unknown>[];

/** A prompt that a worker has taken; `retryCount` says how often others did before. */
export type QueuedJob = { id: string; retryCount: number; index: number };

/** The queues of all runs in one database, and the database itself. */
export interface JobQueue {
  sql(text: string, values?: SqlValue[]): Promise<SqlRows>;
  /** Makes a queue. A prompt whose workers died more often than this is nobody's any more. */
  create(name: string, workersMayDie: number): Promise<void>;
  add(name: string, indexes: readonly number[]): Promise<void>;
  /** What waits to be taken, or was taken and is not done. */
  unfinished(name: string): Promise<ReadonlySet<number>>;
  /** Takes up to so many, which nobody else gets as long as they are touched. */
  take(name: string, count: number): Promise<QueuedJob[]>;
  touch(name: string, jobs: readonly QueuedJob[]): Promise<void>;
  done(name: string, job: QueuedJob): Promise<void>;
  /** For somebody else, at once. */
  giveBack(name: string, job: QueuedJob): Promise<void>;
  /** What silent workers had can be taken again. */
  returnWorkOfTheDead(name: string): Promise<void>;
  remove(name: string): Promise<void>;
  close(): Promise<void>;
}
