import { onTestFinished } from 'vitest';
import { type Clock, systemClock } from '../../base/index.ts';
import type { NewSession, CallRecord, SessionStore } from '../../contracts/index.ts';

export type StoreUnderTest = {
  store: SessionStore;
  /** A second store on the same data, as another process would open it. */
  openAgain(): Promise<SessionStore>;
};

export type OpenStore = (options: { clock: Clock }) => Promise<StoreUnderTest>;

/** 2026-01-02T03:04:05.678Z */
export const START = 1_767_323_045_678;

export type StoreHarness = StoreUnderTest & {
  /** Advances the clock of the store. */
  advance(milliseconds: number): void;
  create(id: string, more?: Partial<Omit<NewSession, 'id'>>): Promise<void>;
};

export async function openHarness(openStore: OpenStore): Promise<StoreHarness> {
  let now = START;
  const underTest = await openStore({ clock: { ...systemClock, now: () => now } });
  const { store } = underTest;
  onTestFinished(() => store.close());
  return {
    ...underTest,
    advance(milliseconds) {
      now += milliseconds;
    },
    create: (id, more) => store.createSession({ id, source: 'cli', startedAt: now, ...more }),
  };
}

export function callRecord(more: Partial<CallRecord> = {}): CallRecord {
  return {
    taskId: 'task_1',
    provider: 'example',
    model: 'model-1',
    baseUrl: 'https://example.invalid/v1',
    startedAt: START,
    durationMs: 1234.5,
    usage: { input: 100, output: 20, cacheRead: 7, cacheWrite: 3, reasoning: 5 },
    cost: { usd: 0.25, status: 'estimated' },
    outcome: 'ok',
    ...more,
  };
}
