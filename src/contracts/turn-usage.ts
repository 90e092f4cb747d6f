import { addCost, addUsage, type CacheMiss, type Cost, NO_COST, NO_USAGE, type Usage } from '../base/index.ts';
import type { CallRecord } from './session-store.ts';

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
