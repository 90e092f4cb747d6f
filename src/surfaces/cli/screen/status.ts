import type { AgentEvent } from '../../../base/index.ts';
import { addCost, type Cost, totalTokens } from '../../../base/index.ts';
import type { StatusView } from '../render/index.ts';
import type { ForgottenFigures } from '../terminal/chat-terminal.ts';

type UsageEvent = Extract<AgentEvent, { type: 'usage' }>;

/** What the status line says: what is done now, and what the session has taken so far. */
export interface Status {
  /** A turn begins. */
  begin(): void;
  /** What is done from now on. */
  set(activity: string): void;
  /** Nothing runs any more; the figures stay. */
  end(): void;
  takeUsage(event: UsageEvent): void;
  /** What others took for the turn. */
  takeSpending(spent: Pick<UsageEvent, 'usage' | 'cost'>): void;
  setWindow(contextLength: number | undefined): void;
  forget(what: ForgottenFigures): void;
  /** How long the turn has taken, in seconds. */
  seconds(): number;
  view(): StatusView;
}

const FRAME_MS = 100;

export function createStatus(now: () => number = () => performance.now()): Status {
  let running: { since: number; activity: string } | undefined;
  let [tokens, contextTokens] = [0, 0];
  let window: number | undefined;
  let cost: Cost | undefined;
  let hitRate: number | undefined;
  const elapsed = () => (running === undefined ? 0 : now() - running.since);
  const seconds = () => Math.floor(elapsed() / 1000);
  const takeSpending: Status['takeSpending'] = (spent) => {
    tokens += totalTokens(spent.usage);
    cost = addCost(cost, spent.cost);
  };
  return {
    begin() {
      running = { since: now(), activity: 'starting' };
    },
    set(activity) {
      if (running !== undefined) running.activity = activity;
    },
    end() {
      running = undefined;
    },
    takeSpending,
    takeUsage(event) {
      takeSpending(event);
      contextTokens = event.contextTokens;
      hitRate = event.cacheHitRate ?? hitRate;
    },
    setWindow(contextLength) {
      window = contextLength;
    },
    forget(what) {
      contextTokens = 0;
      if (what === 'context') return;
      tokens = 0;
      cost = undefined;
      hitRate = undefined;
    },
    seconds,
    view: () => ({
      ...(running && {
        activity: { text: running.activity, seconds: seconds(), frame: Math.floor(elapsed() / FRAME_MS) },
      }),
      ...(tokens > 0 && { tokens }),
      ...(window !== undefined && contextTokens > 0 && { contextUsed: contextTokens / window }),
      // What nobody knows the price of is not said to cost nothing.
      ...(cost !== undefined && cost.status !== 'unknown' && { costUsd: cost.usd }),
      ...(hitRate !== undefined && { cacheHitRate: hitRate }),
    }),
  };
}
