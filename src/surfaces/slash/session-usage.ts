import { addUsage, type Usage } from '../../base/index.ts';
import type { SessionRecord, SessionStore } from '../../contracts/index.ts';

type Lineage = Pick<SessionStore, 'getAncestors' | 'getDescendants'>;

/** What a session used with all that its cost counts: what came before compression, and its subagents. */
export async function sessionUsage(
  store: Lineage,
  session: SessionRecord,
): Promise<{ usage: Usage; subagents: number }> {
  const ancestors = session.parentSessionId === undefined ? [] : await store.getAncestors(session.id);
  const lineage = [...ancestors, session];
  // Compression goes on in another session, which is the same one to a person; a branch is not.
  const root =
    lineage[
      Math.max(
        0,
        lineage.findLastIndex(({ isBranch }) => isBranch),
      )
    ] ?? session;
  const counted = new Map([[root.id, root]]);
  for (const each of await store.getDescendants(root.id))
    if (!each.isBranch && counted.has(each.parentSessionId ?? '')) counted.set(each.id, each);
  const all = [...counted.values()];
  return {
    usage: all.map(({ usage }) => usage).reduce(addUsage),
    subagents: all.filter(({ isDelegated }) => isDelegated).length,
  };
}

/** Said where figures are not of the conversation alone. */
export function withSubagents(count: number): string {
  return count === 0 ? '' : `with ${count} ${count === 1 ? 'subagent' : 'subagents'}`;
}
