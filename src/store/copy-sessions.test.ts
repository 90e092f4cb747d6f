import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import { openForTest, useServer } from '../../test/support/postgres/store-fixture.ts';
import type { SessionStore } from '../contracts/index.ts';
import { callRecord, START } from './conformance/store-harness.ts';
import { copySessions } from './index.ts';
import { openSqliteStore } from './sqlite/index.ts';

const { emptyDatabase } = useServer();
const user = (content: string) => ({ role: 'user', content }) as const;

async function openFile(): Promise<SessionStore> {
  const folder = mkdtempSync(join(tmpdir(), 'hermes-copy-'));
  const store = await openSqliteStore({ file: join(folder, 'state.db') });
  onTestFinished(async () => {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return store;
}

/** A lineage with a blob, a branch, a subagent, unusual text, a turn and calls. */
async function fill(store: SessionStore): Promise<void> {
  await store.createSession({
    id: 'one',
    source: 'cli',
    startedAt: START,
    title: 'Walrus',
    systemPrompt: 'be\0 brief',
  });
  const { hash, size } = await store.putBlob('one', Buffer.from('picture'), 'image/png');
  const attachment = { kind: 'image', mediaType: 'image/png', name: 'a.png', hash, size } as const;
  await store.appendMessages('one', [{ ...user('odd \0 \uffff 海象'), attachments: [attachment] }]);
  const call = { id: 'c1', name: 'terminal', arguments: '{"command":"ls\\u0000"}' };
  await store.appendMessages('one', [{ role: 'assistant', content: '', toolCalls: [call] }], callRecord());
  const result = { role: 'tool', toolCallId: 'c1', toolName: 'terminal', content: 'a\nb' } as const;
  await store.appendMessages('one', [result], undefined, { toolStatus: { c1: 'error' } });
  const turn = {
    sessionId: 'one',
    taskId: 't',
    startedAt: START,
    endedAt: START + 5,
    exitReason: 'completed',
  } as const;
  await store.recordTurn({ ...turn, apiCalls: 1, toolCalls: 1, model: 'm', provider: 'p' });
  const [first] = await store.getMessages('one');
  await store.splitSession('one', { id: 'two', source: 'cli', startedAt: START + 10 }, [
    { message: user('a summary'), isReplacement: true },
    { copyOf: first?.id ?? 0 },
  ]);
  await store.branchSession('two', { id: 'three', source: 'cli', startedAt: START + 20 });
  await store.createSession({ id: 'sub', source: 'subagent', startedAt: START + 30, parentSessionId: 'two' });
  await store.recordCall('sub', callRecord({ cost: { usd: 0.5, status: 'unknown' } }));
}

async function everything(store: SessionStore): Promise<unknown[]> {
  const records = [];
  for await (const record of store.exportAll()) records.push(record);
  return records;
}

describe('copying sessions from store to store', () => {
  verifies('STORE-6', 'from a file to PostgreSQL and back, nothing is lost', async () => {
    const [file, database, again] = [
      await openFile(),
      await openForTest({ url: await emptyDatabase() }),
      await openFile(),
    ];
    await fill(file);
    expect(await copySessions(file, database)).toMatchObject({ sessions: 4, copied: 4, different: [], notes: [] });
    expect(await everything(database)).toEqual(await everything(file));
    await copySessions(database, again);
    expect(await everything(again)).toEqual(await everything(file));
    expect((await database.searchMessages({ text: '海象' })).hits).toHaveLength(1);
    expect(await database.statistics()).toEqual(await file.statistics());
  });

  verifies('STORE-6', 'a second run copies nothing, and completes sessions that continued since', async () => {
    const [file, database] = [await openFile(), await openForTest({ url: await emptyDatabase() })];
    await fill(file);
    await copySessions(file, database);
    expect(await copySessions(file, database)).toMatchObject({ copied: 0, continued: 0, present: 4, different: [] });
    await file.appendMessages('three', [user('more')], callRecord());
    await copySessions(file, database);
    await file.appendMessages('three', [user('and more')], callRecord());
    expect(await copySessions(file, database)).toMatchObject({ copied: 0, continued: 1, present: 3, different: [] });
    // A replaced session comes last in the target, but its content is the same.
    const byId = (store: SessionStore) => everything(store).then((records) => new Set(records));
    expect(await byId(database)).toEqual(await byId(file));
    expect(await database.sessionSpending('three')).toEqual({ usd: 0.5, tokens: 260, unpriced: 0 });
  });

  it('sessions that diverged are not changed, and are reported', async () => {
    const [file, database] = [await openFile(), await openForTest({ url: await emptyDatabase() })];
    await fill(file);
    await copySessions(file, database);
    await file.appendMessages('three', [user('here')]);
    await database.appendMessages('three', [user('there')]);
    const report = await copySessions(file, database);
    expect(report.different).toEqual([{ id: 'three', reason: expect.stringContaining('continued in both stores') }]);
    expect((await database.getConversation('three')).at(-1)).toEqual(user('there'));
  });

  verifies('STORE-6', 'continues where it was interrupted', async () => {
    const [file, database] = [await openFile(), await openForTest({ url: await emptyDatabase() })];
    await fill(file);
    const stop = new AbortController();
    const stopped = copySessions(file, database, {
      signal: stop.signal,
      onProgress: ({ done }) => done === 2 && stop.abort(new Error('enough')),
    });
    await expect(stopped).rejects.toThrow('enough');
    expect(await copySessions(file, database)).toMatchObject({ copied: 2, present: 2, different: [] });
    expect(await everything(database)).toEqual(await everything(file));
  });

  verifies('STORE-6', 'the cost of deleted sessions is copied, once', async () => {
    const [file, database, again] = [
      await openFile(),
      await openForTest({ url: await emptyDatabase() }),
      await openFile(),
    ];
    await fill(file);
    await file.createSession({ id: 'gone', source: 'cli', startedAt: START });
    await file.recordCall('gone', callRecord({ cost: { usd: 3, status: 'actual' } }));
    await file.recordCall('gone', callRecord({ cost: { usd: 4, status: 'actual' } }));
    await file.deleteSession('gone');
    const spent = await file.spendingSince(0);
    expect(await copySessions(file, database)).toMatchObject({ copied: 4, removedCalls: 2 });
    expect(await copySessions(file, database)).toMatchObject({ present: 4, removedCalls: 0 });
    expect(await copySessions(database, again)).toMatchObject({ copied: 4, removedCalls: 2 });
    expect([await database.spendingSince(0), await again.spendingSince(0)]).toEqual([spent, spent]);
  });

  it('undone messages are not copied, and the user is informed', async () => {
    const [file, database] = [await openFile(), await openForTest({ url: await emptyDatabase() })];
    await file.createSession({ id: 'one', source: 'cli', startedAt: START });
    await file.appendMessages('one', [user('first'), user('second'), user('third')]);
    const messages = await file.getMessages('one');
    await file.undoMessages('one', messages[1]?.id ?? -1);
    expect((await copySessions(file, database)).notes).toEqual([
      'Session one: its undone messages (2) were not copied and cannot be restored there.',
    ]);
    expect(await copySessions(file, database)).toMatchObject({ present: 1, different: [], notes: [] });
  });
});
