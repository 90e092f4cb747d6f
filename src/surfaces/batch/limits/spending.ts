import type { Cost } from '../../../base/index.ts';
import type { ModelAnswer } from '../../../contracts/index.ts';

/** The cost of a run across restarts, checked against its limit. */
export interface RunSpending {
  readonly usd: number;
  /** False if the cost of an answer is unknown. */
  readonly costKnown: boolean;
  noteAnswer(answer: Pick<ModelAnswer, 'cost'>): void;
  /** Adds the cost of calls outside the chat, such as auxiliary tasks. */
  add(cost: Cost): void;
  /** Records the cost of a finished prompt. */
  noteFinished(usd: number): void;
  /** Whether another prompt of average cost fits within the limit. */
  fitsAnother(running: number): boolean;
}

/** Tolerance for rounding errors of floating-point sums. */
const ROUNDING = 1 + 1e-9;

export function createSpending(options: {
  limitUsd?: number | undefined;
  spentUsd: number;
  /** False if an earlier invocation received answers of unknown cost. */
  knownBefore?: boolean;
  /** Called once, when the limit is reached or cannot be enforced. */
  onLimit(reason: SpendingStop): void;
}): RunSpending {
  const { limitUsd = Infinity, spentUsd, onLimit } = options;
  const { knownBefore = true } = options;
  let [usd, finished, finishedUsd, isReported] = [spentUsd, 0, 0, false];
  // Prices may have been configured since, so answers of unknown cost in earlier invocations do not stop this one.
  let arePriced = true;
  const check = () => {
    if (isReported || limitUsd === Infinity) return;
    // Spending exactly the limit is allowed.
    if (arePriced && usd <= limitUsd * ROUNDING) return;
    isReported = true;
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
      // A partly unknown sum still contains all known amounts.
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
