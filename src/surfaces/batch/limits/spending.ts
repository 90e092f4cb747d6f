import type { Cost } from '../../../base/index.ts';
import type { ModelAnswer } from '../../../contracts/index.ts';

/** The cost of a run across restarts, checked against its limit. */
export interface RunSpending {
  readonly usd: number;
  /** False if an answer had no price. */
  readonly costKnown: boolean;
  noteAnswer(answer: Pick<ModelAnswer, 'cost'>): void;
  /** What came beside the answers of the chat. */
  add(cost: Cost): void;
  /** A prompt has ended, and cost this much. */
  noteFinished(usd: number): void;
  /** Whether another prompt fits, if it costs what the others did on average. */
  fitsAnother(running: number): boolean;
}

/** Sums of many small amounts are never exact. */
const ROUNDING = 1 + 1e-9;

export function createSpending(options: {
  limitUsd?: number | undefined;
  spentUsd: number;
  /** False where an earlier start had answers without a price. */
  knownBefore?: boolean;
  /** Called once, when the limit is reached or cannot be kept. */
  onLimit(reason: SpendingStop): void;
}): RunSpending {
  const { limitUsd = Infinity, spentUsd, onLimit } = options;
  const { knownBefore = true } = options;
  let [usd, finished, finishedUsd, told] = [spentUsd, 0, 0, false];
  // Prices may have been given since: what earlier starts did without them does not end this one.
  let arePriced = true;
  const check = () => {
    if (told || limitUsd === Infinity) return;
    // What is just as much as was allowed may still come to its end.
    if (arePriced && usd <= limitUsd * ROUNDING) return;
    told = true;
    onLimit(arePriced ? 'reached' : 'unknown');
  };
  return {
    get usd() {
      return usd;
    },
    get costKnown() {
      return knownBefore && arePriced;
    },
    noteAnswer({ cost }) {
      if (cost === undefined || cost.status === 'unknown') arePriced = false;
      else usd += cost.usd;
      check();
    },
    add(cost) {
      // A sum in which something is not known still has all that is.
      usd += cost.usd;
      if (cost.status === 'unknown') arePriced = false;
      check();
    },
    noteFinished(cost) {
      finished += 1;
      finishedUsd += cost;
    },
    fitsAnother(running) {
      const average = finished === 0 ? 0 : finishedUsd / finished;
      return spentUsd + finishedUsd + average * (running + 1) <= limitUsd * ROUNDING && usd < limitUsd;
    },
  };
}

export type SpendingStop = 'reached' | 'unknown';
