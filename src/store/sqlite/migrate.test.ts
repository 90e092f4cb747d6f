import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import { dose, someOf, fullDoseOnly } from '../../../test/support/dose.ts';
import type { SqliteDatabase } from './driver.ts';
import { openForTest, startChild, temporaryFile, withDatabase } from './fixtures.ts';
import { columnNames } from './inspect.ts';
import { CREATE_SEARCH_INDEX, CREATE_TABLES, CREATE_TITLE_INDEX } from './schema.ts';

/** The tables of version 1, with one session and two messages. */
const SCHEMA_1 = `
CREATE TABLE schema_version (version INTEGER NOT NULL);
INSERT INTO schema_version VALUES (1);
CREATE TABLE sessions (
  id TEXT PRIMARY KEY, source TEXT NOT NULL, user_id TEXT, model TEXT, model_config TEXT, system_prompt TEXT,
  parent_session_id TEXT, started_at REAL NOT NULL, ended_at REAL, end_reason TEXT, message_count INTEGER DEFAULT 0,
  tool_call_count INTEGER DEFAULT 0, input_tokens INTEGER DEFAULT 0, output_tokens INTEGER DEFAULT 0,
  FOREIGN KEY (parent_session_id) REFERENCES sessions(id)
);
CREATE TABLE messages (
  id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL REFERENCES sessions(id), role TEXT NOT NULL,
  content TEXT, tool_call_id TEXT, tool_calls TEXT, tool_name TEXT, timestamp REAL NOT NULL, token_count INTEGER
);
${CREATE_SEARCH_INDEX}
INSERT INTO sessions (id, source, started_at, input_tokens) VALUES ('old', 'cli', 1700000000.25, 12);
INSERT INTO messages (session_id, role, content, timestamp) VALUES ('old', 'system', 'You are…', 1700000001);
INSERT INTO messages (session_id, role, content, timestamp) VALUES ('old', 'user', 'Find the walrus', 1700000001.5);
INSERT INTO messages (session_id, role, content, tool_calls, timestamp) VALUES ('old', 'assistant', NULL,
  '[{"id": "call_1", "function": {"name": "terminal", "arguments": "{}"}}]', 1700000002);
`;

const SCHEMA_3 = `${SCHEMA_1}
ALTER TABLE messages ADD COLUMN finish_reason TEXT;
ALTER TABLE sessions ADD COLUMN title TEXT;
UPDATE schema_version SET version = 3;
UPDATE sessions SET title = 'Walrus';
INSERT INTO sessions (id, source, started_at, title) VALUES ('later', 'cli', 1700000009, 'Walrus');
INSERT INTO sessions (id, source, started_at, title) VALUES ('taken', 'cli', 1700000005, 'Walrus #2');
`;

function make(sql: string): string {
  const file = temporaryFile();
  withDatabase(file, (database) => database.exec(sql));
  return file;
}

const all = (file: string, sql: string) =>
  withDatabase(file, (database) =>
    database
      .prepare(sql)
      .all()
      .map((row) => Object.values(row as object)),
  );

const columns = (file: string) =>
  withDatabase(file, (database: SqliteDatabase) =>
    ['sessions', 'messages', 'model_calls', 'turns'].map((table) => [...columnNames(database, table)].sort()),
  );

