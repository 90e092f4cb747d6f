import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import { callRecord, type OpenStore, openHarness, START } from './store-harness.ts';

const TTL = 30_000;
const DAY = 86_400_000;

export function describeApi(openStore: OpenStore): void {
  describe('the tables of the API server', () => {
    async function open() {
      const harness = await openHarness(openStore);
      const api = await harness.store.openApiStore();
      return { ...harness, api, openOther: async () => (await harness.openAgain()).openApiStore() };
    }

    verifies(
      'GW-12',
      'know which key a session belongs to, also after a compression, but not its branches',
      async () => {
        const { api, store, create } = await open();
        await create('one');
        await api.bindSession('one', 'alice', START);
        await api.bindSession('one', 'bob', START + 1);
        expect(await api.findSessionOwner('one')).toBe('alice');
        await store.splitSession('one', { id: 'two', source: 'api_server', startedAt: START }, []);
        expect(await api.findSessionOwner('two')).toBe('alice');
        await store.branchSession('two', { id: 'branch', source: 'api_server', startedAt: START });
        expect(await api.findSessionOwner('branch')).toBeUndefined();
        expect(await api.findSessionOwner('nothing')).toBeUndefined();
        await api.bindSession('two', 'alice', START + 2);
        await create('three');
        await api.bindSession('three', 'alice', START + 3);
        expect(await api.listOwnedSessions('alice', { limit: 9, offset: 0 })).toEqual(['three', 'two']);
        expect(await api.listOwnedSessions('alice', { limit: 1, offset: 1 })).toEqual(['two']);
        expect(await api.listOwnedSessions('bob', { limit: 9, offset: 0 })).toEqual([]);
      },
    );

    verifies('SURF-5', 'add up what the sessions of a key and their subagents have cost', async () => {
      const { api, store, create } = await open();
      for (const id of ['one', 'other']) await create(id);
      await create('sub', { source: 'subagent', parentSessionId: 'one' });
      await api.bindSession('one', 'alice', START);
      for (const [id, startedAt] of [
        ['one', START],
        ['sub', START],
        ['other', START],
        ['one', START - 1000],
      ] as const)
        await store.recordCall(id, callRecord({ startedAt }));
      expect(await api.spendingOfOwner('alice', START)).toBe(0.5);
      expect(await api.spendingOfOwner('alice', START - DAY)).toBe(0.75);
      expect(await api.spendingOfOwner('bob', 0)).toBe(0);
    });

    verifies('SURF-5', 'count what deleted sessions and their subagents have cost', async () => {
      const { api, store, create } = await open();
      await create('one');
      await create('sub', { source: 'subagent', parentSessionId: 'one' });
      await create('sub of sub', { source: 'subagent', parentSessionId: 'sub' });
      await create('other');
      await api.bindSession('one', 'alice', START);
      for (const id of ['one', 'sub', 'sub of sub', 'other'])
        await store.recordCall(id, callRecord({ startedAt: START }));
      await store.deleteSession('one', { withDescendants: true });
      await store.deleteSession('other');
      expect(await api.spendingOfOwner('alice', START)).toBe(0.75);
      expect(await api.listOwnedSessions('alice', { limit: 9, offset: 0 })).toEqual([]);
    });

    verifies(
      'GW-12',
      'give a session to the key that creates it, although another key had one with its id',
      async () => {
        const { api, store, create } = await open();
        await create('main');
        await api.bindSession('main', 'alice', START);
        await store.deleteSession('main');
        await api.bindSession('main', 'bob', START + 1);
        await create('main');
        await api.bindSession('main', 'alice', START + 2);
        expect(await api.findSessionOwner('main')).toBe('bob');
      },
    );

    verifies('SURF-5', 'find the longest known prefix of a conversation, until its session is deleted', async () => {
      const { api, store, create } = await open();
      for (const id of ['one', 'two']) await create(id);
      await api.savePrefixes([
        { hash: 'a', sessionId: 'one', messageId: 1 },
        { hash: 'b', sessionId: 'two', messageId: 2 },
      ]);
      expect(await api.findPrefix(['x', 'b', 'a'])).toEqual({ hash: 'b', sessionId: 'two', messageId: 2 });
      await api.savePrefixes([{ hash: 'b', sessionId: 'one', messageId: 7 }]);
      expect(await api.findPrefix(['b'])).toMatchObject({ sessionId: 'one', messageId: 7 });
      expect(await api.findPrefix(['x'])).toBeUndefined();
      await store.deleteSession('one');
      expect(await api.findPrefix(['b', 'a'])).toBeUndefined();
    });

    it('keep runs with their result, which ends once', async () => {
      const { api, openOther } = await open();
      await api.addRun({ id: 'r1', owner: 'alice', sessionId: 's1', createdAt: START });
      expect(await api.getRun('r1')).toMatchObject({ owner: 'alice', state: 'running', endedAt: undefined });
      const end = { state: 'completed', sessionId: 's2', endedAt: START + 5, result: { type: 'result' } } as const;
      expect(await api.endRun('r1', end)).toBe(true);
      expect(await (await openOther()).endRun('r1', { ...end, state: 'unknown' })).toBe(false);
      expect(await api.getRun('r1')).toEqual({ id: 'r1', owner: 'alice', createdAt: START, ...end });
      expect(await api.getRun('r2')).toBeUndefined();
    });

    verifies('SURF-5', 'store events without gaps, from one process at a time', async () => {
      const { api, openOther, advance } = await open();
      const other = await openOther();
      await api.addStream('s', 'process 1', START, TTL);
      expect(await api.appendEvents('s', 'process 1', [{ n: 1 }, { n: 2 }])).toBe(true);
      expect(await other.appendEvents('s', 'process 2', [{ n: 9 }])).toBe(false);
      expect(await api.appendEvents('s', 'process 1', [{ text: 'a\0b\u2028' }])).toBe(true);
      expect(await other.readEvents('s', 1, 9)).toEqual([
        { sequence: 2, event: { n: 2 } },
        { sequence: 3, event: { text: 'a\0b\u2028' } },
      ]);
      expect(await api.readEvents('s', 0, 1)).toEqual([{ sequence: 1, event: { n: 1 } }]);
      advance(TTL - 1000);
      await api.renewStream('s', 'process 1', TTL);
      advance(2000);
      expect(await other.getStream('s')).toEqual({ id: 's', holder: 'process 1', isEnded: false, isExpired: false });
      advance(TTL);
      expect(await other.getStream('s')).toMatchObject({ isExpired: true });
      const ends = [api, other].map((store) => store.appendEvents('s', 'process 1', [{ end: true }], true));
      expect((await Promise.all(ends)).toSorted()).toEqual([false, true]);
      expect((await api.readEvents('s', 3, 9)).map(({ sequence }) => sequence)).toEqual([4]);
      expect(await api.getStream('nothing')).toBeUndefined();
    });

    it('forget what has ended after a while, and what a process that died has left', async () => {
      const { api, advance } = await open();
      for (const id of ['ended', 'running']) {
        await api.addRun({ id, owner: 'alice', sessionId: 's', createdAt: START });
        await api.addStream(id, 'p', START, TTL);
        await api.appendEvents(id, 'p', [{ n: 1 }], id === 'ended');
      }
      await api.endRun('ended', { state: 'failed', sessionId: 's', endedAt: START, result: undefined });
      await api.pruneApi(START);
      expect(await api.getRun('ended')).toMatchObject({ state: 'failed' });
      await api.pruneApi(START + 1);
      expect([await api.getRun('ended'), await api.getStream('ended')]).toEqual([undefined, undefined]);
      expect(await api.readEvents('ended', 0, 9)).toEqual([]);
      expect(await api.readEvents('running', 0, 9)).toHaveLength(1);
      advance(TTL + 1000);
      await api.pruneApi(START + 1);
      expect([await api.getRun('running'), await api.getStream('running')]).toEqual([undefined, undefined]);
    });

    verifies('STORE-7', 'need branches at a message, which copy nothing after it', async () => {
      const { store, create } = await open();
      await create('one', { systemPrompt: 'P' });
      await store.appendMessages('one', [
        { role: 'user', content: 'a' },
        { role: 'assistant', content: 'b' },
        { role: 'user', content: 'c' },
      ]);
      const messages = await store.getMessages('one');
      await store.branchSession('one', { id: 'two', source: 'cli', startedAt: START, upTo: messages[1]?.id });
      expect((await store.getConversation('two')).map(({ content }) => content)).toEqual(['a', 'b']);
      expect(await store.getSession('two')).toMatchObject({
        isBranch: true,
        systemPrompt: 'P',
        parentSessionId: 'one',
      });
    });
  });
}
