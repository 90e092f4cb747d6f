import type { JsonObject } from '../base/index.ts';

/**
 * The life of a run. `claimed`: one process has taken it, and nothing has happened yet. `unknown`: its process died, so
 * nobody knows what it did; it is never repeated by itself.
 */
export type RunState = 'claimed' | 'running' | 'done' | 'failed' | 'unknown';

/** There is one run for each job and planned time, in all processes. */
export type RunKey = { jobId: string; plannedAt: number };

export type CronRun = RunKey & {
  state: RunState;
  /** The process, for people. */
  owner: string;
  claimedAt: number;
  endedAt: number | undefined;
  sessionId: string | undefined;
  error: string | undefined;
  /** The file with the whole answer. */
  outputPath: string | undefined;
  /** Ids of messages in the outbox, if the answer is delivered to chats. */
  deliveries: readonly string[];
  /** Why the answer could not be delivered; separate from the state of the run. */
  deliveryError: string | undefined;
};

export type RunEnd = {
  state: 'done' | 'failed';
  error?: string | undefined;
  outputPath?: string | undefined;
  deliveries?: readonly string[];
  deliveryError?: string | undefined;
};

/** The runs of scheduled jobs, and with PostgreSQL the jobs themselves. */
export interface CronStore {
  /** Takes a run for this process, for some time. Returns false if it was taken before. */
  claimRun(run: RunKey & { owner: string; claimedAt: number }, ttlMs: number): Promise<boolean>;
  /** Records that the work begins. Returns false if the run was given up because it was not renewed. */
  startRun(run: RunKey, sessionId: string | undefined, ttlMs: number): Promise<boolean>;
  /** Extends the time for which the process has the run. Returns false if it was given up. */
  renewRun(run: RunKey, ttlMs: number): Promise<boolean>;
  endRun(run: RunKey, end: RunEnd & { endedAt: number }): Promise<void>;
  /** Withdraws a claim, as if it had never been made. A run that has started stays. */
  releaseRun(run: RunKey): Promise<void>;
  /** The runs that are claimed or running, in all processes. */
  listOpenRuns(): Promise<CronRun[]>;
  /**
   * Marks runs of dead processes as unknown, and returns them; each is returned to one caller only. A process is dead
   * if it did not renew its run in time, or if the caller knows so.
   */
  giveUpRuns(endedAt: number, judgeOwner?: (owner: string) => 'alive' | 'dead' | undefined): Promise<CronRun[]>;
  /** Newest first. */
  listRuns(filter?: { jobId?: string; limit?: number }): Promise<CronRun[]>;
  /** Deletes ended runs that were planned before a time. */
  pruneRuns(before: number): Promise<void>;
  listStoredJobs(): Promise<JsonObject[]>;
  /** Adds or replaces the jobs with these ids, and deletes those that are missing, while no other process does so. */
  changeStoredJobs(change: (jobs: JsonObject[]) => JsonObject[]): Promise<void>;
}
