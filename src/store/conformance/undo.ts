import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import type { Message } from '../../base/index.ts';
import type { SessionStore } from '../../contracts/index.ts';
import { callRecord, type OpenStore, openHarness, START } from './store-harness.ts';

const user = (content: string): Message => ({ role: 'user', content });
const answer = (content: string): Message => ({ role: 'assistant', content });
const CALL = { id: 'c1', name: 'terminal', arguments: '{}' };
const SECOND_TURN: Message[] = [
  user('two?'),
  { role: 'assistant', content: '', toolCalls: [CALL] },
  { role: 'tool', toolCallId: 'c1', toolName: 'terminal', content: 'with a \0 in it' },
  answer('Zwei.'),
];

const contents = async (store: SessionStore, id: string) =>
  (await store.getConversation(id)).map(({ content }) => content);
const idOf = async (store: SessionStore, id: string, content: string) =>
  (await store.getMessages(id)).find(({ message }) => message.content === content)?.id ?? -1;

/** A session with two turns, one second apart. */
async function openTwoTurns(openStore: OpenStore) {
  const bench = await openHarness(openStore);
  const { store, create, advance } = bench;
  await create('one');
  await store.appendMessages('one', [user('one?'), answer('Eins.')], callRecord({ startedAt: START }));
  advance(1000);
  await store.appendMessages('one', SECOND_TURN.slice(0, 1));
  const second = callRecord({ startedAt: START + 1500, taskId: 'second' });
  advance(1000);
  await store.appendMessages('one', SECOND_TURN.slice(1), second, { toolStatus: { c1: 'error' } });
  return bench;
}

export function describeUndo(openStore: OpenStore): void {
  describe('undo', () => {
    verifies('SURF-3', 'undone messages are neither sent, found nor counted, but their cost stays', async () => {
      const { store, openAgain } = await openTwoTurns(openStore);
      expect(await store.undoMessages('one', await idOf(store, 'one', 'two?'))).toBe(4);
      expect(await contents(store, 'one')).toEqual(['one?', 'Eins.']);
      expect(await store.getSession('one')).toMatchObject({ messageCount: 2, toolCallCount: 0 });
      for (const text of ['Zwei', 'terminal']) expect((await store.searchMessages({ text })).hits).toEqual([]);
      expect((await store.statistics()).messages).toEqual({ user: 1, assistant: 1, tool: 0 });
      expect((await store.spendingSince(0)).usd).toBe(0.5);
      // The last call is the newest one whose answer was not undone.
      expect(await store.getLastCall('one')).toMatchObject({ taskId: 'task_1' });
      const other = await openAgain();
      expect(await contents(other, 'one')).toEqual(['one?', 'Eins.']);
      await other.close();
    });

    verifies('SURF-3', 'restores in as many steps as were undone, until the next message', async () => {
      const { store } = await openTwoTurns(openStore);
      const before = await store.getMessages('one');
      const session = await store.getSession('one');
      for (const content of ['two?', 'one?']) await store.undoMessages('one', await idOf(store, 'one', content));
      expect(await contents(store, 'one')).toEqual([]);
      expect(await store.restoreMessages('one')).toBe(2);
      expect(await store.restoreMessages('one')).toBe(4);
      expect(await store.getMessages('one')).toStrictEqual(before);
      expect(await store.getSession('one')).toEqual(session);
      expect((await store.searchMessages({ text: 'Zwei' })).hits).toHaveLength(1);
      expect(await store.restoreMessages('one')).toBe(0);
      await store.undoMessages('one', await idOf(store, 'one', 'two?'));
      await store.appendMessages('one', [user('three?')]);
      expect(await store.restoreMessages('one')).toBe(0);
      expect(await contents(store, 'one')).toEqual(['one?', 'Eins.', 'three?']);
    });

    describeKin(openStore);

    it('rejects unknown messages, and is deleted with its session', async () => {
      const { store, create } = await openTwoTurns(openStore);
      await create('other');
      const from = await idOf(store, 'one', 'two?');
      await expect(store.undoMessages('other', from)).rejects.toThrow(`Session other has no message ${from}`);
      await store.undoMessages('one', from);
      await store.deleteSession('one');
      await create('one');
      expect(await store.restoreMessages('one')).toBe(0);
      await store.appendMessages('other', [user('x')]);
      await store.undoMessages('other', await idOf(store, 'other', 'x'));
      await store.clearMessages('other');
      expect(await store.restoreMessages('other')).toBe(0);
    });
  });
}

/** Undo in sessions that share messages. */
function describeKin(openStore: OpenStore): void {
  verifies(['SURF-3', 'STORE-5'], 'after compression it also applies to the parent, and can be restored', async () => {
    const { store, advance } = await openTwoTurns(openStore);
    const stored = await store.getMessages('one');
    const kept = stored.slice(2).map(({ id }) => ({ copyOf: id }));
    const summary = { message: user('Summary'), isReplacement: true as const };
    advance(1000);
    await store.splitSession('one', { id: 'child', source: 'cli', startedAt: START + 3000 }, [summary, ...kept]);
    expect(await store.undoMessages('child', await idOf(store, 'child', 'two?'))).toBe(4);
    expect(await contents(store, 'child')).toEqual(['Summary']);
    expect(await contents(store, 'one')).toEqual(['one?', 'Eins.']);
    expect(await store.getSession('one')).toMatchObject({ messageCount: 2, toolCallCount: 0 });
    expect(await store.getSession('child')).toMatchObject({ messageCount: 0 });
    await expect(store.undoMessages('child', await idOf(store, 'child', 'Summary'))).rejects.toThrow('compressed');
    expect(await store.restoreMessages('child')).toBe(4);
    expect(await store.getMessages('one')).toStrictEqual(stored);
    expect(await store.getSession('one')).toMatchObject({ messageCount: 6, toolCallCount: 1 });
  });

  verifies(['SURF-3', 'STORE-7'], 'a branch and its original session do not affect each other', async () => {
    const { store } = await openTwoTurns(openStore);
    await store.branchSession('one', { id: 'branch', source: 'cli', startedAt: START + 3000 });
    await store.undoMessages('branch', await idOf(store, 'branch', 'two?'));
    expect(await contents(store, 'one')).toHaveLength(6);
    expect(await store.getSession('one')).toMatchObject({ messageCount: 6, toolCallCount: 1 });
    await store.restoreMessages('branch');
    await store.undoMessages('one', await idOf(store, 'one', 'two?'));
    expect(await contents(store, 'branch')).toHaveLength(6);
    expect((await store.searchMessages({ text: 'Zwei' })).hits).toMatchObject([{ sessionId: 'branch' }]);
  });
}
