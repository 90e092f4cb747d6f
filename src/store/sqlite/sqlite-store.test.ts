import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import { HermesError } from '../../base/index.ts';
import type { SessionStore } from '../../contracts/index.ts';
import { callRecord } from '../conformance/store-harness.ts';
import { describeSessionStore } from '../conformance.ts';
import { isWalSafe } from './driver.ts';
import { openForTest, temporaryFile, withDatabase } from './fixtures.ts';
import { openSqliteStore } from './index.ts';
import { fullDoseOnly } from '../../../test/support/dose.ts';

describeSessionStore('SQLite', async ({ clock }) => {
  const file = temporaryFile();
  return { store: await openSqliteStore({ file, clock }), openAgain: () => openSqliteStore({ file, clock }) };
});

describeSessionStore('SQLite for many agents', async ({ clock }) => {
  const file = temporaryFile();
  const open = () => openSqliteStore({ file, clock, groupWrites: true });
  return { store: await open(), openAgain: open };
});

describe('the SQLite store', () => {
  it('syncs to disk as usual once a new file has its tables', async () => {
    const exec = vi.spyOn(DatabaseSync.prototype, 'exec');
    onTestFinished(() => exec.mockRestore());
    const file = temporaryFile();
    for (const expected of [['NORMAL', 'OFF', 'NORMAL'], ['NORMAL']]) {
      await openForTest({ file });
      const levels = exec.mock.calls.flatMap(([sql]) => /^PRAGMA synchronous = (\w+)/.exec(sql)?.[1] ?? []);
      expect(levels).toEqual(isWalSafe() ? expected : ['FULL']);
      exec.mockClear();
    }
    const mode = withDatabase(file, (database) => database.prepare('PRAGMA journal_mode').get());
    expect(mode).toEqual({ journal_mode: isWalSafe() ? 'wal' : 'delete' });
  });

  verifies('STORE-2', 'does not sync the first transaction of a new write-ahead log, but all later ones', async () => {
    const file = temporaryFile();
    const create = (store: SessionStore, id: string) => store.createSession({ id, source: 'cli', startedAt: 0 });
    await (await openSqliteStore({ file })).close();
    const [first, second] = [await openForTest({ file }), await openForTest({ file })];
    const exec = vi.spyOn(DatabaseSync.prototype, 'exec');
    onTestFinished(() => exec.mockRestore());
    const levels = () => exec.mock.calls.flatMap(([sql]) => /^PRAGMA synchronous = (\w+)/.exec(sql)?.[1] ?? []);
    await create(first, 'one');
    expect(levels()).toEqual(isWalSafe() ? ['OFF', 'NORMAL'] : []);
    exec.mockClear();
    // The log has been written to: by the other connection, and by this one.
    await create(second, 'two');
    await create(first, 'three');
    expect(levels()).toEqual([]);
    expect(await first.getSession('two')).toBeDefined();
  });

  verifies('STORE-2', 'syncs as usual if others wrote while it waited for the lock', async () => {
    const file = temporaryFile();
    await (await openSqliteStore({ file })).close();
    const store = await openForTest({ file });
    const exec = vi.spyOn(DatabaseSync.prototype, 'exec');
    onTestFinished(() => exec.mockRestore());
    const other = new DatabaseSync(file);
    onTestFinished(() => other.close());
    exec.mockImplementationOnce(function (this: DatabaseSync, sql: string) {
      // The last moment before the transaction begins.
      other.prepare("INSERT INTO sessions (id, source, started_at) VALUES ('other', 'cli', 0)").run();
      this.prepare(sql).run();
    });
    await store.createSession({ id: 'one', source: 'cli', startedAt: 0 });
    const calls = exec.mock.calls.map(([sql]) => sql);
    const expected = ['PRAGMA synchronous = OFF', 'ROLLBACK', 'PRAGMA synchronous = NORMAL'];
    expect(calls.slice(0, 3)).toEqual(isWalSafe() ? expected : []);
    expect(await store.getSession('one')).toBeDefined();
  });

  verifies('STORE-8', 'the file and its new folder are accessible only by the user', async () => {
    const file = join(dirname(temporaryFile()), 'new', 'folder', 'state.db');
    const store = await openForTest({ file });
    await store.createSession({ id: 'one', source: 'cli', startedAt: 0 });
    expect(statSync(dirname(file)).mode & 0o777).toBe(0o700);
    for (const path of [file, `${file}-wal`, `${file}-shm`]) expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  verifies('STORE-8', 'a file that others can read is made private', async () => {
    const file = temporaryFile();
    const umask = process.umask(0o022);
    withDatabase(file, (database) => database.exec('CREATE TABLE schema_version (version INTEGER NOT NULL)'));
    process.umask(umask);
    expect(statSync(file).mode & 0o777).toBe(0o644);
    await openForTest({ file });
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  verifies('STORE-1', 'the journal is a write-ahead log', async () => {
    const file = temporaryFile();
    await openForTest({ file });
    const journal = withDatabase(file, (database) => database.prepare('PRAGMA journal_mode').get());
    expect(journal).toEqual({ journal_mode: 'wal' });
  });

  verifies('STORE-2', 'checkpoints the log every fifty writes', async () => {
    const file = temporaryFile();
    const store = await openForTest({ file });
    const before = statSync(file).size;
    await store.createSession({ id: 'one', source: 'cli', startedAt: 0 });
    for (let write = 2; write < 50; write += 1) await store.appendMessages('one', [{ role: 'user', content: 'x' }]);
    expect(statSync(file).size).toBe(before);
    await store.appendMessages('one', [{ role: 'user', content: 'x' }]);
    await expect.poll(() => statSync(file).size).toBeGreaterThan(before);
  });

  describeBusy();
  describeSessionFigures();
});

function describeBusy(): void {
  verifies(
    'STORE-2',
    'a lock that is never released causes an error of ours after a minute for messages',
    fullDoseOnly,
    async () => {
      const file = temporaryFile();
      const store = await openForTest({ file });
      // The clock runs two hundred times faster, so that the test need not wait a minute.
      const real = performance.now.bind(performance);
      const now = vi.spyOn(performance, 'now').mockImplementation(() => real() * 200);
      onTestFinished(() => now.mockRestore());
      await store.createSession({ id: 'one', source: 'cli', startedAt: 0 });
      await withHeldLock(file, async () => {
        const start = performance.now();
        const failure = await store.appendMessages('one', [{ role: 'user', content: 'x' }]).catch((thrown) => thrown);
        expect(failure).toBeInstanceOf(HermesError);
        expect(String(failure)).toContain(file);
        expect(String(failure)).not.toContain('database is locked');
        expect(String(failure)).toContain('60 s');
        expect(performance.now() - start).toBeGreaterThanOrEqual(60_000);
        await expect(store.endSession('one', 'x')).rejects.toThrow('20 s');
      });
      await store.appendMessages('one', [{ role: 'user', content: 'y' }]);
      expect(await store.getConversation('one')).toEqual([{ role: 'user', content: 'y' }]);
    },
  );
}

async function withHeldLock(file: string, use: () => Promise<void>): Promise<void> {
  const { openDatabase } = await import('./driver.ts');
  const holder = openDatabase(file);
  holder.exec('BEGIN IMMEDIATE');
  try {
    await use();
  } finally {
    holder.close();
  }
}

function describeSessionFigures(): void {
  it('stores cost and billing of a session as the original does', async () => {
    const file = temporaryFile();
    const store = await openForTest({ file });
    await store.createSession({ id: 'one', source: 'cli', startedAt: 0 });
    const figures = () =>
      withDatabase(file, (database) => ({
        ...(database
          .prepare(
            'SELECT billing_provider, estimated_cost_usd AS estimated, actual_cost_usd AS actual, cost_status FROM sessions',
          )
          .get() as object),
      }));
    await store.recordCall('one', callRecord({ cost: { usd: 0.5, status: 'actual' } }));
    expect(figures()).toEqual({ billing_provider: 'example', estimated: 0.5, actual: 0.5, cost_status: 'actual' });
    // The provider of a session is the one that answers its chat.
    await store.recordCall(
      'one',
      callRecord({ purpose: 'mcp', provider: 'other', cost: { usd: 0, status: 'actual' } }),
    );
    expect(figures()).toMatchObject({ billing_provider: 'example', estimated: 0.5 });
    await store.recordCall('one', callRecord({ cost: { usd: 0.25, status: 'estimated' } }));
    expect(figures()).toMatchObject({ estimated: 0.75, actual: 0.5, cost_status: 'estimated' });
    const free = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 };
    await store.recordCall('one', callRecord({ usage: free, cost: { usd: 0, status: 'unknown' }, outcome: 'failed' }));
    expect(figures()).toMatchObject({ estimated: 0.75, actual: 0.5, cost_status: 'estimated' });
    await store.recordCall('one', callRecord({ cost: { usd: 0, status: 'unknown' } }));
    expect(figures()).toMatchObject({ estimated: 0.75, actual: 0.5, cost_status: 'unknown' });
  });
}
