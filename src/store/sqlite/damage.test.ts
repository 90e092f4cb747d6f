import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import { type HermesError, systemClock } from '../../base/index.ts';
import { type Logger, silentLogger } from '../../contracts/index.ts';
import { openForTest, tamper, temporaryFile, withDatabase } from './fixtures.ts';
import { checkIntegrity, rebuildSearchIndex, repairDatabase } from './index.ts';

const SESSIONS = 20;
const MESSAGES = 50;

/** Creates a database file with many sessions and closes it. */
async function makeFile(): Promise<string> {
  const file = temporaryFile();
  const store = await openForTest({ file });
  for (let number = 0; number < SESSIONS; number += 1) {
    const id = `session-${number}`;
    await store.createSession({ id, source: 'cli', startedAt: 1000 + number, title: `Title ${number}` });
    const contents = Array.from({ length: MESSAGES }, (_, index) => `${id} message ${index} a\0b ${'x'.repeat(200)}`);
    await store.appendMessages(
      id,
      contents.map((content) => ({ role: 'user', content })),
    );
  }
  await store.close();
  return file;
}

/** The page numbers of a table, from 1. */
function pagesOf(file: string, table: string): number[] {
  const sql = 'SELECT pageno FROM dbstat WHERE name = ? AND pagetype = ?';
  return withDatabase(file, (database) =>
    (database.prepare(sql).all(table, 'leaf') as { pageno: number }[]).map((row) => row.pageno),
  );
}

function wipePages(file: string, pages: readonly number[]): Buffer {
  const bytes = readFileSync(file);
  for (const page of pages) bytes.fill(0xa5, (page - 1) * 4096, page * 4096);
  writeFileSync(file, bytes);
  return bytes;
}

const recordingLogger = (): Logger & { lines: string[] } => {
  const lines: string[] = [];
  return { ...silentLogger, warn: (message) => void lines.push(message), lines };
};

describe('a corrupt search index', () => {
  const DAMAGE = "UPDATE messages_fts_data SET block = X'00112233445566'";

  it('is rebuilt as soon as it causes an error, and that is logged', async () => {
    const file = await makeFile();
    const logger = recordingLogger();
    const store = await openForTest({ file, logger });
    tamper(file, DAMAGE);
    expect((await checkIntegrity(file)).state).toBe('search');
    await store.appendMessages('session-0', [{ role: 'user', content: 'walrus' }]);
    expect(logger.lines.join(' ')).toMatch(/search index .* has been rebuilt; no message was lost/);
    expect(await checkIntegrity(file)).toEqual({ file, state: 'sound', problems: [] });
    const count = withDatabase(file, (database) =>
      database.prepare("SELECT COUNT(*) AS n FROM messages_fts WHERE messages_fts MATCH 'walrus OR message'").get(),
    );
    expect(count).toEqual({ n: SESSIONS * MESSAGES + 1 });
    expect(await store.getConversation('session-0')).toHaveLength(MESSAGES + 1);
  });

  it('is not rebuilt again if it becomes corrupt immediately', async () => {
    const file = await makeFile();
    const store = await openForTest({ file, clock: systemClock });
    const append = (content: string) => store.appendMessages('session-0', [{ role: 'user', content }]);
    tamper(file, DAMAGE);
    await append('once');
    tamper(file, DAMAGE);
    await expect(append('twice')).rejects.toThrow(/damaged search index/);
  });

  it('is rebuilt on request, with a note', async () => {
    const file = await makeFile();
    tamper(file, DAMAGE);
    expect((await rebuildSearchIndex(file)).note).toContain(file);
    expect((await checkIntegrity(file)).state).toBe('sound');
  });
});

describe('checkIntegrity', () => {
  it('distinguishes an intact, a missing and a corrupt file, and one that is not a database', async () => {
    const file = await makeFile();
    expect(await checkIntegrity(file)).toEqual({ file, state: 'sound', problems: [] });
    const missing = join(dirname(file), 'missing.db');
    expect((await checkIntegrity(missing)).state).toBe('missing');
    expect(existsSync(missing)).toBe(false);
    const before = wipePages(file, pagesOf(file, 'messages').slice(3, 5));
    const damaged = await checkIntegrity(file);
    expect(damaged.state).toBe('damaged');
    expect(damaged.problems.length).toBeGreaterThan(0);
    expect(readFileSync(file).equals(before)).toBe(true);
    writeFileSync(missing, 'This is a text.'.repeat(1000));
    expect((await checkIntegrity(missing)).state).toBe('damaged');
  });
});

