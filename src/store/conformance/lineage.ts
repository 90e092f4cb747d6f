import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import type { Message } from '../../base/index.ts';
import type { SessionStore } from '../../contracts/index.ts';
import { type StoreHarness, type OpenStore, openHarness, START } from './store-harness.ts';

const user = (content: string): Message => ({ role: 'user', content });

export function describeLineage(openStore: OpenStore): void {
  describe('lineage', () => {
    verifies('STORE-5', 'ancestors and descendants are found over any number of generations', async () => {
      const { store } = await openFamily(openStore);
      const ids = async (found: Promise<{ id: string }[]>) => (await found).map(({ id }) => id);
      expect(await ids(store.getAncestors('third'))).toEqual(['first', 'second']);
      expect(await ids(store.getAncestors('first'))).toEqual([]);
      expect(await ids(store.getDescendants('first'))).toEqual(['helper', 'second', 'third']);
      expect(await ids(store.getDescendants('third'))).toEqual([]);
      expect(await ids(store.getDescendants('nobody'))).toEqual([]);
    });

    verifies('STORE-5', 'a compressed session continues in its newest descendant', async () => {
      const { store, create } = await openFamily(openStore);
      const newest = async (id: string) => (await store.newestInLineage(id))?.id;
      const listed = await store.listSessions({ newestOnly: true });
      expect(listed.map(({ id }) => id)).toEqual(['third', 'helper']);
      expect(await store.listSessions()).toHaveLength(4);
      for (const id of ['first', 'second', 'third']) expect(await newest(id)).toBe('third');
      expect(await newest('helper')).toBe('helper');
      expect(await newest('nobody')).toBeUndefined();
      await create('branch', { parentSessionId: 'third' });
      expect(await newest('first')).toBe('third');
    });

    describeSplit(openStore);
    describeContinuation(openStore);
    describeLastResult(openStore);
    describeLineageTitles(openStore);
  });
}

/** first → second → third by compression, and a helper session started by the first one. */
async function openFamily(openStore: OpenStore): Promise<StoreHarness> {
  const bench = await openHarness(openStore);
  const { store, create, advance } = bench;
  await create('first');
  advance(1000);
  await create('helper', { parentSessionId: 'first', startedAt: START + 1000 });
  advance(1000);
  await store.splitSession('first', { id: 'second', source: 'cli', startedAt: START + 2000 }, []);
  advance(1000);
  await store.splitSession('second', { id: 'third', source: 'cli', startedAt: START + 3000 }, []);
  return bench;
}

function describeSplit(openStore: OpenStore): void {
  verifies('STORE-5', 'a child starts with the kept messages, which count once', async () => {
    const { store, create, advance } = await openHarness(openStore);
    await create('parent');
    const call = { id: 'c1', name: 'terminal', arguments: '{}' };
    const history: Message[] = [user('one'), { role: 'assistant', content: '', toolCalls: [call] }];
    const result: Message = { role: 'tool', toolCallId: 'c1', toolName: 'terminal', content: 'two\0three' };
    await store.appendMessages('parent', [...history, result], undefined, { toolStatus: { c1: 'error' } });
    const ids = (await store.getMessages('parent')).map(({ id }) => id);
    advance(5000);
    const summary = user('What happened so far: …');
    await split(store, 'parent', 'child', [{ copyOf: ids[0] ?? 0 }, { message: summary }, { copyOf: ids[2] ?? 0 }]);
    expect(await store.getConversation('child')).toStrictEqual([history[0], summary, result]);
    expect(await store.getSession('parent')).toMatchObject({ endReason: 'compression', endedAt: START + 5000 });
    expect(await store.getSession('child')).toMatchObject({ parentSessionId: 'parent', messageCount: 1 });
    const stored = await store.getMessages('child');
    expect(stored.map(({ copyOf }) => copyOf)).toEqual([ids[0], undefined, ids[2]]);
    expect(stored[2]?.toolStatus).toBe('error');
    // A copy of a copy refers to the original.
    await split(store, 'child', 'grandchild', [{ copyOf: stored[2]?.id ?? 0 }]);
    expect((await store.getMessages('grandchild'))[0]).toMatchObject({ copyOf: ids[2], message: result });
    expect((await store.statistics()).messages).toEqual({ user: 2, assistant: 1, tool: 1 });
  });

  verifies('STORE-5', 'ending the parent late does not detach it from its child', async () => {
    const { store, create } = await openHarness(openStore);
    await create('parent');
    await split(store, 'parent', 'child', [{ message: user('summary') }]);
    await store.endSession('parent', 'one_shot');
    expect((await store.getSession('parent'))?.endReason).toBe('compression');
    expect((await store.newestInLineage('parent'))?.id).toBe('child');
    expect((await store.listSessions({ newestOnly: true })).map(({ id }) => id)).toEqual(['child']);
  });

  it('splits completely or not at all', async () => {
    const { store, create } = await openHarness(openStore);
    await create('parent');
    await create('taken', { title: 'Taken' });
    await store.appendMessages('taken', [user('elsewhere')]);
    const [elsewhere] = await store.getMessages('taken');
    await expect(split(store, 'parent', 'child', [{ copyOf: elsewhere?.id ?? 0 }])).rejects.toThrow('no message');
    await expect(split(store, 'parent', 'taken', [])).rejects.toThrow('Session taken already exists');
    await expect(split(store, 'nobody', 'child', [])).rejects.toThrow('There is no session nobody');
    const titled = { id: 'child', source: 'cli', startedAt: START, title: 'Taken' };
    await expect(store.splitSession('parent', titled, [])).rejects.toThrow('is already used');
    expect(await store.getSession('child')).toBeUndefined();
    expect((await store.getSession('parent'))?.endedAt).toBeUndefined();
  });
}

