import { createRequire } from 'node:module';
import type { DatabaseSync } from 'node:sqlite';

/** A column of the original's tables, and the schema version that added it. */
type Column = readonly [name: string, type: string, since: number];

const SESSIONS: readonly Column[] = [
  ['id', 'TEXT PRIMARY KEY', 1],
  ['source', 'TEXT NOT NULL', 1],
  ['user_id', 'TEXT', 1],
  ['model', 'TEXT', 1],
  ['model_config', 'TEXT', 1],
  ['system_prompt', 'TEXT', 1],
  ['parent_session_id', 'TEXT', 1],
  ['started_at', 'REAL NOT NULL', 1],
  ['ended_at', 'REAL', 1],
  ['end_reason', 'TEXT', 1],
  ['message_count', 'INTEGER DEFAULT 0', 1],
  ['tool_call_count', 'INTEGER DEFAULT 0', 1],
  ['input_tokens', 'INTEGER DEFAULT 0', 1],
  ['output_tokens', 'INTEGER DEFAULT 0', 1],
  ['cache_read_tokens', 'INTEGER DEFAULT 0', 5],
  ['cache_write_tokens', 'INTEGER DEFAULT 0', 5],
  ['reasoning_tokens', 'INTEGER DEFAULT 0', 5],
  ['billing_provider', 'TEXT', 5],
  ['billing_base_url', 'TEXT', 5],
  ['billing_mode', 'TEXT', 5],
  ['estimated_cost_usd', 'REAL', 5],
  ['actual_cost_usd', 'REAL', 5],
  ['cost_status', 'TEXT', 5],
  ['cost_source', 'TEXT', 5],
  ['pricing_version', 'TEXT', 5],
  ['title', 'TEXT', 2],
  ['session_key', 'TEXT', 8],
  ['chat_id', 'TEXT', 8],
  ['cwd', 'TEXT', 11],
  ['api_call_count', 'INTEGER', 11],
  ['handoff_state', 'TEXT', 14],
  ['archived', 'INTEGER DEFAULT 0', 16],
  ['system_prompt_hash', 'TEXT', 25],
  ['pinned', 'INTEGER DEFAULT 0', 26],
  ['transport_profile', 'TEXT', 30],
];
const MESSAGES: readonly Column[] = [
  ['id', 'INTEGER PRIMARY KEY AUTOINCREMENT', 1],
  ['session_id', 'TEXT NOT NULL', 1],
  ['role', 'TEXT NOT NULL', 1],
  ['content', 'TEXT', 1],
  ['tool_call_id', 'TEXT', 1],
  ['tool_calls', 'TEXT', 1],
  ['tool_name', 'TEXT', 1],
  ['timestamp', 'REAL NOT NULL', 1],
  ['token_count', 'INTEGER', 1],
  ['finish_reason', 'TEXT', 2],
  ['reasoning', 'TEXT', 6],
  ['reasoning_details', 'TEXT', 6],
  ['codex_reasoning_items', 'TEXT', 6],
  ['reasoning_content', 'TEXT', 8],
  ['platform_message_id', 'TEXT', 14],
  ['active', 'INTEGER DEFAULT 1', 16],
  ['compacted', 'INTEGER DEFAULT 0', 23],
  ['api_content', 'TEXT', 26],
  ['_compressed_summary', 'INTEGER', 30],
];

export type OriginalDatabaseOptions = {
  schema: number;
  /** Columns to leave out, as `table.column`. */
  without?: readonly string[];
  /** Leaves the connection open and everything in the write-ahead log, as a running program does. */
  keepOpen?: boolean;
};

/**
 * Writes a database as the original does at a schema version: columns that the version does not have yet are
 * missing. It has three sessions: one of three messages, its continuation after a compression, and one from a chat.
 */
