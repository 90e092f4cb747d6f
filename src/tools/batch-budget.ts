/** No result is cut below this for the sake of the others. */
const SHORTEST = 500;

/** Room that the results of one batch share. Handed out in call order, and yet the largest are the ones that are cut. */
export interface BatchBudget {
  /** Whether a result can be handed over without knowing those behind it: no cut would ever reach it. */
  isSafe(length: number, behind: number): boolean;
  take(length: number): void;
  /** How long a result may be so that these all fit; undefined where they do anyway. */
  levelFor(lengths: readonly number[]): number | undefined;
}

export function createBatchBudget(limit: number, count: number, resultLimit: number): BatchBudget {
  let left = limit;
  const share = limit / Math.max(count, 1);
  return {
    // What is no longer than an even share is never among those that have to give way.
    isSafe: (length, behind) => length <= share || length + behind * resultLimit <= left,
    take(length) {
      left -= length;
    },
    levelFor(lengths) {
      let room = left;
      const ascending = [...lengths].sort((a, b) => a - b);
      for (const [index, length] of ascending.entries()) {
        const others = ascending.length - index;
        if (length * others > room) return Math.max(Math.floor(room / others), SHORTEST);
        room -= length;
      }
      return undefined;
    },
  };
}
