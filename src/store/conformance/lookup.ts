import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import type { Message } from '../../base/index.ts';
import type { LatestFilter, SessionOrigin } from '../../contracts/index.ts';
import { type OpenStore, openHarness, START } from './store-harness.ts';

const user = (content: string): Message => ({ role: 'user', content });

export function describeLookup(openStore: OpenStore): void {
  describe('finding sessions', () => {
    verifies('STORE-3', 'by id, by title, and by a unique prefix of at least four characters', async () => {
      const { store, create } = await openHarness(openStore);
      await create('20260102_030405_aaaaaa', { title: 'Build' });
      await create('20260102_040506_bbbbbb');
      const resolve = async (reference: string) => (await store.resolveSession(reference))?.id;
      expect(await resolve('20260102_040506_bbbbbb')).toBe('20260102_040506_bbbbbb');
      expect(await resolve('Build')).toBe('20260102_030405_aaaaaa');
      expect(await resolve('20260102_04')).toBe('20260102_040506_bbbbbb');
      for (const reference of ['', '202', '2027', 'build', '%%%%', '____', '****']) {
        expect(await resolve(reference)).toBeUndefined();
      }
    });

    verifies('STORE-3', 'an ambiguous prefix is an error that names the candidates', async () => {
      const { store, create } = await openHarness(openStore);
      await create('2026_a', { title: 'Build' });
      await create('2026_b');
      await expect(store.resolveSession('2026')).rejects.toThrow(/2026_a \(Build\)/);
      await expect(store.resolveSession('2026')).rejects.toThrow(/2026_b/);
      await store.setSessionTitle('2026_b', '2026');
      expect((await store.resolveSession('2026'))?.id).toBe('2026_b');
    });

    it('the latest session is the one with the latest activity, optionally of one source', async () => {
      const { store, create, advance } = await openHarness(openStore);
      expect(await store.latestSession()).toBeUndefined();
      await create('old');
      advance(1000);
      await create('gateway', { source: 'telegram' });
      advance(1000);
      await create('new');
      const latest = async (source?: string) => (await store.latestSession({ source }))?.id;
      expect(await latest()).toBe('new');
      advance(1000);
      await store.appendMessages('old', [user('Hello again')]);
      expect(await latest()).toBe('old');
      expect(await latest('telegram')).toBe('gateway');
      expect(await latest('batch')).toBeUndefined();
    });

    describeLatest(openStore);
    describeList(openStore);
  });
}