export function writeOriginalDatabase(file: string, options: OriginalDatabaseOptions): DatabaseSync | undefined {
  const { schema, without = [], keepOpen } = options;
  const { DatabaseSync: Database } = createRequire(import.meta.url)('node:sqlite') as typeof import('node:sqlite');
  const database = new Database(file);
  database.exec('PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0;');
  const has = (table: string, [name, , since]: Column) => since <= schema && !without.includes(`${table}.${name}`);
  for (const [table, columns] of [
    ['sessions', SESSIONS],
    ['messages', MESSAGES],
  ] as const) {
    const present = columns.filter((column) => has(table, column)).map(([name, type]) => `${name} ${type}`);
    database.exec(`CREATE TABLE ${table} (${present.join(', ')})`);
  }
  database.exec(
    `CREATE TABLE schema_version (version INTEGER NOT NULL); INSERT INTO schema_version VALUES (${schema})`,
  );
  if (schema >= 25) {
    database.exec(`CREATE TABLE system_prompts (hash TEXT PRIMARY KEY, prompt TEXT);
      INSERT INTO system_prompts VALUES ('h1', 'Be kind.')`);
  }
  const insert = (table: 'sessions' | 'messages', row: Readonly<Record<string, string | number | null>>) => {
    const columns = (table === 'sessions' ? SESSIONS : MESSAGES).filter((column) => has(table, column));
    const names = columns.map(([name]) => name).filter((name) => Object.hasOwn(row, name));
    const marks = names.map(() => '?').join(', ');
    database
      .prepare(`INSERT INTO ${table} (${names.join(', ')}) VALUES (${marks})`)
      .run(...names.map((name) => row[name] ?? null));
  };
  fill(insert, schema);
  if (keepOpen) return database;
  database.close();
  return undefined;
}

type Insert = (table: 'sessions' | 'messages', row: Readonly<Record<string, string | number | null>>) => void;

const SUMMARY = '[CONTEXT COMPACTION — REFERENCE ONLY] Earlier turns were compacted.\n## Goal\nFind the walrus';

function fill(insert: Insert, schema: number): void {
  const prompt: Readonly<Record<string, string>> =
    schema >= 25 ? { system_prompt_hash: 'h1' } : { system_prompt: 'Be kind.' };
  insert('sessions', {
    ...{ id: '20260401_100000_aaaaaa', source: 'cli', model: 'm', started_at: 100, ended_at: 200 },
    ...{ end_reason: 'compression', title: 'Walrus', input_tokens: 7, output_tokens: 8, cwd: '/srv/walrus', ...prompt },
  });
  insert('sessions', {
    ...{ id: '20260401_100500_bbbbbb', source: 'cli', model: 'm', started_at: 200, ...prompt },
    ...{ parent_session_id: '20260401_100000_aaaaaa', title: 'Walrus #2' },
  });
  insert('sessions', { id: 'tg_1', source: 'telegram', model: 'm', started_at: 300, archived: 1, ...prompt });
  const first = '20260401_100000_aaaaaa';
  insert('messages', { session_id: first, role: 'user', content: 'where is the walrus', timestamp: 101 });
  insert('messages', {
    ...{ session_id: first, role: 'assistant', content: null, timestamp: 102, reasoning_content: 'Hm.' },
    tool_calls: '[{"id": "c1", "type": "function", "function": {"name": "terminal", "arguments": "{}"}}]',
  });
  insert('messages', {
    ...{ session_id: first, role: 'tool', content: 'on the ice', timestamp: 103, tool_call_id: 'c1' },
    tool_name: 'terminal',
  });
  const second = '20260401_100500_bbbbbb';
  insert('messages', { session_id: second, role: 'user', content: SUMMARY, timestamp: 201, _compressed_summary: 1 });
  insert('messages', { session_id: second, role: 'assistant', content: 'On the ice.', timestamp: 202 });
  insert('messages', { session_id: 'tg_1', role: 'user', content: 'zebra question', timestamp: 301 });
  // Rows with these marks exist only where the columns do.
  if (schema >= 16)
    insert('messages', { session_id: 'tg_1', role: 'user', content: 'undone', timestamp: 302, active: 0 });
  if (schema >= 23) {
    const compacted = { active: 0, compacted: 1 };
    insert('messages', { session_id: 'tg_1', role: 'user', content: 'old giraffe', timestamp: 300.5, ...compacted });
  }
}
