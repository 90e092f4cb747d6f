import { errorMessage, type RunResult } from '../../base/index.ts';
import type { AuxiliaryModels, Logger } from '../../contracts/index.ts';
import type { AgentBlueprint } from '../agent-blueprint.ts';
import type { SessionState } from '../session-states.ts';
import { createReviewCounter, type DueReview, lastTurn, type ReviewIntervals } from './review-counter.ts';
import type { ReviewTools } from './review-tools.ts';

/** Reviews turns with much work, in the background, for what is worth keeping. */
export interface Reviewer extends Required<SessionState> {
  /** Call it after each turn that someone watched. Returns at once. The agent may be closed meanwhile. */
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
function intervalsOf({ settings, attended, plan }: AgentBlueprint): ReviewIntervals | undefined {
  const isOff = !attended || plan || settings.auxiliary.review?.enabled === false;
  const intervals = { steps: settings.skills.creationNudgeInterval, messages: settings.memory?.nudgeInterval ?? 0 };
  return isOff || intervals.steps + intervals.messages === 0 ? undefined : intervals;
}
