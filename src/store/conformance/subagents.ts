import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import { lineageUpTo, SUBAGENT_SOURCE, type SessionStore } from '../../contracts/index.ts';
import { type StoreHarness, callRecord, type OpenStore, openHarness, START } from './store-harness.ts';

const user = (content: string) => ({ role: 'user' as const, content });
const ids = (sessions: readonly { id: string }[]) => sessions.map(({ id }) => id);

/**
 * A chat that started a subagent, after which both were compressed: chat → chat 2, and sub → sub 2. A second subagent
 * started at the moment of the chat's split or, according to the clock, after it.
 */
async function openChat(openStore: OpenStore): Promise<StoreHarness> {
  const bench = await openHarness(openStore);
  const { store, create, advance } = bench;
  await create('chat', { title: 'Walrus' });
  await store.appendMessages('chat', [user('feed the walrus')], callRecord());
  await create('sub', { source: SUBAGENT_SOURCE, parentSessionId: 'chat' });
  await store.appendMessages('sub', [user('count the fish')], callRecord());
  advance(1000);
  await store.splitSession('sub', { id: 'sub 2', source: SUBAGENT_SOURCE, startedAt: START + 1000 }, []);
  await store.splitSession('chat', { id: 'chat 2', source: 'cli', startedAt: START + 2000 }, []);
  await create('late sub', { source: SUBAGENT_SOURCE, parentSessionId: 'chat', startedAt: START + 9000 });
  return bench;
}

export function describeSubagents(openStore: OpenStore): void {
  describe('subagents', () => {
    verifies('STORE-5', 'subagent sessions are distinguished from continuations', async () => {
      const { store } = await openChat(openStore);
      const newest = async (id: string) => (await store.newestInLineage(id))?.id;
      expect([await newest('chat'), await newest('sub')]).toEqual(['chat 2', 'sub 2']);
      expect(ids(await store.getAncestors('sub 2'))).toEqual(['sub']);
      expect(await lineageUpTo(store, 'sub')).toEqual(['sub']);
      expect(await lineageUpTo(store, 'chat 2')).toEqual(['chat', 'chat 2']);
      expect(ids(await store.getDescendants('chat')).sort()).toEqual(['chat 2', 'late sub', 'sub', 'sub 2']);
      const delegated = (await store.getDescendants('chat')).filter(({ isDelegated }) => isDelegated);
      expect(ids(delegated)).toEqual(['sub', 'late sub']);
    });

    it('does not continue with a subagent that started after its parent was compressed', async () => {
      const { store, create, advance } = await openHarness(openStore);
      await create('only');
      advance(1000);
      await store.splitSession('only', { id: 'gone', source: 'cli', startedAt: START }, []);
      await store.deleteSession('gone');
      await create('sub', { source: SUBAGENT_SOURCE, parentSessionId: 'only', startedAt: START + 5000 });
      expect((await store.newestInLineage('only'))?.id).toBe('only');
      expect(ids(await store.listSessions({ newestOnly: true }))).toEqual(['only']);
    });

    verifies('STORE-3', 'lists subagent sessions only on request', async () => {
      const { store } = await openChat(openStore);
      expect(ids(await store.listSessions({ newestOnly: true }))).toEqual(['chat 2']);
      expect(ids(await store.listSessions({ newestOnly: true, source: SUBAGENT_SOURCE }))).toEqual([
        'late sub',
        'sub 2',
      ]);
      expect(await store.listSessions()).toHaveLength(5);
      expect((await store.latestSession({ source: 'cli' }))?.id).toBe('chat 2');
    });

    verifies('LOOP-13', 'spending of subagents counts for the session and for each of them', async () => {
      const { store } = await openChat(openStore);
      for (const id of ['chat', 'chat 2', 'sub', 'sub 2', 'late sub']) {
        expect(await store.sessionSpending(id)).toEqual({ usd: 0.5, tokens: 260, unpriced: 0 });
      }
    });

    describeFigures(openStore);
    describeRemovalOfSubagents(openStore);
  });
}

function describeFigures(openStore: OpenStore): void {
  it('counts subagents separately, and their tasks not as user messages', async () => {
    const { store } = await openChat(openStore);
    const { sessions, subagents, messages, bySource } = await store.statistics();
    expect({ sessions, subagents, user: messages.user }).toEqual({ sessions: 2, subagents: 2, user: 1 });
    expect(bySource).toMatchObject([
      { source: 'cli', usd: 0.25 },
      { source: SUBAGENT_SOURCE, usd: 0.25 },
    ]);
    expect((await store.statistics({ source: SUBAGENT_SOURCE })).sessions).toBe(3);
  });

  it('exports and imports subagents as such', async () => {
    const { store } = await openChat(openStore);
    const { store: other } = await openHarness(openStore);
    for await (const record of store.exportAll()) await other.importSession(record);
    const delegated = (await other.listSessions()).filter(({ isDelegated }) => isDelegated);
    expect(ids(delegated)).toEqual(['late sub', 'sub']);
    expect((await other.newestInLineage('chat'))?.id).toBe('chat 2');
  });
}

function describeRemovalOfSubagents(openStore: OpenStore): void {
  verifies('STORE-3', 'subagents are deleted with their session and do not prevent its deletion', async () => {
    const { store, create } = await openChat(openStore);
    await expect(store.deleteSession('chat')).rejects.toThrow('has descendants (chat 2)');
    await store.deleteSession('chat 2');
    expect((await store.deleteSession('chat')).sessionIds).toEqual(['late sub', 'sub 2', 'sub', 'chat']);
    await create('other');
    await create('sub', { source: SUBAGENT_SOURCE, parentSessionId: 'other' });
    await store.branchSession('sub', { id: 'taken over', source: 'cli', startedAt: START });
    // A user continued the subagent session in a branch, and that branch must not be deleted.
    await expect(store.deleteSession('other')).rejects.toThrow('has descendants (taken over)');
  });

  it('does not delete a session while one of its subagents is running', async () => {
    const { store, create } = await openHarness(openStore);
    await create('chat');
    await create('sub', { source: SUBAGENT_SOURCE, parentSessionId: 'chat' });
    await store.acquireLease('sub', { pid: 1, host: 'elsewhere', surface: 'cli' }, 1000);
    await expect(store.deleteSession('chat')).rejects.toThrow('A turn is running in session sub');
  });

  verifies('STORE-3', 'subagents are pruned with their session, including those that a crash interrupted', async () => {
    const bench = await openHarness(openStore);
    const { store, create, advance } = bench;
    await create('old');
    await create('cut short', { source: SUBAGENT_SOURCE, parentSessionId: 'old' });
    await store.endSession('old', 'user_exit');
    await create('open');
    await create('of open', { source: SUBAGENT_SOURCE, parentSessionId: 'open' });
    advance(10_000);
    const inactiveSince = START + 5000;
    expect((await store.pruneSessions({ inactiveSince, source: 'cli' })).sessionIds).toEqual(['cut short', 'old']);
    // Old subagent sessions of a session that is kept are pruned too, like any session that has ended.
    expect((await store.pruneSessions({ inactiveSince })).sessionIds).toEqual(['of open']);
    expect(await names(store)).toEqual(['open']);
  });
}

const names = async (store: SessionStore) => ids(await store.listSessions()).sort();
