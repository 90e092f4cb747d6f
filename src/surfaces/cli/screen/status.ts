import type { AgentEvent } from '../../../base/index.ts';
import { addCost, type Cost, totalTokens } from '../../../base/index.ts';
import type { SessionMode } from '../../../runtime/index.ts';
import type { StatusView } from '../render/index.ts';
import type { FigureScope } from '../terminal/chat-terminal.ts';

type UsageEvent = Extract<AgentEvent, { type: 'usage' }>;

/** The data of the status line: the current activity, and the usage of the session. */
export interface Status {
  /** A turn starts. */
  begin(): void;
  /** Sets the current activity. */
  set(activity: string): void;
  /** The turn has ended; the figures stay. */
  end(): void;
  addUsage(event: UsageEvent): void;
  /** Adds usage of others, such as subagents, that does not affect the context window. */
  addSpending(spent: Pick<UsageEvent, 'usage' | 'cost'>): void;
  setWindow(contextLength: number | undefined): void;
  showMode(mode: () => SessionMode): void;
  reset(what: FigureScope): void;
  /** The duration of the running turn, in seconds. */
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
  let modeNow: () => SessionMode = () => 'default';
  const elapsed = () => (running === undefined ? 0 : now() - running.since);
  const seconds = () => Math.floor(elapsed() / 1000);
  const takeSpending: Status['addSpending'] = (spent) => {
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
    addSpending: takeSpending,
    addUsage(event) {
      takeSpending(event);
      contextTokens = event.contextTokens;
      hitRate = event.cacheHitRate ?? hitRate;
    },
    setWindow(contextLength) {
      window = contextLength;
    },
    showMode(mode) {
      modeNow = mode;
    },
    reset(what) {
      contextTokens = 0;
      if (what === 'context') return;
      tokens = 0;
      cost = undefined;
      hitRate = undefined;
    },
    seconds,
    view: () => ({
      ...describeMode(modeNow()),
      ...(running && {
        activity: { text: running.activity, seconds: seconds(), frame: Math.floor(elapsed() / FRAME_MS) },
      }),
      ...(tokens > 0 && { tokens }),
      ...(window !== undefined && contextTokens > 0 && { contextUsed: contextTokens / window }),
      // An unknown cost is omitted instead of shown as zero.
      ...(cost !== undefined && cost.status !== 'unknown' && { costUsd: cost.usd }),
      ...(hitRate !== undefined && { cacheHitRate: hitRate }),
    }),
  };
}

function describeMode(mode: SessionMode): Pick<StatusView, 'mode'> {
  return mode === 'default' ? {} : { mode };
}
