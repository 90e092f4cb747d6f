import { addCost, addUsage, type CacheMiss, type Cost, NO_COST, NO_USAGE, type Usage } from '../base/index.ts';
import { type CallRecord, type SessionRecord, type SessionStore, SUBAGENT_SOURCE } from './session-store.ts';

/** What one turn cost, auxiliary calls included. */
export type TurnUsage = {
  taskId: string;
  startedAt: number;
  /** Calls of the chat; auxiliary calls are counted separately. */
  calls: number;
  auxiliaryCalls: number;
  usage: Usage;
  cost: Cost;
  /** The cache misses of the turn, in order. */
  cacheMisses: CacheMiss[];
};

/** Adds up the calls of each turn. Turns are in the order of their first calls. */
export function usagePerTurn(calls: readonly CallRecord[]): TurnUsage[] {
  const inOrder = [...calls].sort((a, b) => a.startedAt - b.startedAt);
  return [...Map.groupBy(inOrder, ({ taskId }) => taskId)].map(([taskId, own]) => {
    const chat = own.filter(({ purpose }) => purpose === undefined);
    return {
      taskId,
      startedAt: own[0]?.startedAt ?? 0,
      calls: chat.length,
      auxiliaryCalls: own.length - chat.length,
      usage: own.map(({ usage }) => usage).reduce(addUsage, NO_USAGE),
      cost: own.map(({ cost }) => cost).reduce<Cost | undefined>(addCost, undefined) ?? NO_COST,
      cacheMisses: own.flatMap(({ cacheMiss }) => (cacheMiss === undefined ? [] : [cacheMiss])),
    };
  });
}

/** The turns of a conversation. Compression continues a turn in another session; subagents have turns of their own. */
export async function turnUsageOf(
  store: Pick<SessionStore, 'getCalls'>,
  sessions: readonly SessionRecord[],
): Promise<TurnUsage[]> {
  const own = sessions.filter(({ source }) => source !== SUBAGENT_SOURCE);
  const calls = await Promise.all(own.map(({ id }) => store.getCalls(id)));
  return usagePerTurn(calls.flat());
}

type CountedUsage = { usage: Usage; subagents: number; sessions: readonly SessionRecord[] };

/** Usage of a session, including the sessions before compression and its subagents. */
export async function sessionUsage(
  store: Pick<SessionStore, 'getAncestors' | 'getDescendants'>,
  session: SessionRecord,
): Promise<CountedUsage> {
  const ancestors = session.parentSessionId === undefined ? [] : await store.getAncestors(session.id);
  const lineage = [...ancestors, session];
  // To the user, a compressed session is still the same one; a branch is not.
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
    sessions: all,
  };
}
