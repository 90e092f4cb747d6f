import { readdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fullDoseOnly } from '../../../test/support/dose.ts';
import { HermesError } from '../../base/index.ts';
import { openForTest, startChild, tamper, temporaryFile, withDatabase } from './fixtures.ts';
import { checkIntegrity, openSqliteStore, optimizeDatabase, rebuildSearchIndex, repairDatabase } from './index.ts';

const MESSAGES = 20_000;

async function makeFile(messages = MESSAGES): Promise<string> {
  const file = temporaryFile();
  const store = await openForTest({ file });
  await store.createSession({ id: 'one', source: 'cli', startedAt: 0 });
  const contents = Array.from({ length: messages }, (_, number) => `message ${number} of many`);
  await store.appendMessages(
    'one',
    contents.map((content) => ({ role: 'user', content })),
  );
  await store.close();
  return file;
}

/** Whether the event loop ran before the work was done. Work in this thread would block it. */
async function leavesRoom(work: () => Promise<unknown>): Promise<boolean> {
  let hadTurn = false;
  setImmediate(() => (hadTurn = true));
  await work();
  return hadTurn;
}

/** The files that a repair has written so far. */
const repairFiles = (file: string) => readdirSync(dirname(file)).filter((name) => name.includes('repaired'));

describe('long tasks', () => {
  it('do not block this thread: timers and signals still work', async () => {
    const file = await makeFile(10);
    expect(await leavesRoom(() => checkIntegrity(file))).toBe(true);
    expect(await leavesRoom(() => optimizeDatabase(file))).toBe(true);
    expect(await leavesRoom(() => rebuildSearchIndex(file))).toBe(true);
    expect(await leavesRoom(() => repairDatabase(file, `${file}.repaired`))).toBe(true);
  });

  it('include migrating an old file, and only that', async () => {
    const file = await makeFile(10);
    const open = async () => (await openSqliteStore({ file })).close();
    expect(await leavesRoom(open)).toBe(false);
    withDatabase(file, (database) => database.exec('UPDATE schema_version SET version = 3'));
    expect(await leavesRoom(open)).toBe(true);
    expect(await leavesRoom(open)).toBe(false);
    const fresh = temporaryFile();
    expect(await leavesRoom(async () => (await openSqliteStore({ file: fresh })).close())).toBe(false);
  });

  it('include rebuilding a corrupt search index on the way to something else', async () => {
    const file = await makeFile(10);
    const store = await openForTest({ file });
    const append = () => store.appendMessages('one', [{ role: 'user', content: 'walrus' }]);
    expect(await leavesRoom(append)).toBe(false);
    tamper(file, "UPDATE messages_fts_data SET block = X'00112233445566'");
    expect(await leavesRoom(() => Promise.all([append(), append()]))).toBe(true);
    expect((await store.searchMessages({ text: 'walrus' })).hits).toHaveLength(3);
  });

  it('pass errors on as they were thrown', async () => {
    const failure = await optimizeDatabase('/dev/null/state.db').catch((thrown: unknown) => thrown);
    expect(failure).toBeInstanceOf(HermesError);
    expect(failure).toMatchObject({ message: expect.stringContaining('/dev/null/state.db'), name: 'HermesError' });
    expect((failure as HermesError).hint).toContain('HERMES_HOME');
  });

  it('do not start if the signal is already aborted', async () => {
    const file = await makeFile(10);
    const reason = new HermesError('Stopped.');
    await expect(optimizeDatabase(file, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });
});

describe('aborting a task', () => {
  it('ends a repair without leftover files, and keeps the corrupt file unchanged', fullDoseOnly, async () => {
    const file = await makeFile();
    const before = readFileSync(file);
    const stop = new AbortController();
    const reason = new HermesError('Stopped.');
    const repaired = repairDatabase(file, `${file}.repaired`, { signal: stop.signal });
    // Aborts as soon as the new file exists.
    const watch = () => (repairFiles(file).length > 0 ? stop.abort(reason) : void setImmediate(watch));
    watch();
    await expect(repaired).rejects.toBe(reason);
    expect(repairFiles(file)).toEqual([]);
    expect(readFileSync(file).equals(before)).toBe(true);
    const report = await repairDatabase(file, `${file}.repaired`);
    expect(report.tables[1]).toEqual({ table: 'messages', rows: MESSAGES, lost: 0 });
    expect(repairFiles(file)).toEqual(['state.db.repaired']);
  });

  it('ends an optimisation, and nothing is lost', fullDoseOnly, async () => {
    const file = await makeFile();
    const stop = new AbortController();
    const reason = new HermesError('Stopped.');
    const optimised = optimizeDatabase(file, { signal: stop.signal });
    setImmediate(() => stop.abort(reason));
    await expect(optimised).rejects.toBe(reason);
    expect((await checkIntegrity(file)).state).toBe('sound');
    expect(await (await openForTest({ file })).getConversation('one')).toHaveLength(MESSAGES);
  });

  it('takes effect immediately, whatever the task is waiting for', fullDoseOnly, async () => {
    const file = await makeFile(10);
    const holder = startChild('hold', file);
    await holder.line(1);
    const child = startChild('optimize', file);
    await child.line(1);
    child.process.kill('SIGINT');
    expect(await child.ended).toEqual({ lines: ['begun', 'interrupted'], errors: '' });
    holder.process.stdin?.write('release\n');
    await holder.ended;
    expect(await (await openForTest({ file })).getConversation('one')).toHaveLength(10);
  });
});
