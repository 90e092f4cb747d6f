import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import { HermesError } from '../../base/index.ts';
import type { TurnRecord } from '../../contracts/index.ts';
import { callRecord, type OpenStore, openHarness, START } from './store-harness.ts';

const TURN: TurnRecord = {
  sessionId: 'one',
  taskId: 'task_1',
  startedAt: START,
  endedAt: START + 1500,
  exitReason: 'completed',
  apiCalls: 3,
  toolCalls: 2,
  model: 'model-1',
  provider: 'example',
};

export function describeAccounting(openStore: OpenStore): void {
  describe('accounting', () => {
    verifies('STORE-3', 'turn records are stored in order, independent of the end of the session', async () => {
      const { store, create } = await openHarness(openStore);
      await create('one');
      const failed: TurnRecord = { ...TURN, taskId: 'task_2', exitReason: 'failed', error: 'The key was refused.' };
      await store.recordTurn(TURN);
      await store.recordTurn(failed);
      expect(await store.getTurns('one')).toStrictEqual([TURN, failed]);
      expect(await store.getTurns('two')).toEqual([]);
      expect(await store.getSession('one')).toMatchObject({ endedAt: undefined, endReason: undefined });
      await expect(store.recordTurn({ ...TURN, sessionId: 'nobody' })).rejects.toThrow(HermesError);
    });

    it('adds up what was spent, including failed calls', async () => {
      const { store, create } = await openHarness(openStore);
      await create('one');
      await create('two');
      await store.recordCall('one', callRecord({ startedAt: START - 1 }));
      await store.recordCall('one', callRecord({ outcome: 'failed', cost: { usd: 0, status: 'unknown' } }));
      await store.recordCall('two', callRecord({ cost: { usd: 1, status: 'actual', source: 'provider' } }));
      expect(await store.sessionSpending('one')).toEqual({ usd: 0.25, tokens: 260, unpriced: 1 });
      expect(await store.spendingSince(START)).toEqual({ usd: 1, tokens: 260, unpriced: 1 });
      expect(await store.spendingSince(START - 1)).toEqual({ usd: 1.25, tokens: 390, unpriced: 1 });
      expect(await store.spendingSince(START + 1)).toEqual({ usd: 0, tokens: 0, unpriced: 0 });
      expect((await store.getSession('one'))?.usage.input).toBe(200);
      expect((await store.getSession('one'))?.messageCount).toBe(0);
    });

    describeLineageSpending(openStore);

    it('sees what other processes spent', async () => {
      const { store, create, openAgain } = await openHarness(openStore);
      await create('one');
      const other = await openAgain();
      await other.recordCall('one', callRecord());
      await other.close();
      expect(await store.spendingSince(START)).toEqual({ usd: 0.25, tokens: 130, unpriced: 0 });
    });

    it('rejects a call for a session that does not exist', async () => {
      const { store } = await openHarness(openStore);
      await expect(store.recordCall('nobody', callRecord())).rejects.toThrow('There is no session nobody');
      expect(await store.spendingSince(0)).toEqual({ usd: 0, tokens: 0, unpriced: 0 });
    });
  });
}

function describeLineageSpending(openStore: OpenStore): void {
  verifies(
    'LOOP-13',
    'compression and subagents add to the spending of a session, branches start from zero',
    async () => {
      const { store, create } = await openHarness(openStore);
      await create('parent');
      await create('helper', { parentSessionId: 'parent' });
      const child = { id: 'child', source: 'cli', startedAt: START + 1 };
      await store.splitSession('parent', child, []);
      await store.branchSession('child', { ...child, id: 'branch' });
      const spent = [0.5, 0.25, 2, 4];
      for (const [index, id] of ['parent', 'helper', 'child', 'branch'].entries()) {
        await store.recordCall(id, callRecord({ cost: { usd: spent[index] ?? 0, status: 'estimated' } }));
      }
      for (const id of ['parent', 'helper', 'child']) expect((await store.sessionSpending(id)).usd).toBe(2.75);
      expect((await store.sessionSpending('branch')).usd).toBe(4);
    },
  );

  it('returns the last call of the chat whose answer was stored', async () => {
    const { store, create } = await openHarness(openStore);
    await create('one');
    expect(await store.getLastCall('one')).toBeUndefined();
    await store.appendMessages('one', [{ role: 'assistant', content: 'x' }], callRecord({ taskId: 'kept' }));
    await store.recordCall('one', callRecord({ taskId: 'dropped', outcome: 'discarded' }));
    await store.recordCall('one', callRecord({ taskId: 'concurrent', purpose: 'vision' }));
    expect(await store.getLastCall('one')).toEqual(callRecord({ taskId: 'kept' }));
  });
}