describe('migrations', () => {
  for (const [name, sql] of [
    ['1', SCHEMA_1],
    ['3', SCHEMA_3],
  ] as const) {
    verifies('STORE-1', `a file of version ${name} is migrated to 6 and can be used`, async () => {
      const file = make(sql);
      const store = await openForTest({ file });
      expect(await store.getConversation('old')).toEqual([
        { role: 'user', content: 'Find the walrus' },
        { role: 'assistant', content: '', toolCalls: [{ id: 'call_1', name: 'terminal', arguments: '{}' }] },
      ]);
      await store.appendMessages('old', [{ role: 'user', content: 'Another walrus', sentContent: 'x' }]);
      expect(await store.getConversation('old')).toHaveLength(3);
      const session = await store.getSession('old');
      expect(session).toMatchObject({ startedAt: 1_700_000_000_250, usage: { input: 12, cacheRead: 0 } });
      expect(all(file, 'SELECT version FROM schema_version')).toEqual([[6]]);
      expect(all(file, "SELECT rowid FROM messages_fts WHERE messages_fts MATCH 'walrus'")).toEqual([[2], [4]]);
      const fresh = temporaryFile();
      await openForTest({ file: fresh });
      expect(columns(file)).toEqual(columns(fresh));
    });
  }

  verifies('STORE-1', 'duplicate titles get a number, and the original file is backed up', async () => {
    const file = make(SCHEMA_3);
    await openForTest({ file });
    const titles = 'SELECT id, title FROM sessions ORDER BY started_at';
    expect(all(file, titles)).toEqual([
      ['old', 'Walrus'],
      ['taken', 'Walrus #2'],
      ['later', 'Walrus #3'],
    ]);
    const backup = `${file}.before-titles`;
    expect(all(backup, titles)[2]).toEqual(['later', 'Walrus']);
    expect(statSync(backup).mode & 0o777).toBe(0o600);
  });

  it('makes no backup if nothing is rewritten', async () => {
    const file = make(SCHEMA_1);
    await openForTest({ file });
    expect(existsSync(`${file}.before-titles`)).toBe(false);
  });

  describeRepeats();
  describeInterruptions();
});

