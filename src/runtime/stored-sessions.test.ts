import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import { systemClock } from '../base/index.ts';
import type { SessionStore } from '../contracts/index.ts';
import { openSqliteStore } from '../store/sqlite/index.ts';
import { createTemporaryHome } from '../testing/index.ts';
import { branchSession, findHolder, followMessages, waitUntilFree } from './stored-sessions.ts';
import { describeProcess } from './session-lease.ts';

const TTL_MS = 60_000;

async function openStores(): Promise<[SessionStore, SessionStore]> {
  const home = await createTemporaryHome();
  const file = join(home.path, 'state.db');
  const stores = [await openSqliteStore({ file }), await openSqliteStore({ file })] as const;
  onTestFinished(async () => {
    for (const store of stores) await store.close();
    await home.remove();
  });
  await stores[0].createSession({ id: 'one', source: 'cli', startedAt: 0 });
  return [...stores];
}

async function hold(store: SessionStore): Promise<() => Promise<void>> {
  const outcome = await store.acquireLease('one', describeProcess('cli'), TTL_MS);
  if (!outcome.acquired) throw new Error('held already');
  return () => store.releaseLease(outcome.lease);
}

const say = (store: SessionStore, content: string) => store.appendMessages('one', [{ role: 'user', content }]);

describe('a held session', () => {
  verifies('STORE-7', 'is waited for until it is free or the signal is aborted', async () => {
    const [here, there] = await openStores();
    const release = await hold(there);
    const parts = { store: here, clock: systemClock };
    const stop = new AbortController();
    const stopped = waitUntilFree(parts, 'one', stop.signal);
    stop.abort(new Error('enough'));
    await expect(stopped).rejects.toThrow('enough');
    const waiting = waitUntilFree(parts, 'one', new AbortController().signal);
    await release();
    await waiting;
  });

  it('is not held by a process that has died', async () => {
    const [here, there] = await openStores();
    const { pid } = spawnSync(process.execPath, ['-e', '']);
    await there.acquireLease('one', { ...describeProcess('cli'), pid }, TTL_MS);
    expect(await here.findLeaseHolder('one')).toMatchObject({ pid });
    expect(await findHolder(here, 'one')).toBeUndefined();
  });

  verifies('STORE-7', 'shows a watcher every message, including the last one before the turn ends', async () => {
    const [here, there] = await openStores();
    await say(there, 'before');
    const after = (await here.getMessages('one')).at(-1)?.id ?? 0;
    const release = await hold(there);
    await say(there, 'first');
    const seen: string[] = [];
    const { signal } = new AbortController();
    for await (const { message } of followMessages({ store: here, clock: systemClock }, 'one', { after, signal })) {
      seen.push(message.content);
      if (seen.length > 1) continue;
      await say(there, 'second');
      await say(there, 'last');
      await release();
    }
    expect(seen).toEqual(['first', 'second', 'last']);
  });

  verifies('STORE-7', 'is followed into its continuation after a compression, and until it is deleted', async () => {
    const [here, there] = await openStores();
    const parts = { store: here, clock: systemClock };
    const { signal } = new AbortController();
    await say(there, 'kept');
    const [kept] = await there.getMessages('one');
    const release = await hold(there);
    const waiting = waitUntilFree(parts, 'one', signal);
    const seen: string[] = [];
    for await (const { message } of followMessages(parts, 'one', { after: 0, signal, forever: true })) {
      seen.push(message.content);
      if (seen.length === 1) {
        const child = { id: 'two', source: 'cli', startedAt: 1 };
        await there.splitSession('one', child, [
          { message: { role: 'user', content: 'summary' } },
          { copyOf: kept?.id ?? 0 },
        ]);
      }
      if (seen.length === 2) await there.appendMessages('two', [{ role: 'user', content: 'after it' }]);
      if (seen.length < 3) continue;
      await release();
      expect(await waiting).toBe('two');
      await there.deleteSession('two');
    }
    expect(seen).toEqual(['kept', 'summary', 'after it']);
  });

  it('is branched with a new id of the current time', async () => {
    const [here] = await openStores();
    await say(here, 'before');
    const branch = await branchSession({ store: here, clock: systemClock }, 'one', 'cli');
    expect(branch).toMatchObject({
      id: expect.stringMatching(/^\d{8}_\d{6}_/),
      parentSessionId: 'one',
      isBranch: true,
    });
    expect(await here.getConversation(branch.id)).toEqual(await here.getConversation('one'));
  });
});
