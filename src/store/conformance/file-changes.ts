import { describe, expect, it } from 'vitest';
import type { ChangedFile, Message } from '../../base/index.ts';
import { type OpenStore, openHarness, START } from './store-harness.ts';

const CHANGE: ChangedFile = { path: 'a/ä \u0000.txt', added: 1, removed: 1, diff: '@@ -1,1 +1,1 @@\n-"x"\n+😀\n' };
const result = (toolCallId: string): Message => ({ role: 'tool', toolCallId, toolName: 'patch', content: 'done' });

export function describeFileChanges(openStore: OpenStore): void {
  describe('changes of files', () => {
    it('are stored with the result of their call, and removed with the session', async () => {
      const { store } = await openHarness(openStore);
      for (const id of ['one', 'two']) await store.createSession({ id, source: 'cli', startedAt: START });
      const longId = 'c'.repeat(10_000);
      await store.appendMessages('one', [result('c1'), result(longId)], undefined, {
        fileChanges: { c1: [CHANGE, { ...CHANGE, omitted: 7 }], [longId]: [CHANGE] },
      });
      await store.appendMessages('two', [result('c1')], undefined, { toolStatus: { c1: 'ok' } });
      const changes = await store.getFileChanges('one');
      expect(changes).toEqual(
        new Map([
          ['c1', [CHANGE, { ...CHANGE, omitted: 7 }]],
          [longId, [CHANGE]],
        ]),
      );
      expect(await store.getFileChanges('two')).toEqual(new Map());
      expect(await store.getFileChanges('nowhere')).toEqual(new Map());
      await store.clearMessages('one');
      expect(await store.getFileChanges('one')).toEqual(new Map());
      await store.appendMessages('two', [result('c2')], undefined, { fileChanges: { c2: [CHANGE] } });
      await store.deleteSession('two');
      await store.createSession({ id: 'two', source: 'cli', startedAt: START });
      expect(await store.getFileChanges('two')).toEqual(new Map());
    });
  });
}