function describeRepeats(): void {
  verifies('STORE-1', 'steps that were already done can be repeated', async () => {
    for (const version of someOf([1, 2, 3, 4, 5], 2)) {
      const file = make(SCHEMA_1);
      await (await openForTest({ file })).close();
      withDatabase(file, (database) => {
        database.exec(`UPDATE schema_version SET version = ${version}; DELETE FROM hermes_ts_version`);
      });
      const store = await openForTest({ file });
      expect(await store.getConversation('old')).toHaveLength(2);
      expect(all(file, 'SELECT version FROM schema_version')).toEqual([[6]]);
    }
  });

  verifies('STORE-1', 'opening a current file does not change it', async () => {
    const file = temporaryFile();
    await (await openForTest({ file })).close();
    const before = readFileSync(file);
    await (await openForTest({ file })).close();
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  it('completes what the original had started when it was interrupted', async () => {
    const begun = make('CREATE TABLE schema_version (version INTEGER NOT NULL)');
    const further = make(`${CREATE_TABLES}${CREATE_TITLE_INDEX}
      INSERT INTO sessions (id, source, started_at) VALUES ('old', 'cli', 1);
      INSERT INTO messages (session_id, role, content, timestamp) VALUES ('old', 'user', 'Find the walrus', 1);`);
    for (const file of [begun, further]) {
      await openForTest({ file });
      expect(all(file, 'SELECT version FROM schema_version')).toEqual([[6]]);
    }
    expect(all(further, "SELECT rowid FROM messages_fts WHERE messages_fts MATCH 'walrus'")).toEqual([[1]]);
  });
}

function describeInterruptions(): void {
  verifies(
    'STORE-1',
    'several processes that start at the same time migrate an old file once',
    fullDoseOnly,
    async () => {
      const processes = dose(3, 8);
      const file = make(SCHEMA_3);
      const children = Array.from({ length: processes }, (_, number) =>
        startChild('append', file, `new-${number}`, '5'),
      );
      const ends = await Promise.all(children.map((child) => child.ended));
      expect(ends.map(({ errors }) => errors)).toEqual(children.map(() => ''));
      const store = await openForTest({ file });
      for (let number = 0; number < processes; number += 1) {
        expect(await store.getConversation(`new-${number}`)).toHaveLength(5);
      }
      expect(all(file, "SELECT title FROM sessions WHERE id = 'later'")).toEqual([['Walrus #3']]);
      expect(all(`${file}.before-titles`, "SELECT title FROM sessions WHERE id = 'later'")).toEqual([['Walrus']]);
      expect(readdirSync(dirname(file)).filter((name) => name.endsWith('.tmp'))).toEqual([]);
    },
  );

  verifies(
    'STORE-1',
    'a migration that was killed is repeated from the start, with a complete backup',
    fullDoseOnly,
    async () => {
      for (const attempt of someOf([0, 1, 2, 3, 4, 5], 2)) {
        const file = make(SCHEMA_3);
        const child = startChild('append', file, 'new', '1');
        // Killed at different moments, from before the migration to after it; the transaction makes every moment safe.
        await new Promise((resolve) => setTimeout(resolve, 40 + attempt * 25));
        child.process.kill('SIGKILL');
        await child.ended;
        const store = await openForTest({ file });
        expect(await store.getConversation('old')).toHaveLength(2);
        expect(all(file, 'SELECT title FROM sessions ORDER BY started_at').slice(0, 3)).toEqual([
          ['Walrus'],
          ['Walrus #2'],
          ['Walrus #3'],
        ]);
        expect(all(`${file}.before-titles`, 'SELECT COUNT(*) FROM sessions')).toEqual([[3]]);
      }
    },
  );

  it('ignores a partial backup, and deletes staging files of killed processes', async () => {
    const file = make(SCHEMA_3);
    const ended = startChild('nothing', file);
    await ended.ended;
    const half = (pid: number | undefined) => `${file}.before-titles.${pid}.tmp`;
    const left = [half(process.pid), half(ended.process.pid), `${half(ended.process.pid)}-journal`];
    // Files that a running process is writing are kept.
    const others = [half(process.ppid), `${file}.before-titles.mine.tmp`];
    for (const path of [...left, ...others]) writeFileSync(path, 'half');
    await openForTest({ file });
    expect(all(`${file}.before-titles`, 'SELECT COUNT(*) FROM sessions')).toEqual([[3]]);
    expect(left.filter((path) => existsSync(path))).toEqual([]);
    expect(others.filter((path) => existsSync(path))).toEqual(others);
  });

  it('numbers thousands of equal titles quickly, and none becomes too long', async () => {
    const file = make(`${SCHEMA_3}
      WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 5000)
      INSERT INTO sessions (id, source, started_at, title) SELECT 's' || n, 'cli', n, printf('%.*c', 98, 'x') FROM n`);
    await openForTest({ file });
    expect(all(file, 'SELECT COUNT(DISTINCT title), MAX(length(title)) FROM sessions')).toEqual([[5003, 100]]);
  });

  verifies('STORE-1', 'a file of our first version gets everything that was added later', async () => {
    const file = temporaryFile();
    const first = await openForTest({ file });
    await first.createSession({ id: 'one', source: 'cli', startedAt: 0 });
    await first.appendMessages('one', [{ role: 'user', content: 'x' }]);
    await first.close();
    withDatabase(file, (database) =>
      database.exec(`DROP INDEX idx_messages_copies; ALTER TABLE messages DROP COLUMN copy_of;
        ALTER TABLE messages DROP COLUMN tool_status; ALTER TABLE messages DROP COLUMN attachments; DROP TABLE session_leases; DROP TABLE blob_references;
        DROP TABLE session_removals; DROP TABLE session_branches; ALTER TABLE model_calls DROP COLUMN purpose;
        UPDATE hermes_ts_version SET version = 1`),
    );
    const store = await openForTest({ file });
    expect(await store.getConversation('one')).toHaveLength(1);
    expect((await store.acquireLease('one', { pid: 1, host: 'x', surface: 'x' }, 1000)).acquired).toBe(true);
    expect(all(file, 'SELECT MAX(version) FROM hermes_ts_version')[0]?.[0]).toBeGreaterThan(1);
  });
}
