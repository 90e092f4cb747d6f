import { describe, expect } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import { openForTest, temporaryFile, withDatabase } from './fixtures.ts';

// Written out instead of taken from the schema file: this is what another program expects.
const SESSION_COLUMNS = `id source user_id model model_config system_prompt parent_session_id started_at ended_at
end_reason message_count tool_call_count input_tokens output_tokens cache_read_tokens cache_write_tokens
reasoning_tokens billing_provider billing_base_url billing_mode estimated_cost_usd actual_cost_usd cost_status
cost_source pricing_version title`.split(/\s+/);
const MESSAGE_COLUMNS = `id session_id role content tool_call_id tool_calls tool_name timestamp token_count
finish_reason reasoning reasoning_details codex_reasoning_items`.split(/\s+/);

async function fileWithSession(): Promise<string> {
  const file = temporaryFile();
  const store = await openForTest({ file });
  await store.createSession({ id: 'ours', source: 'cli', startedAt: 1_700_000_000_000, model: 'model-1' });
  await store.appendMessages('ours', [
    { role: 'user', content: 'Where is the walrus?', sentContent: 'Where is the walrus? (marked)' },
    { role: 'assistant', content: 'On the ice.', finishReason: 'stop', producer: 'somewhere' },
  ]);
  const turn = { sessionId: 'ours', taskId: 't', startedAt: 1, endedAt: 2, exitReason: 'completed' } as const;
  await store.recordTurn({ ...turn, apiCalls: 1, toolCalls: 0, model: 'model-1', provider: 'p' });
  return file;
}

const plain = (rows: unknown[]) => rows.map((row) => ({ ...(row as object) }));

describe('the original on one of our files', () => {
  verifies('STORE-1', 'finds its tables, columns, indexes, triggers and version', async () => {
    const file = await fileWithSession();
    withDatabase(file, (database) => {
      const names = (sql: string) =>
        database
          .prepare(sql)
          .all()
          .map((row) => Object.values(row as object)[0]);
      expect(names("SELECT name FROM pragma_table_info('sessions') ORDER BY cid")).toEqual(SESSION_COLUMNS);
      const messages = names("SELECT name FROM pragma_table_info('messages') ORDER BY cid");
      expect(messages).toEqual([
        ...MESSAGE_COLUMNS,
        'sent_content',
        'producer',
        'tool_status',
        'copy_of',
        'attachments',
      ]);
      expect(names("SELECT name FROM sqlite_master WHERE name LIKE 'idx_sessions%' ORDER BY name")).toEqual([
        'idx_sessions_parent',
        'idx_sessions_source',
        'idx_sessions_started',
        'idx_sessions_title_unique',
      ]);
      const triggers =
        "SELECT name FROM sqlite_master WHERE type = 'trigger' AND name LIKE 'messages_fts%' ORDER BY name";
      expect(names(triggers)).toEqual(['messages_fts_delete', 'messages_fts_insert', 'messages_fts_update']);
      expect(names('SELECT version FROM schema_version')).toEqual([6]);
    });
  });

  verifies('STORE-1', 'reads, searches and lists what we wrote, with plain SQL', async () => {
    withDatabase(await fileWithSession(), (database) => {
      const rows = database.prepare('SELECT role, content, timestamp FROM messages ORDER BY timestamp, id').all();
      expect(plain(rows)).toMatchObject([{ role: 'user', content: 'Where is the walrus?' }, { role: 'assistant' }]);
      const found = database
        .prepare(
          `SELECT m.id, snippet(messages_fts, 0, '>>>', '<<<', '…', 40) AS snippet FROM messages_fts
           JOIN messages m ON m.id = messages_fts.rowid WHERE messages_fts MATCH ? ORDER BY rank`,
        )
        .all('walrus');
      expect(plain(found)).toEqual([{ id: 1, snippet: 'Where is the >>>walrus<<<?' }]);
      const list = database
        .prepare('SELECT id, started_at, message_count FROM sessions ORDER BY started_at DESC')
        .all();
      expect(plain(list)).toEqual([{ id: 'ours', started_at: 1_700_000_000, message_count: 2 }]);
    });
  });

  verifies('STORE-1', 'writes concurrently, and we read it', async () => {
    const file = await fileWithSession();
    withDatabase(file, (database) => {
      database.exec(`INSERT INTO sessions (id, source, started_at) VALUES ('theirs', 'telegram', 1700000100.5);
        INSERT INTO messages (session_id, role, content, timestamp) VALUES ('theirs', 'session_meta', '{}', 1700000101);
        INSERT INTO messages (session_id, role, content, tool_calls, timestamp, finish_reason) VALUES ('theirs',
          'assistant', 'Look:', '[{"id": "c1", "function": {"name": "x", "arguments": "{}"}}]', 1700000102, 'tool_calls');
        INSERT INTO messages (session_id, role, content, tool_call_id, timestamp) VALUES ('theirs', 'tool', X'00ff', 'c1', 1700000103);
        UPDATE messages SET content = 'Seal' WHERE content = 'On the ice.';`);
    });
    const store = await openForTest({ file });
    expect(await store.getConversation('theirs')).toEqual([
      {
        role: 'assistant',
        content: 'Look:',
        toolCalls: [{ id: 'c1', name: 'x', arguments: '{}' }],
        finishReason: 'tool_calls',
      },
      { role: 'tool', content: '', toolCallId: 'c1', toolName: '' },
    ]);
    expect((await store.latestSession())?.id).toBe('ours');
    expect(await store.resolveSession('thei')).toMatchObject({ source: 'telegram', startedAt: 1_700_000_100_500 });
  });

  verifies('STORE-1', 'deletes one of our sessions, including its turns', async () => {
    const file = await fileWithSession();
    withDatabase(file, (database) => {
      database.exec("PRAGMA foreign_keys = ON; DELETE FROM messages; DELETE FROM sessions WHERE id = 'ours'");
      database.exec("INSERT INTO messages_fts(messages_fts) VALUES ('integrity-check')");
    });
    const store = await openForTest({ file });
    expect(await store.getSession('ours')).toBeUndefined();
    expect(await store.getTurns('ours')).toEqual([]);
  });
});
