import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import { openSqliteStore } from '../store/sqlite/index.ts';
import { createTemporaryHome } from '../testing/index.ts';
import { createFencedStore } from './fenced-store.ts';

const SELF = { pid: 1, host: 'here', surface: 'cli' };

verifies('STORE-7', 'reports a split and writes to the child under the same lease', async () => {
  const home = await createTemporaryHome();
  const store = await openSqliteStore({ file: join(home.path, 'state.db') });
  onTestFinished(async () => {
    await store.close();
    await home.remove();
  });
  const moves: string[][] = [];
  const fenced = createFencedStore(store, (...ids) => void moves.push(ids));
  await store.createSession({ id: 'one', source: 'cli', startedAt: 1 });
  const mine = await store.acquireLease('one', SELF, 60_000);
  if (!mine.acquired) throw new Error('nobody else was there');
  fenced.hold(mine.lease);
  await fenced.store.splitSession('one', { id: 'two', source: 'cli', startedAt: 2 }, []);
  await fenced.store.splitSession('two', { id: 'three', source: 'cli', startedAt: 3 }, []);
  expect(moves).toEqual([
    ['one', 'two'],
    ['two', 'three'],
  ]);
  await fenced.store.appendMessages('three', [{ role: 'user', content: 'mine' }]);
  // Another process takes over the lease; the previous holder does not know yet.
  await store.releaseLease(mine.lease);
  await store.acquireLease('three', { ...SELF, pid: 2 }, 60_000);
  const late = fenced.store.appendMessages('three', [{ role: 'user', content: 'late' }]);
  await expect(late).rejects.toThrow(/took session three over \(process 2/);
  expect(await store.getConversation('three')).toHaveLength(1);
});

verifies('STORE-5', 'does not report a failed split', async () => {
  const home = await createTemporaryHome();
  const store = await openSqliteStore({ file: join(home.path, 'state.db') });
  onTestFinished(async () => {
    await store.close();
    await home.remove();
  });
  const calls: string[] = [];
  const fenced = createFencedStore(store, (parentId) => void calls.push(parentId));
  const child = { id: 'three', source: 'cli', startedAt: 3 };
  await expect(fenced.store.splitSession('nobody', child, [])).rejects.toThrow();
  expect(calls).toEqual([]);
});