describe('repairDatabase', () => {
  it('copies what can be read into a new file, and keeps the corrupt one', async () => {
    const file = await makeFile();
    const pages = pagesOf(file, 'messages');
    const before = wipePages(file, [pages[2] ?? 0, pages[10] ?? 0, pages.at(-1) ?? 0]);
    const target = `${file}.repaired`;
    const report = await repairDatabase(file, target);
    const messages = report.tables.find(({ table }) => table === 'messages');
    expect(messages?.rows).toBeGreaterThan(SESSIONS * MESSAGES * 0.9);
    expect(messages?.rows).toBeLessThan(SESSIONS * MESSAGES);
    expect((messages?.rows ?? 0) + (messages?.lost ?? 0)).toBe(SESSIONS * MESSAGES);
    expect(report.tables[0]).toEqual({ table: 'sessions', rows: SESSIONS, lost: 0 });
    expect(readFileSync(file).equals(before)).toBe(true);
    expect(statSync(target).mode & 0o777).toBe(0o600);
    expect((await checkIntegrity(target)).state).toBe('sound');
    const store = await openForTest({ file: target });
    const conversation = await store.getConversation('session-5');
    expect((await store.getSession('session-5'))?.messageCount).toBe(conversation.length);
    expect(conversation[0]?.content).toMatch(/^session-\d+ message \d+ a\0b x+$/);
    await store.appendMessages('session-5', [{ role: 'user', content: 'and on' }]);
  });

  it('recreates sessions of which only messages are left', async () => {
    const file = await makeFile();
    wipePages(file, pagesOf(file, 'sessions').slice(0, 1));
    const report = await repairDatabase(file, `${file}.repaired`);
    expect(report.sessionsMadeUp).toBeGreaterThan(0);
    const store = await openForTest({ file: `${file}.repaired` });
    const sessions = await store.listSessions({ limit: 100 });
    expect(sessions).toHaveLength(SESSIONS);
    expect(sessions.filter(({ source }) => source === 'recovered')).toHaveLength(report.sessionsMadeUp);
    for (const { id } of sessions) expect(await store.getConversation(id)).toHaveLength(MESSAGES);
  });

  it('copies an intact file completely, with its lineage', async () => {
    const file = await makeFile();
    const store = await openForTest({ file });
    const [first] = await store.getMessages('session-1');
    const child = { id: 'child', source: 'cli', startedAt: 9000 };
    await store.splitSession('session-1', child, [{ copyOf: first?.id ?? 0 }]);
    await store.close();
    const report = await repairDatabase(file, `${file}.repaired`);
    expect(report.tables.every(({ lost }) => lost === 0)).toBe(true);
    const [old, repaired] = [await openForTest({ file }), await openForTest({ file: `${file}.repaired` })];
    for (const id of ['session-1', 'session-19', 'child']) {
      expect(await repaired.getSession(id)).toEqual(await old.getSession(id));
      expect(await repaired.getMessages(id)).toEqual(await old.getMessages(id));
    }
  });

  it('overwrites nothing, and reports if nothing can be read', async () => {
    const file = await makeFile();
    const failure = (from: string, to: string) =>
      repairDatabase(from, to).then(
        () => undefined,
        (thrown: HermesError) => thrown,
      );
    expect((await failure(file, file))?.message).toContain('already exists');
    const text = join(dirname(file), 'text.db');
    writeFileSync(text, 'This is a text.'.repeat(1000));
    expect((await failure(text, `${file}.x`))?.hint).toContain('.recover');
    expect(existsSync(`${file}.x`)).toBe(false);
    expect((await failure(join(dirname(file), 'none'), `${file}.x`))?.message).toContain('does not exist');
  });
});

describe('a message store', () => {
  verifies('STORE-2', 'stores nothing of a step if the disk is full, and continues when there is space', async () => {
    const file = temporaryFile();
    await (await openForTest({ file })).close();
    const { openDatabase } = await import('./driver.ts');
    const { createConnection } = await import('./connection.ts');
    const { createSqliteDatabase } = await import('./sqlite-database.ts');
    const { createSessionStore } = await import('../operations/session-store.ts');
    const { createLazySearch } = await import('./lazy-search.ts');
    const database = openDatabase(file);
    const connection = createConnection({ database, file, clock: systemClock, logger: silentLogger });
    const store = createSessionStore(createSqliteDatabase(connection), createLazySearch(connection), {});
    await store.createSession({ id: 'one', source: 'cli', startedAt: 0 });
    const { page_count: pages } = database.prepare('PRAGMA page_count').get() as { page_count: number };
    database.exec(`PRAGMA max_page_count = ${pages + 8}`);
    const long = [{ role: 'user', content: 'x'.repeat(100_000) } as const];
    await store.appendMessages('one', [{ role: 'user', content: 'short' }]);
    await expect(store.appendMessages('one', long)).rejects.toThrow(`${file} cannot grow: the disk is full`);
    expect(await store.getConversation('one')).toHaveLength(1);
    expect((await store.getSession('one'))?.messageCount).toBe(1);
    database.exec('PRAGMA max_page_count = 1000000');
    await store.appendMessages('one', long);
    expect(await store.getConversation('one')).toHaveLength(2);
    await store.close();
  });
});
