import type { Usage } from '../base/index.ts';

/** Figures over all sessions; copies of messages count once. */
export interface SessionInsights {
  statistics(options?: StatisticsOptions): Promise<SessionStatistics>;
}

export type StatisticsOptions = {
  /** Counts what happened at this moment or later. */
  since?: number;
  source?: string;
};

export type SessionStatistics = {
  /** Without those of subagents, unless their source is asked for. */
  sessions: number;
  /** How often work was handed to a subagent. */
  subagents: number;
  /** What an agent told its subagents is no message of a user. */
  messages: { user: number; assistant: number; tool: number };
  /** Turns that ended with each reason. */
  exitReasons: { reason: string; turns: number }[];
  /** Sessions that ended by compression. */
  compressions: number;
  calls: number;
  usage: Usage;
  /** What is known to have been spent; null where nobody said what any of it cost. */
  usd: number | null;
  /** Calls that used tokens and of which nobody said what they cost; a session of the original counts as one. */
  unpriced: number;
  byModel: SpendingGroup<{ model: string; provider: string }>[];
  bySource: SpendingGroup<{ source: string }>[];
  /** The chat itself is `chat`, auxiliary calls go by the name of their task. */
  byPurpose: SpendingGroup<{ purpose: string }>[];
  /** Days of local time as `YYYY-MM-DD`, the oldest first. */
  byDay: (SpendingGroup<{ day: string }> & { messages: number })[];
  /** Most used first. What another program stored has no status and counts as no failure. */
  tools: { name: string; calls: number; failures: number }[];
  /** Messages per hour of the local day, 24 figures. */
  activeHours: number[];
};

/** `sessions` are those that spent something in it; the rest as above. */
export type SpendingGroup<Key> = Key & { sessions: number } & Spending;

export type Spending = Pick<SessionStatistics, 'calls' | 'usage' | 'usd' | 'unpriced'>;
