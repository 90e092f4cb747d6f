import type { PruningEngine } from '../contracts/index.ts';
import { cutLongResults, pruneMessages } from './phases/prune.ts';

/** How many of the newest messages each attempt leaves alone. */
const UNTOUCHED = [20, 6, 2] as const;
const LAST_RESORT_LIMIT = 4_000;

/** Keeps a conversation inside the window without asking a model: old tool output goes first. */
export function createPruningEngine(): PruningEngine {
  return {
    name: 'pruning',
    reduce(messages, attempt) {
      const untouched = UNTOUCHED[attempt - 1] ?? 0;
      const isLast = attempt >= UNTOUCHED.length;
      const boundary = messages.length - untouched;
      if (boundary <= 0 && !isLast) return undefined;
      const pruned = pruneMessages(messages.slice(0, Math.max(boundary, 0)));
      if (!isLast) return { boundary, reduced: pruned };
      const recent = cutLongResults(messages.slice(Math.max(boundary, 0)), LAST_RESORT_LIMIT);
      return { boundary: messages.length, reduced: [...pruned, ...recent] };
    },
  };
}
