import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import { fingerprintOf } from '../../base/index.ts';
import type { SessionStore } from '../../contracts/index.ts';
import { parseSessionExport } from '../session-export-format.ts';
import { openForTest, temporaryFile, withDatabase } from './fixtures.ts';
import { importFromOriginal } from './index.ts';

/** Rows that other programs may write and that SQLite accepts. */
const ODD = `
PRAGMA foreign_keys = OFF;
INSERT INTO sessions (id, source, started_at, parent_session_id, ended_at, end_reason, title) VALUES
  ('plain', 'cli', 100, NULL, NULL, NULL, NULL),
  ('circle-a', 'cli', 101, 'circle-b', 102, 'compression', NULL), ('circle-b', 'cli', 103, 'circle-a', 104, 'compression', NULL),
  ('itself', 'cli', 105, 'itself', 106, 'compression', NULL), ('orphan', 'cli', 107, 'gone', NULL, NULL, NULL),
  ('text-time', 'cli', '2024-05-06T07:08:09Z', NULL, 'yesterday', 'x', NULL), ('endless', 'cli', 9e999, NULL, NULL, NULL, NULL),
  ('far', 'cli', 9e15, NULL, NULL, NULL, NULL), ('long', 'cli', 108, NULL, NULL, NULL, printf('%.*c', 400, 'x') || char(10, 27));
INSERT INTO messages (session_id, role, content, timestamp) SELECT id, 'user', 'walrus in ' || id, started_at FROM sessions;
INSERT INTO messages (session_id, role, content, tool_call_id, tool_calls, tool_name, timestamp, finish_reason, reasoning,
  reasoning_details, codex_reasoning_items) VALUES
  ('plain', 'assistant', NULL, NULL, x'5b5d', NULL, 99, 7, x'ff', '{}', '7'),
  ('plain', 'tool', x'ffee', x'01', NULL, x'02', 98, NULL, NULL, NULL, NULL),
  ('plain', 'user', CAST(x'77616c72757320ff' AS TEXT), NULL, NULL, NULL, 'noon', NULL, NULL, NULL, NULL),
  ('plain', 'narrator', 'walrus', NULL, NULL, NULL, 97, NULL, NULL, NULL, NULL),
  ('gone', 'user', 'walrus of nobody', NULL, NULL, NULL, 97, NULL, NULL, NULL, NULL);
`;
const SESSIONS = 9;
const MESSAGES = 12;

async function fileWithOddRows(): Promise<{ file: string; store: SessionStore }> {
  const file = temporaryFile();
  const store = await openForTest({ file });
  withDatabase(file, (database) => database.exec(ODD));
  return { file, store };
}

describe('invalid rows of other programs', () => {
  verifies('STORE-1', 'are listed, read, searched and counted', async () => {
    const { store } = await fileWithOddRows();
    const sessions = await store.listSessions({ limit: 100 });
    expect(sessions).toHaveLength(SESSIONS);
    expect(sessions.every((session) => Number.isFinite(session.startedAt + session.lastActiveAt))).toBe(true);
    expect(await store.getSession('text-time')).toMatchObject({ startedAt: Date.UTC(2024, 4, 6, 7, 8, 9), endedAt: 0 });
    expect(await store.getConversation('plain')).toEqual([
      { role: 'user', content: 'walrus in plain' },
      { role: 'assistant', content: '' },
      { role: 'tool', content: '', toolCallId: '', toolName: '' },
      { role: 'user', content: 'walrus \ufffd' },
    ]);
    expect((await store.searchMessages({ text: 'walrus' })).hits).toHaveLength(SESSIONS + 1);
    // Only messages with a valid timestamp are counted.
    expect((await store.statistics()).messages).toEqual({ user: 6, assistant: 1, tool: 1 });
  });

  verifies('STORE-5', 'cycles in a lineage end every traversal', async () => {
    const { store } = await fileWithOddRows();
    for (const id of ['circle-a', 'circle-b', 'itself', 'orphan']) {
      expect((await store.newestInLineage(id))?.id).toBeDefined();
      expect((await store.getAncestors(id)).length + (await store.getDescendants(id)).length).toBeLessThan(3);
    }
  });

  it('survive an export, and an import from a file of the original', async () => {
    const { file, store } = await fileWithOddRows();
    const [fromLines, fromFile] = [temporaryFile(), temporaryFile()];
    const lines = await openForTest({ file: fromLines });
    for await (const record of store.exportAll()) {
      await lines.importSession(parseSessionExport(JSON.parse(JSON.stringify(record))));
    }
    const original = await openForTest({ file: fromFile });
    expect(await importFromOriginal(original, file)).toMatchObject({ imported: SESSIONS, messages: MESSAGES });
    for (const copy of [lines, original]) {
      expect(await copy.listSessions({ limit: 100 })).toHaveLength(SESSIONS);
      expect(await copy.getConversation('plain')).toHaveLength(4);
      expect((await copy.getSession('long'))?.title).toBe('x'.repeat(100));
    }
  });
});

describe('the tools of session setups', () => {
  verifies('CACHE-4', 'are told apart if their fingerprints are equal', async () => {
    const file = temporaryFile();
    const store = await openForTest({ file });
    const definition = { name: 'a', description: '', parameters: {} };
    const tools = [{ toolset: 'file', definition }];
    const fingerprint = fingerprintOf(JSON.stringify(tools));
    withDatabase(file, (database) =>
      database.prepare('INSERT INTO offered_tools (hash, tools) VALUES (?, ?)').run(fingerprint, '[]'),
    );
    for (const id of ['one', 'two']) {
      await store.createSession({ id, source: 'cli', startedAt: 0 });
      await store.setSessionSetup(id, { tools });
      expect(await store.getSessionSetup(id)).toEqual({ tools });
    }
    const stored = withDatabase(file, (database) => database.prepare('SELECT hash FROM offered_tools').all());
    expect(stored).toHaveLength(2);
  });
});