function describeContinuation(openStore: OpenStore): void {
  verifies('STORE-5', 'a shortened copy is still a copy: it is counted and found once', async () => {
    const { store, create, openAgain } = await openHarness(openStore);
    await create('parent');
    const full: Message = { role: 'tool', toolCallId: 'c1', toolName: 'todo', content: 'the walrus in full' };
    const call = { id: 'c1', name: 'todo', arguments: '{"a":"the walrus"}' };
    const calling: Message = { role: 'assistant', content: '', toolCalls: [call] };
    await store.appendMessages('parent', [user('one'), calling, full], undefined, { toolStatus: { c1: 'denied' } });
    const ids = (await store.getMessages('parent')).map(({ id }) => id);
    const short: Message = { ...full, content: 'walrus' };
    const shortCall: Message = { ...calling, toolCalls: [{ ...call, arguments: '{}' }] };
    await split(store, 'parent', 'child', [
      ...[
        { copyOf: ids[1] ?? 0, message: shortCall },
        { copyOf: ids[2] ?? 0, message: short },
      ],
    ]);
    const [, kept] = await store.getMessages('child');
    expect(kept).toMatchObject({ copyOf: ids[2], toolStatus: 'denied', message: short });
    await split(store, 'child', 'grandchild', [{ copyOf: kept?.id ?? 0, message: { ...short, content: '…' } }]);
    expect((await store.getMessages('grandchild'))[0]).toMatchObject({ copyOf: ids[2], message: { content: '…' } });
    expect(await (await openAgain()).getConversation('child')).toStrictEqual([shortCall, short]);
    for (const id of ['child', 'grandchild']) {
      expect(await store.getSession(id)).toMatchObject({ messageCount: 0, toolCallCount: 0 });
      expect(await store.getLastResult(id, 'todo')).toBe(full.content);
    }
    const { hits } = await store.searchMessages({ text: 'walrus' });
    expect(hits.map(({ id }) => id).sort()).toEqual([ids[1], ids[2]]);
    expect((await store.statistics()).messages).toEqual({ user: 1, assistant: 1, tool: 1 });
    await expect(split(store, 'grandchild', 'lost', [{ copyOf: ids[2] ?? 0, message: short }])).rejects.toThrow(
      'no message',
    );
  });

  verifies('STORE-5', 'a session has only one continuation, under the next title', async () => {
    const { store, create } = await openHarness(openStore);
    await create('parent', { title: 'X' });
    await split(store, 'parent', 'child', []);
    await split(store, 'child', 'grandchild', []);
    expect((await store.getSession('grandchild'))?.title).toBe('X #3');
    await expect(split(store, 'parent', 'twin', [])).rejects.toThrow('continues as session child');
    expect(await store.getSession('twin')).toBeUndefined();
    expect((await store.resolveSession('X'))?.id).toBe('grandchild');
  });
}

function describeLastResult(openStore: OpenStore): void {
  it('finds the last result of a tool only in the sessions that a session continues', async () => {
    const { store, create } = await openHarness(openStore);
    const result = (content: string): Message => ({ role: 'tool', toolCallId: 'c', toolName: 'todo', content });
    await create('parent');
    await store.appendMessages('parent', [result('before')]);
    await store.branchSession('parent', { id: 'branch', source: 'cli', startedAt: START });
    await create('helper', { parentSessionId: 'parent' });
    await store.appendMessages('parent', [result('after')]);
    await split(store, 'parent', 'child', []);
    const last = (id: string) => store.getLastResult(id, 'todo');
    expect(await last('child')).toBe('after');
    expect(await last('branch')).toBe('before');
    expect(await store.getLastResult('child', 'terminal')).toBeUndefined();
    await store.appendMessages('child', [result('newest')]);
    expect(await last('child')).toBe('newest');
  });
}

const split = (store: SessionStore, parent: string, id: string, kept: Parameters<SessionStore['splitSession']>[2]) =>
  store.splitSession(parent, { id, source: 'cli', startedAt: START + 5000 }, kept);

function describeLineageTitles(openStore: OpenStore): void {
  verifies(
    'STORE-3',
    'a title resolves to the newest session of its numbers, a numbered title only to itself',
    async () => {
      const { store, create, advance } = await openHarness(openStore);
      for (const title of ['X', 'X #2', 'X #10', 'X #3', 'X #3 more', 'X #03', 'X%']) {
        advance(1000);
        await create(`session ${title}`, { title });
      }
      const found = async (title: string) => (await store.resolveSessionByTitle(title))?.title;
      expect(await found('X')).toBe('X #3');
      expect(await found('X #2')).toBe('X #2');
      expect(await found('X #4')).toBeUndefined();
      expect(await found('x')).toBeUndefined();
      expect((await store.resolveSession('X'))?.title).toBe('X #3');
      expect(await found('X #3 more')).toBe('X #3 more');
    },
  );

  verifies('STORE-3', 'the next title has one more than the highest number', async () => {
    const { store, create } = await openHarness(openStore);
    const next = (title: string) => store.getNextTitleInLineage(title);
    expect(await next(' X ')).toBe('X');
    await create('one', { title: 'X' });
    expect(await next('X')).toBe('X #2');
    await create('seven', { title: 'X #7' });
    expect(await next('X')).toBe('X #8');
    expect(await next('X #2')).toBe('X #8');
    await expect(next(' ')).rejects.toThrow('title');
    const long = '😀'.repeat(100);
    await create('long', { title: long });
    for (const number of [2, 3]) {
      const title = await next(long);
      expect(title).toBe(`${'😀'.repeat(97)} #${number}`);
      await create(`long ${number}`, { title });
    }
  });
}
