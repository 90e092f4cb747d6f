import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import { HermesError, NO_USAGE } from '../../base/index.ts';
import { type OpenStore, openHarness, START } from './store-harness.ts';

export function describeSessions(openStore: OpenStore): void {
  describe('sessions', () => {
    verifies('STORE-3', 'a session is stored as it was created', async () => {
      const { store, create } = await openHarness(openStore);
      await create('parent');
      await store.createSession({
        id: 'child',
        source: 'telegram',
        startedAt: START + 1,
        model: 'model-1',
        systemPrompt: 'Be kind.\n',
        parentSessionId: 'parent',
        title: ' A\ttitle ',
      });
      expect(await store.getSession('child')).toEqual({
        id: 'child',
        source: 'telegram',
        model: 'model-1',
        systemPrompt: 'Be kind.\n',
        parentSessionId: 'parent',
        title: 'A title',
        startedAt: START + 1,
        endedAt: undefined,
        endReason: undefined,
        isBranch: false,
        isDelegated: false,
        messageCount: 0,
        toolCallCount: 0,
        usage: NO_USAGE,
      });
      expect(await store.getSession('nobody')).toBeUndefined();
    });

    it('rejects an id that exists and a parent that does not', async () => {
      const { store, create } = await openHarness(openStore);
      await create('one');
      await expect(create('one')).rejects.toThrow('Session one already exists');
      await expect(create('two', { parentSessionId: 'gone' })).rejects.toThrow(HermesError);
      expect(await store.getSession('two')).toBeUndefined();
    });

    verifies('STORE-3', 'a session is ended with a reason, and reopened', async () => {
      const { store, create, advance } = await openHarness(openStore);
      await create('one');
      advance(5000);
      await store.endSession('one', 'user_exit');
      expect(await store.getSession('one')).toMatchObject({ endedAt: START + 5000, endReason: 'user_exit' });
      await store.reopenSession('one');
      expect(await store.getSession('one')).toMatchObject({ endedAt: undefined, endReason: undefined });
    });

    describeChanges(openStore);
    describeTitles(openStore);
  });
}

function describeChanges(openStore: OpenStore): void {
  it('stores system prompt and model', async () => {
    const { store, create } = await openHarness(openStore);
    await create('one');
    await store.setSystemPrompt('one', 'Be brief.');
    await store.setSessionModel('one', 'model-2');
    expect(await store.getSession('one')).toMatchObject({ systemPrompt: 'Be brief.', model: 'model-2' });
  });

  it('reports that the session to change does not exist', async () => {
    const { store } = await openHarness(openStore);
    await expect(store.endSession('nobody', 'x')).rejects.toThrow('There is no session nobody');
    await expect(store.setSessionTitle('nobody', 'x')).rejects.toThrow(HermesError);
  });
}

function describeTitles(openStore: OpenStore): void {
  verifies('STORE-3', 'titles are sanitised, unique and can be removed', async () => {
    const { store, create } = await openHarness(openStore);
    await create('one');
    await create('two');
    await store.setSessionTitle('one', ' Fix\u200b  the build\n');
    expect((await store.getSession('one'))?.title).toBe('Fix the build');
    await expect(store.setSessionTitle('two', 'Fix the build')).rejects.toThrow(
      /"Fix the build" is already used .* one/,
    );
    await expect(create('three', { title: 'Fix the build' })).rejects.toThrow(HermesError);
    await store.setSessionTitle('one', 'Fix the build');
    await store.setSessionTitle('one', undefined);
    await store.setSessionTitle('two', 'Fix the build');
    await store.setSessionTitle('two', ' \u200b ');
    expect((await store.getSession('two'))?.title).toBeUndefined();
  });

  verifies('STORE-3', 'a proposed title is numbered if it is already used, and never replaces one', async () => {
    const { store, create } = await openHarness(openStore);
    for (const id of ['one', 'two', 'three', 'named']) await create(id);
    await store.setSessionTitle('named', 'By hand');
    expect(await store.proposeSessionTitle('one', ' Fix the\nbuild ')).toBe('Fix the build');
    expect(await store.proposeSessionTitle('two', 'Fix the build')).toBe('Fix the build #2');
    expect(await store.proposeSessionTitle('three', 'Fix the build #2')).toBe('Fix the build #3');
    for (const [id, title] of [
      ['one', 'Again'],
      ['named', 'Made'],
      ['nobody', 'Made'],
    ] as const) {
      expect(await store.proposeSessionTitle(id, title)).toBeUndefined();
    }
    expect((await store.getSession('one'))?.title).toBe('Fix the build');
    expect((await store.getSession('named'))?.title).toBe('By hand');
    await create('four');
    expect(await store.proposeSessionTitle('four', ' \u200b')).toBeUndefined();
  });

  verifies('STORE-3', 'concurrent proposals of two processes do not overwrite each other', async () => {
    const { store, create, openAgain } = await openHarness(openStore);
    await create('one');
    const second = await openAgain();
    const given = await Promise.all([
      store.proposeSessionTitle('one', 'First'),
      second.proposeSessionTitle('one', 'Second'),
    ]);
    await second.close();
    expect(given.filter((title) => title !== undefined)).toEqual([(await store.getSession('one'))?.title]);
  });

  verifies('STORE-3', 'a title that is too long changes nothing', async () => {
    const { store, create } = await openHarness(openStore);
    await create('one', { title: 'before' });
    await expect(store.setSessionTitle('one', 'x'.repeat(101))).rejects.toThrow(HermesError);
    expect((await store.getSession('one'))?.title).toBe('before');
  });
}
