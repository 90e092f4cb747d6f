import { afterEach, beforeEach, describe, expect } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import { systemClock } from '../base/index.ts';
import { silentLogger } from '../contracts/index.ts';
import { createTemporaryHome, type TemporaryHome } from '../testing/index.ts';
import { createFencedStore } from './fenced-store.ts';
import { openStore } from './open-store.ts';

describe('createFencedStore', () => {
  let home: TemporaryHome;
  beforeEach(async () => {
    home = await createTemporaryHome();
  });
  afterEach(() => home.remove());

  verifies('STORE-5', 'tells of a split when it has happened, and of none that failed', async () => {
    const store = await openStore({ home: home.path, clock: systemClock, logger: silentLogger });
    const told: string[] = [];
    const fenced = createFencedStore(store, (parentId, childId) => told.push(`${parentId} ${childId}`));
    await fenced.store.createSession({ id: 'one', source: 'cli', startedAt: 1 });
    await fenced.store.splitSession('one', { id: 'two', source: 'cli', startedAt: 2 }, []);
    await expect(
      fenced.store.splitSession('nobody', { id: 'three', source: 'cli', startedAt: 3 }, []),
    ).rejects.toThrow();
    expect(told).toEqual(['one two']);
    expect((await store.newestInLineage('one'))?.id).toBe('two');
    await store.close();
  });
});
