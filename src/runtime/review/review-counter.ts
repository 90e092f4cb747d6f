import type { Message, RunResult } from '../../base/index.ts';

export type ReviewIntervals = {
  /** Steps with tools, `skills.creation_nudge_interval`; 0 for never. */
  steps: number;
  /** Messages of the user, `memory.nudge_interval`; 0 for never. */
  messages: number;
};

/** What a review is to look for; undefined where none is due. */
export type DueReview = { skills: boolean; memory: boolean };

export interface ReviewCounter {
  /** Counts a turn of its session. What the agent kept by itself restarts the count. */
  count(result: RunResult, intervals: ReviewIntervals): DueReview | undefined;
  forget(sessionId: string): void;
}

export function createReviewCounter(): ReviewCounter {
  const counts = new Map<string, ReviewIntervals>();
  const count: ReviewCounter['count'] = ({ sessionId, messages }, intervals) => {
    const before = counts.get(sessionId) ?? { steps: 0, messages: 0 };
    const turn = lastTurn(messages);
    const calls = turn.flatMap((message) => (message.role === 'assistant' ? (message.toolCalls ?? []) : []));
    const steps = turn.filter((message) => message.role === 'assistant' && message.toolCalls !== undefined).length;
    const used = (name: string) => calls.some((call) => call.name === name);
    const now = {
      steps: used('skill_manage') ? 0 : before.steps + steps,
      messages: used('memory') ? 0 : before.messages + 1,
    };
    const due = {
      skills: intervals.steps > 0 && now.steps >= intervals.steps,
      memory: intervals.messages > 0 && now.messages >= intervals.messages,
    };
    counts.set(sessionId, { steps: due.skills ? 0 : now.steps, messages: due.memory ? 0 : now.messages });
    return due.skills || due.memory ? due : undefined;
  };
  return { count, forget: (sessionId) => void counts.delete(sessionId) };
}

/** From the newest words of the user on. */
export function lastTurn(messages: readonly Message[]): readonly Message[] {
  return messages.slice(
    Math.max(
      0,
      messages.findLastIndex(({ role }) => role === 'user'),
    ),
  );
}
