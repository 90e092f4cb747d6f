import { errorMessage, type Message, type RunResult } from '../../base/index.ts';
import type { AuxiliaryModels, Logger } from '../../contracts/index.ts';
import type { AgentBlueprint } from '../agent-blueprint.ts';
import type { SessionState } from '../session-states.ts';
import type { ReviewTools } from './review.ts';

/** Reviews long turns in the background and saves what is worth remembering. */
export interface Reviewer extends Required<SessionState> {
  /** Counts a turn and starts a review if one is due. Returns immediately. The agent may be closed in the meantime. */
  begin(result: RunResult, blueprint: AgentBlueprint): void;
  /** Messages for the user about what was saved since the last call. */
  drainMessages(): string[];
  /** Aborts a running review; resolves when nothing more will be written. */
  stop(): Promise<void>;
}

/** Nothing is loaded until a review is due. */
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
      if (kept.length > 0) news.push(`Saved for later sessions: ${[...new Set(kept)].join(', ')}.`);
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
      // Only one review runs at a time; one that becomes due in the meantime is merged into the next.
      if (due === undefined || running !== undefined) return;
      running = review(auxiliary, due, result, blueprint)
        .catch((thrown: unknown) => {
          if (!signal.aborted) logger.warn('review failed', { reason: errorMessage(thrown) });
        })
        .finally(() => {
          running = undefined;
        });
    },
    drainMessages: () => news.splice(0),
    forget: counter.forget,
    continueSession: counter.forget,
    async stop() {
      stopped.abort(new Error('Hermes is shutting down'));
      await running;
    },
  };
}

/** Undefined if reviews are disabled. */
function intervalsOf({ settings, plan }: AgentBlueprint): ReviewIntervals | undefined {
  const isOff = plan || settings.auxiliary.review?.enabled === false;
  const intervals = { steps: settings.skills.creationNudgeInterval, messages: settings.memory?.nudgeInterval ?? 0 };
  return isOff || intervals.steps + intervals.messages === 0 ? undefined : intervals;
}

export type ReviewIntervals = {
  /** Number of steps with tool calls between reviews (`skills.creation_nudge_interval`); 0 for never. */
  steps: number;
  /** Number of user messages between reviews (`memory.nudge_interval`); 0 for never. */
  messages: number;
};

/** What a review should look for. */
export type DueReview = { skills: boolean; memory: boolean };

export interface ReviewCounter {
  /**
   * Counts a turn of its session. The count restarts when the agent saved something itself. Returns undefined if no
   * review is due.
   */
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

/** The messages from the newest user message on. */
export function lastTurn(messages: readonly Message[]): readonly Message[] {
  return messages.slice(
    Math.max(
      0,
      messages.findLastIndex(({ role }) => role === 'user'),
    ),
  );
}
