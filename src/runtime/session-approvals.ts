import type { SessionApprovals } from '../contracts/index.ts';

/** What was allowed for the rest of each session, for as long as the program runs. */
export function createSessionApprovals(): SessionApprovals {
  const byRoot = new Map<string, Set<string>>();
  return {
    rulesOf(rootId) {
      const rules = byRoot.get(rootId) ?? new Set();
      byRoot.set(rootId, rules);
      return rules;
    },
  };
}
