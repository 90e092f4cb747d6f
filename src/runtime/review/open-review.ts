import { errorMessage, type Message, type RunResult } from '../../base/index.ts';
import type { AuxiliaryModels, Logger } from '../../contracts/index.ts';
import type { AgentBlueprint } from '../agent-blueprint.ts';
import type { SessionState } from '../session-states.ts';
import type { ReviewTools } from './review.ts';

/** Reviews turns with much work, in the background, for what is worth keeping. */
export interface Reviewer extends Required<SessionState> {
  /** Counts a turn, and reviews it if one is due. Returns at once. The agent may be closed meanwhile. */
  begin(result: RunResult, blueprint: AgentBlueprint): void;
  /** What was kept since the last call, in lines for the person. */
  news(): string[];
  /** Aborts what is under way; resolves when nothing more will be written. */
  stop(): Promise<void>;
}

/** Nothing is loaded before a review is due. */
export function openReviews(
  auxiliary: AuxiliaryModels | undefined,
  { logger, openTools }: { logger: Logger; openTools(blueprint: AgentBlueprint): Promise<ReviewTools> },
): Reviewer {
  const counter = createReviewCounter();
  const stopped = new AbortController();
  const { signal } = stopped;
  const news: string[] = [];
  let running: Promise<void> | undefined;

  async function review(models: AuxiliaryModels, due: DueReview, result: RunResult, blueprint: AgentBlueprint) {
    const { reviewTurn } = await import('./review.ts');
    const { tools, close } = await openTools(blueprint);
    try {
      const kept = await reviewTurn({ auxiliary: models, tools, signal }, due, result, lastTurn(result.messages));
      if (kept.length > 0) news.push(`Kept for later sessions: ${[...new Set(kept)].join(', ')}.`);
      logger.info('review', { sessionId: result.sessionId, kept });
    } finally {
      await close();
    }
  }

  return {
    begin(result, blueprint) {
      const intervals = intervalsOf(blueprint);
      if (auxiliary === undefined || intervals === undefined || !result.completed || signal.aborted) return;
      const due = counter.count(result, intervals);
      // One at a time; what was due meanwhile comes with the next.
      if (due === undefined || running !== undefined) return;
      running = review(auxiliary, due, result, blueprint)
        .catch((thrown: unknown) => {
          if (!signal.aborted) logger.warn('a review failed', { reason: errorMessage(thrown) });
        })
        .finally(() => {
          running = undefined;
        });
    },
    news: () => news.splice(0),
    forget: counter.forget,
    continueSession: counter.forget,
    async stop() {
      stopped.abort(new Error('the program ends'));
      await running;
    },
  };
}

/** Undefined where no reviews are wanted. */
function intervalsOf({ settings, plan }: AgentBlueprint): ReviewIntervals | undefined {
  const isOff = plan || settings.auxiliary.review?.enabled === false;
  const intervals = { steps: settings.skills.creationNudgeInterval, messages: settings.memory?.nudgeInterval ?? 0 };
  return isOff || intervals.steps + intervals.messages === 0 ? undefined : intervals;
}

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
