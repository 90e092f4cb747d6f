import type { SessionApprovals } from '../contracts/index.ts';
import type { SessionState } from './session-states.ts';

/** The rules allowed for the rest of each session, kept while an agent has a session of the lineage open. */
export function createSessionApprovals(): SessionApprovals & SessionState {
  const byRoot = new Map<string, Set<string>>();
  return {
    rulesOf(rootId) {
      const rules = byRoot.get(rootId) ?? new Set();
      byRoot.set(rootId, rules);
      return rules;
    },
    forget: (rootId) => void byRoot.delete(rootId),
  };
}
