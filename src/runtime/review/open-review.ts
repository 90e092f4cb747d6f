import { errorMessage, type RunResult } from '../../base/index.ts';
import type { AuxiliaryModels, Logger, ToolSet } from '../../contracts/index.ts';
import type { RuntimeOptions } from '../create-runtime.ts';
import { createReviewCounter, type DueReview, lastTurn } from './review-counter.ts';

/** Looks back at turns with much work, in the background, for what is worth keeping. */
export interface Reviewer {
  /** To be called after a turn that someone watched; returns at once, whatever becomes of it. */
  begin(result: RunResult): void;
  /** What was kept since this was last asked, in lines for the person. */
  news(): string[];
  /** Ends what is under way; resolves when nothing more will be written. */
  stop(): Promise<void>;
}

type ReviewOptions = Pick<RuntimeOptions, 'settings' | 'attended' | 'plan'>;

const NO_REVIEWS: Reviewer = { begin: () => undefined, news: () => [], stop: () => Promise.resolve() };

/** Counters decide; nothing is loaded before a review is due, and nothing at all where nobody wants one. */
export function openReviews(
  { settings, attended, plan }: ReviewOptions,
  auxiliary: AuxiliaryModels | undefined,
  { logger, openTools }: { logger: Logger; openTools(): Promise<ToolSet> },
): Reviewer {
  const intervals = { steps: settings.skills.creationNudgeInterval, messages: settings.memory?.nudgeInterval ?? 0 };
  const wanted = attended && !plan && intervals.steps + intervals.messages > 0;
  if (auxiliary === undefined || !wanted || settings.auxiliary.review?.enabled === false) return NO_REVIEWS;
  const count = createReviewCounter(intervals);
  const stopped = new AbortController();
  const { signal } = stopped;
  const news: string[] = [];
  let running: Promise<void> | undefined;

  async function review(due: DueReview, result: RunResult): Promise<void> {
    const { reviewTurn } = await import('./review.ts');
    const parts = { auxiliary: auxiliary as AuxiliaryModels, tools: await openTools(), signal };
    const kept = await reviewTurn(parts, due, result, lastTurn(result.messages));
    if (kept.length > 0) news.push(`Kept for later sessions: ${[...new Set(kept)].join(', ')}.`);
    logger.info('review', { sessionId: result.sessionId, kept });
  }

  return {
    begin(result) {
      const due = result.completed && !signal.aborted ? count(result) : undefined;
      // One at a time; what was due meanwhile comes with the next.
      if (due === undefined || running !== undefined) return;
      running = review(due, result)
        .catch((thrown: unknown) => {
          if (!signal.aborted) logger.warn('a review failed', { reason: errorMessage(thrown) });
        })
        .finally(() => {
          running = undefined;
        });
    },
    news: () => news.splice(0),
    async stop() {
      stopped.abort(new Error('the program ends'));
      await running;
    },
  };
}
