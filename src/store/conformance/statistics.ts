import { describe, expect } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import { type CacheMiss, type Message, NO_USAGE } from '../../base/index.ts';
import type { SessionStore, StatisticsOptions, TurnRecord } from '../../contracts/index.ts';
import { callRecord, type OpenStore, openHarness, START } from './store-harness.ts';

const DAY = 86_400_000;

const result = (id: string, toolName: string): Message => ({ role: 'tool', toolCallId: id, toolName, content: '' });

async function fill(store: SessionStore, pass: (milliseconds: number) => void): Promise<void> {
  await store.createSession({ id: 'one', source: 'cli', startedAt: START });
  await store.createSession({ id: 'two', source: 'telegram', startedAt: START + DAY });
  await store.appendMessages('one', [{ role: 'user', content: 'x' }], callRecord());
  const statuses = { toolStatus: { a: 'ok', b: 'error', c: 'denied' } } as const;
  await store.appendMessages('one', [result('a', 'terminal'), result('b', 'terminal')], undefined, statuses);
  await store.appendMessages('one', [result('c', 'patch'), result('d', 'patch')], undefined, statuses);
  pass(DAY);
  await store.appendMessages('two', [{ role: 'assistant', content: 'y' }]);
  const later = { startedAt: START + DAY, model: 'model-2' } as const;
  await store.recordCall('two', callRecord({ ...later, cost: { usd: 1, status: 'actual' } }));
  await store.recordCall('two', callRecord({ ...later, usage: NO_USAGE, cost: { usd: 0, status: 'unknown' } }));
  const turn = { startedAt: START, endedAt: START, apiCalls: 1, toolCalls: 0, model: 'm', provider: 'p' };
  for (const [id, exitReason] of [
    ['one', 'completed'],
    ['one', 'failed'],
    ['two', 'completed'],
  ] as [string, TurnRecord['exitReason']][]) {
    await store.recordTurn({ ...turn, sessionId: id, taskId: 't', exitReason });
  }
  await store.splitSession('one', { id: 'three', source: 'cli', startedAt: START + DAY }, []);
}

const localDay = (at: number) => {
  const [month, day] = [new Date(at).getMonth() + 1, new Date(at).getDate()];
  return `${new Date(at).getFullYear()}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`;
};

export function describeStatistics(openStore: OpenStore): void {
  describe('statistics', () => {
    describeUnknownCost(openStore);
    verifies('STORE-3', 'sessions, messages, tokens and cost are added up by model, source and day', async () => {
      const { store, advance } = await openHarness(openStore);
      await fill(store, advance);
      const all = await store.statistics();
      expect(all).toMatchObject({ sessions: 3, compressions: 1, calls: 3, usd: 1.25, unpriced: 0 });
      expect(all.messages).toEqual({ user: 1, assistant: 1, tool: 4 });
      expect(all.usage).toEqual({ input: 200, output: 40, cacheRead: 14, cacheWrite: 6, reasoning: 10 });
      expect(all.byModel).toMatchObject([
        { model: 'model-2', provider: 'example', calls: 2, usd: 1 },
        { model: 'model-1', provider: 'example', calls: 1, usd: 0.25 },
      ]);
      expect(all.bySource).toMatchObject([
        { source: 'telegram', usd: 1 },
        { source: 'cli', usd: 0.25 },
      ]);
      expect(all.byDay).toMatchObject([
        { day: localDay(START), messages: 5, usd: 0.25 },
        { day: localDay(START + DAY), messages: 1, usd: 1 },
      ]);
    });

    verifies('STORE-3', 'tools with their failures, exit reasons and active hours', async () => {
      const { store, advance } = await openHarness(openStore);
      await fill(store, advance);
      const all = await store.statistics();
      expect(all.tools).toEqual([
        { name: 'patch', calls: 2, failures: 1 },
        { name: 'terminal', calls: 2, failures: 1 },
      ]);
      expect(all.exitReasons).toEqual([
        { reason: 'completed', turns: 2 },
        { reason: 'failed', turns: 1 },
      ]);
      expect(all.activeHours).toHaveLength(24);
      expect(all.activeHours[new Date(START).getHours()]).toBeGreaterThanOrEqual(5);
      expect(all.activeHours.reduce((sum, count) => sum + count)).toBe(6);
    });

    verifies('STORE-3', 'can be limited to a source or a start time', async () => {
      const { store, advance } = await openHarness(openStore);
      expect(await store.statistics()).toMatchObject({ sessions: 0, usd: 0, byDay: [], tools: [] });
      await fill(store, advance);
      const telegram = await store.statistics({ source: 'telegram' });
      expect(telegram).toMatchObject({ sessions: 1, usd: 1, tools: [], messages: { user: 0, assistant: 1, tool: 0 } });
      const recent = await store.statistics({ since: START + 1 });
      expect(recent).toMatchObject({ sessions: 2, calls: 2, exitReasons: [], messages: { tool: 0, assistant: 1 } });
      await store.deleteSession('two');
      expect((await store.statistics()).usd).toBe(1.25);
    });
    describePurposes(openStore);
    describeMisses(openStore);
  });
}

