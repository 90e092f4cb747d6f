import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import type { SessionStore } from '../../contracts/index.ts';
import { type StoreHarness, callRecord, type OpenStore, openHarness, START } from './store-harness.ts';

const HOLDER = { pid: 1, host: 'elsewhere', surface: 'cli' };

export function describeRemoval(openStore: OpenStore): void {
  describe('removal', () => {
    verifies('STORE-3', 'a deleted session is removed completely, except what it cost', async () => {
      const { store, create } = await openHarness(openStore);
      await create('one');
      await create('two', { title: 'Stays' });
      for (const id of ['one', 'two']) await store.appendMessages(id, [{ role: 'user', content: id }], callRecord());
      expect(await store.deleteSession('one')).toEqual({ sessionIds: ['one'], messages: 1 });
      expect(await store.getSession('one')).toBeUndefined();
      expect(await store.getConversation('one')).toEqual([]);
      expect(await store.getConversation('two')).toHaveLength(1);
      expect((await store.spendingSince(0)).usd).toBe(0.5);
      await expect(store.deleteSession('one')).rejects.toThrow('There is no session one');
    });

    verifies('STORE-3', 'a session with descendants is deleted only together with them', async () => {
      const { store, create } = await openHarness(openStore);
      await create('a');
      await create('b', { parentSessionId: 'a' });
      await create('c', { parentSessionId: 'b' });
      await expect(store.deleteSession('a')).rejects.toThrow(/has descendants \(b, c\)/);
      expect(await store.getSession('a')).toBeDefined();
      expect((await store.deleteSession('a', { withDescendants: true })).sessionIds).toEqual(['c', 'b', 'a']);
      expect(await store.listSessions()).toEqual([]);
    });

    it('rejects deletion while a turn runs in the session or in a descendant', async () => {
      const { store, create, advance } = await openHarness(openStore);
      await create('a');
      await create('b', { parentSessionId: 'a' });
      await store.acquireLease('b', HOLDER, 1000);
      await expect(store.deleteSession('b')).rejects.toThrow('process 1 on elsewhere');
      await expect(store.deleteSession('a', { withDescendants: true })).rejects.toThrow('process 1');
      await expect(store.clearMessages('b')).rejects.toThrow('process 1');
      advance(1000);
      await store.deleteSession('a', { withDescendants: true });
    });

    verifies('STORE-3', 'clearing removes the messages and resets the counts, but keeps the session', async () => {
      const { store, create } = await openHarness(openStore);
      await create('one', { title: 'Kept' });
      await store.appendMessages('one', [{ role: 'user', content: 'x' }]);
      await store.clearMessages('one');
      expect(await store.getConversation('one')).toEqual([]);
      expect(await store.getSession('one')).toMatchObject({ title: 'Kept', messageCount: 0, toolCallCount: 0 });
      await store.appendMessages('one', [{ role: 'user', content: 'y' }]);
      expect((await store.getSession('one'))?.messageCount).toBe(1);
      await expect(store.clearMessages('nobody')).rejects.toThrow('There is no session nobody');
    });

    describePrune(openStore);
  });
}

const ids = async (store: SessionStore) => (await store.listSessions()).map(({ id }) => id).sort();

async function ended(bench: StoreHarness, id: string, more: { source?: string; parentSessionId?: string } = {}) {
  await bench.create(id, more);
  await bench.store.endSession(id, 'user_exit');
}

function describePrune(openStore: OpenStore): void {
  verifies('STORE-3', 'pruning deletes old sessions that have ended, optionally of one source', async () => {
    const bench = await openHarness(openStore);
    const { store, create, advance } = bench;
    await ended(bench, 'old');
    await ended(bench, 'old gateway', { source: 'telegram' });
    await create('open');
    await ended(bench, 'used later');
    advance(10_000);
    await store.appendMessages('used later', [{ role: 'user', content: 'again' }]);
    await ended(bench, 'new');
    const inactiveSince = START + 10_000;
    expect((await store.pruneSessions({ inactiveSince, source: 'telegram' })).sessionIds).toEqual(['old gateway']);
    expect((await store.pruneSessions({ inactiveSince })).sessionIds).toEqual(['old']);
    expect(await ids(store)).toEqual(['new', 'open', 'used later']);
    expect((await store.pruneSessions({ inactiveSince })).sessionIds).toEqual([]);
  });

  verifies('STORE-3', 'pruning never deletes an ancestor of a session that is kept', async () => {
    const bench = await openHarness(openStore);
    const { store, create, advance } = bench;
    await ended(bench, 'a');
    await ended(bench, 'a1', { parentSessionId: 'a' });
    await ended(bench, 'a2', { parentSessionId: 'a' });
    await ended(bench, 'b');
    await ended(bench, 'b1', { parentSessionId: 'b' });
    await ended(bench, 'busy');
    advance(10_000);
    await create('a1 goes on', { parentSessionId: 'a1' });
    await store.acquireLease('busy', HOLDER, 1000);
    const pruned = await store.pruneSessions({ inactiveSince: START + 1 });
    expect([...pruned.sessionIds].sort()).toEqual(['a2', 'b', 'b1']);
    expect(await ids(store)).toEqual(['a', 'a1', 'a1 goes on', 'busy']);
  });
}
