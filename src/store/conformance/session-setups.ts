import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import type { SessionSetup } from '../../contracts/index.ts';
import { parseSessionExport } from '../session-export-format.ts';
import { callRecord, type OpenStore, openHarness, START } from './store-harness.ts';

const SETUP: SessionSetup = {
  effort: 'high',
  speed: 'fast',
  toolSets: { toolsets: ['file'], disallowed: ['todo'], on: ['web'], off: ['skills'], features: ['sandbox'] },
  tools: [
    {
      toolset: 'mcp-x',
      definition: { name: 'b', description: 'ümläut \u2028', parameters: { type: 'object', required: [] } },
    },
    { toolset: 'file', definition: { name: 'a', description: '', parameters: { b: 1, a: 2 } } },
  ],
  knownTools: ['hidden'],
};

export function describeSessionSetups(openStore: OpenStore): void {
  describe('session setups', () => {
    verifies('CACHE-4', 'are stored with the exact tool definitions and can be changed', async () => {
      const { store, create, openAgain } = await openHarness(openStore);
      await create('one');
      expect(await store.getSessionSetup('one')).toBeUndefined();
      await store.setSessionSetup('one', SETUP);
      const other = await openAgain();
      const stored = await other.getSessionSetup('one');
      await other.close();
      expect(stored).toStrictEqual(SETUP);
      expect(JSON.stringify(stored?.tools)).toBe(JSON.stringify(SETUP.tools));
      await store.setSessionSetup('one', { effort: 'low' });
      expect(await store.getSessionSetup('one')).toStrictEqual({ effort: 'low' });
      await expect(store.setSessionSetup('nobody', SETUP)).rejects.toThrow();
    });

    verifies('CACHE-4', 'are inherited by branches and by the child of a compression', async () => {
      const { store, create } = await openHarness(openStore);
      await create('one');
      await store.setSessionSetup('one', SETUP);
      await store.branchSession('one', { id: 'branch', source: 'cli', startedAt: START });
      await store.splitSession('one', { id: 'child', source: 'cli', startedAt: START + 1 }, []);
      expect(await store.getSessionSetup('branch')).toStrictEqual(SETUP);
      expect(await store.getSessionSetup('child')).toStrictEqual(SETUP);
      await store.setSessionSetup('child', { ...SETUP, effort: 'low' });
      expect(await store.getSessionSetup('one')).toStrictEqual(SETUP);
      await store.deleteSession('branch');
      await store.deleteSession('child');
      // Tools that another session still uses are kept.
      expect((await store.getSessionSetup('one'))?.tools).toStrictEqual(SETUP.tools);
    });

    verifies('CACHE-4', 'are exported, and imported with the tools only from a store of the same user', async () => {
      const { store, create } = await openHarness(openStore);
      await create('one');
      await store.setSessionSetup('one', SETUP);
      await store.recordCall('one', callRecord({ cacheMiss: { reason: 'tools_changed', tools: ['a'], tokens: 7 } }));
      const record = parseSessionExport(JSON.parse(JSON.stringify(await store.exportSession('one'))));
      await store.deleteSession('one');
      await store.importSession(record, { isOwnPrompt: true });
      expect(await store.getSessionSetup('one')).toStrictEqual(SETUP);
      await store.deleteSession('one');
      await store.importSession(record);
      const { tools: _, knownTools: __, ...choices } = SETUP;
      expect(await store.getSessionSetup('one')).toStrictEqual(choices);
      expect((await store.getCalls('one')).map(({ cacheMiss }) => cacheMiss)).toEqual([
        { reason: 'tools_changed', tools: ['a'], tokens: 7 },
      ]);
    });

    it('the newest chat call of each model is found', async () => {
      const { store, create } = await openHarness(openStore);
      await create('one');
      for (const call of [
        { model: 'a', durationMs: 1 },
        { model: 'b', durationMs: 2 },
        { model: 'a', durationMs: 3 },
        { model: 'a', durationMs: 4, outcome: 'failed' as const },
        { model: 'c', durationMs: 5, purpose: 'title_generation' as const },
      ])
        await store.recordCall('one', callRecord(call));
      expect((await store.getLastCalls('one')).map(({ durationMs }) => durationMs)).toEqual([2, 3]);
      expect(await store.getCalls('one')).toHaveLength(5);
    });
  });
}
