import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import { openForTest, useServer } from '../../../test/support/postgres/store-fixture.ts';
import { callRecord } from '../conformance/store-harness.ts';

const { emptyDatabase } = useServer();
const user = (content: string) => ({ role: 'user', content }) as const;
const HOLDER = { pid: 1, host: 'a', surface: 'cli' };

describe('several machines on one database', () => {
  verifies('STORE-6', 'all concurrent writes are stored, in order and counted', async () => {
    const url = await emptyDatabase();
    const stores = await Promise.all(Array.from({ length: 4 }, () => openForTest({ url })));
    await stores[0]?.createSession({ id: 'shared', source: 'cli', startedAt: 1 });
    await Promise.all(
      stores.map(async (store, writer) => {
        await store.createSession({ id: `own ${writer}`, source: 'cli', startedAt: 2, title: `Title ${writer}` });
        for (let number = 0; number < 25; number += 1) {
          await store.appendMessages('shared', [user(`${writer} ${number}`)], callRecord());
        }
      }),
    );
    const [store] = stores;
    const stored = (await store?.getMessages('shared')) ?? [];
    expect(stored).toHaveLength(100);
    expect(stored.map(({ id }) => id)).toEqual(stored.map(({ id }) => id).toSorted((a, b) => a - b));
    for (const writer of [0, 1, 2, 3]) {
      const own = stored.map(({ message }) => message.content).filter((text) => text.startsWith(`${writer} `));
      expect(own).toEqual(Array.from({ length: 25 }, (_, number) => `${writer} ${number}`));
    }
    expect(await store?.getSession('shared')).toMatchObject({ messageCount: 100, usage: { input: 10_000 } });
  });

  verifies(['STORE-6', 'STORE-7'], 'one of many gets the lease, by the clock of the database', async () => {
    const url = await emptyDatabase();
    const stores = await Promise.all(Array.from({ length: 4 }, () => openForTest({ url, poolSize: 1 })));
    // A machine whose clock is an hour ahead.
    const real = Date.now.bind(Date);
    const now = vi.spyOn(Date, 'now').mockImplementation(() => real() + 3_600_000);
    onTestFinished(() => now.mockRestore());
    // Repeated, because the processes do not always collide.
    for (const id of ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight']) {
      const outcomes = await Promise.all(stores.map((store) => store.acquireLease(id, HOLDER, 30_000)));
      expect(outcomes.filter(({ acquired }) => acquired)).toHaveLength(1);
    }
    now.mockRestore();
    expect(await stores[0]?.acquireLease('one', HOLDER, 30_000)).toMatchObject({ acquired: false });
    const held = await stores[0]?.findLeaseHolder('one');
    expect(Math.abs((held?.renewedAt ?? 0) - real())).toBeLessThan(60_000);
  });

  it('a message with more words than the index accepts is still found', async () => {
    const store = await openForTest({ url: await emptyDatabase() });
    await store.createSession({ id: 'one', source: 'cli', startedAt: 1 });
    const words = Array.from({ length: 30_000 }, (_, number) => `word${number.toString(36)}`).join(' ');
    await store.appendMessages('one', [user(`${words} needle`), user('a needle too')]);
    expect((await store.searchMessages({ text: 'needle' })).hits).toHaveLength(2);
    const { hits } = await store.searchMessages({ text: 'needle wordzz' });
    expect(hits.map(({ partial }) => partial ?? false)).toEqual([false, true]);
    expect((await store.searchMessages({ text: 'needle NOT wordzz' })).hits).toHaveLength(1);
  });
});
