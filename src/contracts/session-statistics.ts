import type { CacheMissReason, Usage } from '../base/index.ts';

/** Statistics over all sessions. Message copies count once. */
export interface SessionInsights {
  statistics(options?: StatisticsOptions): Promise<SessionStatistics>;
}

export type StatisticsOptions = {
  /** Only count what happened at or after this time. */
  since?: number;
  source?: string;
};

export type SessionStatistics = {
  /** Number of sessions, without subagent sessions unless their source is selected. */
  sessions: number;
  /** Number of delegated tasks. */
  subagents: number;
  /** Number of messages by role. The task message of a subagent does not count as a user message. */
  messages: { user: number; assistant: number; tool: number };
  /** Number of turns per exit reason. */
  exitReasons: { reason: string; turns: number }[];
  /** Sessions that ended by compression. */
  compressions: number;
  calls: number;
  usage: Usage;
  /** Known spending; null if no cost is known. */
  usd: number | null;
  /** Calls with token usage but unknown cost; a session of the original program counts as one. */
  unpriced: number;
  byModel: SpendingGroup<{ model: string; provider: string }>[];
  bySource: SpendingGroup<{ source: string }>[];
  /** `chat` for the chat itself, the task name for auxiliary calls. */
  byPurpose: SpendingGroup<{ purpose: string }>[];
  /** Days in local time as `YYYY-MM-DD`, oldest first. */
  byDay: (SpendingGroup<{ day: string }> & { messages: number })[];
  /** Why providers did not read prompts from their caches, and how many tokens that concerned; most tokens first. */
  cacheMisses: { reason: CacheMissReason; calls: number; tokens: number }[];
  /** Most used first. Results stored by another program have no status and do not count as failures. */
  tools: { name: string; calls: number; failures: number }[];
  /** Messages per hour of the local day; 24 numbers. */
  activeHours: number[];
};

/** Spending of one group. `sessions` counts the sessions with spending in the group. */
export type SpendingGroup<Key> = Key & { sessions: number } & Spending;

export type Spending = Pick<SessionStatistics, 'calls' | 'usage' | 'usd' | 'unpriced'>;