function describeMisses(openStore: OpenStore): void {
  verifies('CACHE-4', 'cache misses are counted by reason, also with a reason of a later version', async () => {
    const { store } = await openHarness(openStore);
    for (const source of ['cli', 'telegram']) await store.createSession({ id: source, source, startedAt: START });
    const record = (id: string, cacheMiss: CacheMiss, startedAt = START) =>
      store.recordCall(id, callRecord({ cacheMiss, startedAt }));
    await store.recordCall('cli', callRecord());
    expect((await store.statistics()).cacheMisses).toEqual([]);
    await record('cli', { reason: 'first_call', tokens: 10 });
    await record('telegram', { reason: 'first_call', tokens: 20 });
    await record('cli', { reason: 'tools_changed', tools: ["it's"], tokens: 70 }, START + DAY);
    await record('cli', { reason: 'later' as 'evicted', tokens: 1 }, START + DAY);
    expect((await store.statistics()).cacheMisses).toEqual([
      { reason: 'tools_changed', calls: 1, tokens: 70 },
      { reason: 'first_call', calls: 2, tokens: 30 },
      { reason: 'later', calls: 1, tokens: 1 },
    ]);
    const misses = async (options: StatisticsOptions) => (await store.statistics(options)).cacheMisses;
    expect(await misses({ source: 'telegram' })).toEqual([{ reason: 'first_call', calls: 1, tokens: 20 }]);
    expect((await misses({ since: START + 1 })).map(({ reason }) => reason)).toEqual(['tools_changed', 'later']);
  });
}

function describePurposes(openStore: OpenStore): void {
  verifies('CALL-11', 'calls outside the chat are grouped by purpose, including those without a session', async () => {
    const { store, create } = await openHarness(openStore);
    await create('one');
    await store.recordCall('one', callRecord());
    const auxiliary = { purpose: 'title_generation', provider: 'other', cost: { usd: 1, status: 'actual' } } as const;
    await store.recordCall('one', callRecord(auxiliary));
    await store.recordCall(
      '',
      callRecord({ ...auxiliary, purpose: 'skills_hub', cost: { usd: 0.5, status: 'actual' } }),
    );
    await expect(store.recordCall('', callRecord())).rejects.toThrow('There is no session');
    const { byPurpose, bySource, usd } = await store.statistics();
    expect(byPurpose).toMatchObject([
      { purpose: 'title_generation', sessions: 1, calls: 1, usd: 1 },
      { purpose: 'skills_hub', sessions: 0, calls: 1, usd: 0.5 },
      { purpose: 'chat', sessions: 1, calls: 1, usd: 0.25 },
    ]);
    expect(bySource).toMatchObject([{ source: 'cli' }, { source: 'none' }]);
    expect(usd).toBe(1.75);
    const exported = await store.exportSession('one');
    expect(exported.calls.map(({ purpose }) => purpose)).toEqual([undefined, 'title_generation']);
  });
}

function describeUnknownCost(openStore: OpenStore): void {
  verifies('STORE-3', 'a call without a price is counted as unpriced, never as free', async () => {
    const { store, create } = await openHarness(openStore);
    await create('one');
    await store.recordCall('one', callRecord({ cost: { usd: 0, status: 'unknown' } }));
    expect(await store.statistics()).toMatchObject({ usd: null, unpriced: 1, byModel: [{ usd: null, unpriced: 1 }] });
    await store.recordCall('one', callRecord({ model: 'model-2' }));
    const { usd, unpriced, byModel } = await store.statistics();
    expect([usd, unpriced]).toEqual([0.25, 1]);
    expect(byModel).toMatchObject([{ model: 'model-2', usd: 0.25, unpriced: 0 }, { usd: null }]);
  });

  verifies('CALL-11', 'a paid service without tokens is never counted as free', async () => {
    const { store, create } = await openHarness(openStore);
    await create('one');
    await store.recordCall('one', callRecord());
    const free = { usage: NO_USAGE, cost: { usd: 0, status: 'unknown' } } as const;
    await store.recordCall('one', callRecord({ ...free, outcome: 'failed' }));
    expect(await store.sessionSpending('one')).toMatchObject({ usd: 0.25, unpriced: 0 });
    await store.recordCall('one', callRecord({ ...free, purpose: 'image_generate' }));
    expect(await store.sessionSpending('one')).toMatchObject({ usd: 0.25, unpriced: 1 });
    expect(await store.spendingSince(0)).toMatchObject({ usd: 0.25, unpriced: 1 });
    expect(await store.statistics()).toMatchObject({ usd: 0.25, unpriced: 1 });
  });
}
