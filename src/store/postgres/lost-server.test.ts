import { createServer, type Socket, connect } from 'node:net';
import { once } from 'node:events';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import { fullDoseOnly } from '../../../test/support/dose.ts';
import { openForTest, useServer } from '../../../test/support/postgres/store-fixture.ts';

const { server, emptyDatabase } = useServer();
/** Generous, for a slow machine. */
const PATIENT = { timeout: 20_000 };
const user = (content: string) => ({ role: 'user', content }) as const;

describe('a server that becomes unreachable', () => {
  verifies('STORE-6', 'a write waits for a server that restarts, and is stored once', async () => {
    const store = await openForTest({ url: await emptyDatabase() });
    await store.createSession({ id: 'one', source: 'cli', startedAt: 1 });
    await store.appendMessages('one', [user('before')]);
    await server().stop();
    const writing = store.appendMessages('one', [user('meanwhile')]);
    // Queries that wait for a connection must not run on the next one without their transaction.
    const reading = Promise.all(Array.from({ length: 12 }, () => store.statistics()));
    await server().start();
    await writing;
    expect((await reading).map(({ sessions }) => sessions)).toEqual(Array.from({ length: 12 }, () => 1));
    await store.appendMessages('one', [user('after')]);
    expect((await store.getConversation('one')).map(({ content }) => content)).toEqual([
      'before',
      'meanwhile',
      'after',
    ]);
    expect(await store.getSession('one')).toMatchObject({ messageCount: 3 });
  });

  verifies(
    'STORE-6',
    'consecutive writes across restarts are all stored, each once and in order',
    fullDoseOnly,
    async () => {
      const store = await openForTest({ url: await emptyDatabase() });
      await store.createSession({ id: 'one', source: 'cli', startedAt: 1 });
      const expected = Array.from({ length: 200 }, (_, number) => `${number}`);
      const writing = Promise.all(expected.map((text) => store.appendMessages('one', [user(text)])));
      for (let restart = 0; restart < 2; restart += 1) {
        await expect.poll(async () => (await store.getMessages('one')).length, PATIENT).toBeGreaterThan(restart * 20);
        await server().stop();
        await server().start();
      }
      await writing;
      expect((await store.getConversation('one')).map(({ content }) => content)).toEqual(expected);
    },
  );

  verifies('STORE-6', 'a connection that is lost during a commit stores nothing twice', async () => {
    const way = await openWay(server().port);
    const url = (await emptyDatabase()).replace(`:${server().port}/`, `:${way.port}/`);
    const store = await openForTest({ url });
    await store.createSession({ id: 'one', source: 'cli', startedAt: 1 });
    for (const when of ['before', 'after'] as const) {
      way.cutAtCommit(when);
      await store.appendMessages('one', [user(when)]);
      expect(way.cuts()).toBe(when === 'before' ? 1 : 2);
    }
    expect((await store.getConversation('one')).map(({ content }) => content)).toEqual(['before', 'after']);
    expect(await store.getSession('one')).toMatchObject({ messageCount: 2 });
  });

  it('a connection that stops responding is dropped, and the request is retried over another one', async () => {
    const way = await openWay(server().port);
    const url = (await emptyDatabase()).replace(`:${server().port}/`, `:${way.port}/`);
    const store = await openForTest({ url, statementSeconds: 1, answerSeconds: 1 });
    await store.createSession({ id: 'one', source: 'cli', startedAt: 1 });
    way.fallSilent();
    await store.appendMessages('one', [user('x')]);
    expect(await store.getSession('one')).toMatchObject({ messageCount: 1 });
  });

  it('a server that stays unreachable is reported with the time waited', async () => {
    const way = await openWay(server().port);
    const url = (await emptyDatabase()).replace(`:${server().port}/`, `:${way.port}/`);
    const store = await openForTest({ url });
    await store.createSession({ id: 'one', source: 'cli', startedAt: 1 });
    way.close();
    const real = performance.now.bind(performance);

    const now = vi.spyOn(performance, 'now').mockImplementation(() => real() * 500);
    onTestFinished(() => now.mockRestore());
    await expect(store.appendMessages('one', [user('x')])).rejects.toThrow(
      new RegExp(`at 127.0.0.1:${way.port} could not be reached within 60 s`),
    );
    await expect(store.getSession('one')).rejects.toThrow(/could not be reached within 20 s/);
  });
});

/**
 * A proxy to the server that can be cut at the worst moment: before a commit reaches the server, or before its answer
 * returns.
 */
async function openWay(port: number) {
  const sockets = new Set<Socket>();
  const silent = new Set<Socket>();
  let when: 'before' | 'after' | undefined;
  let cuts = 0;
  const cut = (...pair: Socket[]) => {
    cuts += 1;
    when = undefined;
    for (const socket of pair) socket.destroy();
  };
  const way = createServer((near) => {
    const far = connect(port, '127.0.0.1');
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => sockets.delete(socket));
    }
    let committing = false;
    near.on('data', (data) => {
      if (silent.has(near)) return undefined;
      const isCommit = data.includes('; COMMIT');
      if (isCommit && when === 'before') return cut(near, far);
      committing ||= isCommit && when === 'after';
      far.write(data);
      return undefined;
    });
    far.on('data', (data) => (silent.has(near) ? undefined : committing ? cut(near, far) : near.write(data)));
    near.on('close', () => far.destroy());
    far.on('close', () => near.destroy());
  }).listen(0, '127.0.0.1');
  await once(way, 'listening');
  const close = () => {
    way.close();
    for (const socket of sockets) socket.destroy();
  };
  onTestFinished(close);
  const address = way.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    cuts: () => cuts,
    cutAtCommit(moment: 'before' | 'after') {
      when = moment;
    },
    /** Keeps existing connections open, but forwards nothing any more. */
    fallSilent() {
      for (const socket of sockets) silent.add(socket);
    },
    close,
  };
}
