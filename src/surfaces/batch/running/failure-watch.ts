import type { PromptResult } from '../results/result-line.ts';

/** Notices when prompts fail for a reason that the next ones will meet as well. */
export interface FailureWatch {
  note(result: PromptResult): void;
}

/** So many in a row are no accident. */
const MOST_IN_A_ROW = 20;
/** What no other prompt can change needs less proof. */
const MOST_FOR_GOOD = 3;
const FOR_GOOD: readonly unknown[] = ['auth', 'auth_permanent', 'billing', 'model_not_found'];

export function createFailureWatch(onHopeless: (reason: string) => void): FailureWatch {
  let [inARow, forGood] = [0, 0];
  return {
    note(result) {
      if (result.kind !== 'failed') {
        [inARow, forGood] = [0, 0];
        return;
      }
      const { kind, reason } = result.record;
      inARow += 1;
      forGood = FOR_GOOD.includes(kind) ? forGood + 1 : 0;
      if (inARow >= MOST_IN_A_ROW || forGood >= MOST_FOR_GOOD)
        onHopeless(typeof reason === 'string' ? reason : 'unknown');
    },
  };
}
