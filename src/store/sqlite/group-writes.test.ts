import { describe, expect, it } from 'vitest';
import { openForTest, temporaryFile, withDatabase } from './fixtures.ts';
import { openSqliteStore } from './index.ts';

const said = (text: string) => [{ role: 'user', content: text } as const];

describe('simultaneous writes', () => {
  it('are each all or nothing: a failing one does not affect the others', async () => {
    const store = await openForTest({ file: temporaryFile(), groupWrites: true });
    await store.createSession({ id: 'one', source: 'batch', startedAt: 0 });
    const outcomes = await Promise.allSettled([
      store.appendMessages('one', said('first')),
      store.createSession({ id: 'one', source: 'batch', startedAt: 0 }),
      store.appendMessages('nobody', said('lost')),
      store.appendMessages('one', said('second')),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled']);
    const stored = await store.getMessages('one');
    expect(stored.map(({ message }) => message.content)).toEqual(['first', 'second']);
  });

  it('are completed when the store is closed, and survive it', async () => {
    const file = temporaryFile();
    const store = await openSqliteStore({ file, groupWrites: true });
    await store.createSession({ id: 'one', source: 'batch', startedAt: 0 });
    const writing = Array.from({ length: 50 }, (_, index) => store.appendMessages('one', said(String(index))));
    await store.close();
    await Promise.all(writing);
    const count = withDatabase(file, (database) => database.prepare('SELECT count(*) AS count FROM messages').get());
    expect(count).toEqual({ count: 50 });
    await expect(store.appendMessages('one', said('late'))).rejects.toThrow('is already closed');
  });

  it('wait for another process like other writes', async () => {
    const file = temporaryFile();
    const [first, second] = [await openForTest({ file, groupWrites: true }), await openForTest({ file })];
    await first.createSession({ id: 'one', source: 'batch', startedAt: 0 });
    await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        (index % 2 === 0 ? first : second).appendMessages('one', said(String(index))),
      ),
    );
    expect(await first.getMessages('one')).toHaveLength(40);
  });

  it('are indexed only when somebody searches, and are then found', async () => {
    const file = temporaryFile();
    const store = await openForTest({ file, groupWrites: true });
    await store.createSession({ id: 'one', source: 'batch', startedAt: 0 });
    // The search modules are loaded and messages are appended one by one, so that an index updated in parallel would
    // have had time.
    await Promise.all([import('./search.ts'), import('./search-index.ts')]);
    for (let index = 0; index < 200; index += 1) await store.appendMessages('one', said(`数据 ${index}`));
    const indexed = () =>
      withDatabase(file, (database) => database.prepare('SELECT count(*) AS count FROM message_terms').get());
    expect(indexed()).toEqual({ count: 0 });
    expect((await store.searchMessages({ text: '数据' })).hits.length).toBeGreaterThan(0);
    expect(indexed()).toEqual({ count: 200 });
  });
});