function describeLatest(openStore: OpenStore): void {
  it('a new session is the latest, also of its source, until there is a message elsewhere', async () => {
    const { store, create, advance } = await openHarness(openStore);
    const latest = async (source?: string) => (await store.latestSession({ source }))?.id;
    await create('old');
    await store.appendMessages('old', [user('Hello')]);
    advance(1000);
    await create('new');
    expect([await latest(), await latest('cli')]).toEqual(['new', 'new']);
    advance(1000);
    await store.appendMessages('old', [user('Hello again')]);
    expect([await latest(), await latest('cli')]).toEqual(['old', 'old']);
  });

  it('the latest session of a source is found however much has happened elsewhere since', async () => {
    const { store, create, advance } = await openHarness(openStore);
    for (const id of ['first', 'second', 'third']) await create(id);
    for (const id of ['first', 'third', 'second']) {
      advance(1000);
      await store.appendMessages(id, [user(id)]);
    }
    await create('gateway', { source: 'telegram' });
    for (let round = 0; round < 11; round += 1) {
      advance(1000);
      await store.appendMessages(
        'gateway',
        Array.from({ length: 100 }, (_, number) => user(`${round} ${number}`)),
      );
    }
    expect((await store.latestSession({ source: 'cli' }))?.id).toBe('second');
    expect((await store.latestSession())?.id).toBe('gateway');
  });

  it('the latest session can be limited to a working directory and to kinds', async () => {
    const { store, create, advance } = await openHarness(openStore);
    const add = async (id: string, origin?: SessionOrigin) => {
      advance(1000);
      await create(id, origin && { origin });
      await store.appendMessages(id, [user(id)]);
    };
    await add('chat here', { workingDirectory: '/here', kind: 'interactive' });
    await add('chat there', { workingDirectory: '/there', kind: 'interactive' });
    await add('command here', { workingDirectory: '/here', kind: 'one_shot' });
    await add('background', { workingDirectory: '/here', kind: 'background' });
    const latest = async (filter: LatestFilter) => (await store.latestSession({ source: 'cli', ...filter }))?.id;
    const kinds = ['interactive'] as const;
    expect(await latest({})).toBe('background');
    expect(await latest({ kinds })).toBe('chat there');
    expect(await latest({ kinds, workingDirectory: '/here' })).toBe('chat here');
    expect(await latest({ kinds: ['interactive', 'one_shot'], workingDirectory: '/here' })).toBe('command here');
    expect(await latest({ workingDirectory: '/nowhere' })).toBeUndefined();
    // A session without an origin may be of any kind, but is in no known directory.
    await add('unknown');
    expect(await latest({ kinds })).toBe('unknown');
    expect(await latest({ kinds, workingDirectory: '/here' })).toBe('chat here');
  });

  it('a session inherits its origin, and the origin can be changed', async () => {
    const { store, create } = await openHarness(openStore);
    const origin = { workingDirectory: '/here', kind: 'one_shot' } as const;
    await create('one', { origin });
    const startedAt = START + 1000;
    await store.splitSession('one', { id: 'two', source: 'cli', startedAt }, []);
    expect(await store.branchSession('two', { id: 'three', source: 'cli', startedAt })).toMatchObject({ origin });
    const moved = { workingDirectory: '/there', kind: 'interactive' } as const;
    await store.setSessionOrigin('two', moved);
    const origins = await Promise.all(['one', 'two', 'three'].map(async (id) => (await store.getSession(id))?.origin));
    expect(origins).toEqual([origin, moved, origin]);
    await store.deleteSession('three');
    expect(await store.getSession('three')).toBeUndefined();
  });

  it('an imported session is as old as its timestamps', async () => {
    const { store, create } = await openHarness(openStore);
    await create('here');
    await store.appendMessages('here', [user('Hello')]);
    const record = await store.exportSession('here');
    const messages = record.messages.map((one) => ({ ...one, timestamp: START - 5000 }));
    await store.importSession({ ...record, session: { ...record.session, id: 'there', startedAt: 0 }, messages });
    expect((await store.latestSession())?.id).toBe('here');
  });
}

function describeList(openStore: OpenStore): void {
  verifies('STORE-3', 'the list is sorted by start, newest first, with preview and last activity', async () => {
    const { store, create, advance } = await openHarness(openStore);
    await create('one');
    await create('two', { startedAt: START + 1, source: 'telegram' });
    advance(9000);
    await store.appendMessages('one', [user(''), user(' \n'), { role: 'assistant', content: 'Yes?' }]);
    await store.appendMessages('one', [user(`😀${'x'.repeat(80)}`), user('second')]);
    const [first, second, ...rest] = await store.listSessions();
    expect(rest).toEqual([]);
    expect(first).toMatchObject({ id: 'two', preview: '', lastActiveAt: START + 1 });
    expect(second).toMatchObject({ id: 'one', preview: `😀${'x'.repeat(62)}`, lastActiveAt: START + 9000 });
    expect(second).toMatchObject({ ...(await store.getSession('one')), messageCount: 5 });
    expect((await store.listSessions({ source: 'telegram' })).map((session) => session.id)).toEqual(['two']);
    await store.setSessionTitle('one', '100 % of it_all \\o/');
    const titled = async (title: string) => (await store.listSessions({ title })).map(({ id }) => id);
    for (const part of ['100 %', 'OF it_', '\\O']) expect(await titled(part)).toEqual(['one']);
    for (const part of ['100%', 'it.all', 'x'.repeat(200_000)]) expect(await titled(part)).toEqual([]);
  });

  verifies('STORE-3', 'the list has twenty entries by default', async () => {
    const { store, create } = await openHarness(openStore);
    for (let number = 0; number < 25; number += 1) await create(`session ${number}`);
    const ids = (await store.listSessions()).map((session) => session.id);
    expect(ids).toEqual(Array.from({ length: 20 }, (_, index) => `session ${24 - index}`));
    expect(await store.listSessions({ limit: 3 })).toHaveLength(3);
    expect(await store.listSessions({ limit: 100 })).toHaveLength(25);
    const rest = await store.listSessions({ offset: 20 });
    expect(rest.map((session) => session.id)).toEqual([4, 3, 2, 1, 0].map((number) => `session ${number}`));
  });
}
