import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import { openForTest, temporaryFile, withDatabase } from './fixtures.ts';
import { importFromOriginal } from './index.ts';

/** A later version: some columns are unknown to us, and some that we know are gone. */
const LATER = `
CREATE TABLE schema_version (version INTEGER NOT NULL);
INSERT INTO schema_version VALUES (23);
CREATE TABLE sessions (
  id TEXT PRIMARY KEY, source TEXT NOT NULL, model TEXT, system_prompt TEXT, parent_session_id TEXT, started_at REAL,
  ended_at REAL, end_reason TEXT, title TEXT, input_tokens INTEGER, output_tokens INTEGER, actual_cost_usd REAL,
  handoff_state TEXT
);
CREATE TABLE messages (
  id INTEGER PRIMARY KEY, session_id TEXT, role TEXT, content TEXT, tool_call_id TEXT, tool_calls TEXT, tool_name TEXT,
  timestamp REAL, reasoning_content TEXT, active INTEGER DEFAULT 1, platform_message_id TEXT
);
INSERT INTO sessions VALUES ('child', 'cli', 'm', NULL, 'parent', 5, NULL, NULL, 'Walrus #2', 1, 2, NULL, 'x');
INSERT INTO sessions VALUES ('parent', 'telegram', 'm', 'Be kind.', NULL, 9, 10.5, 'compression', 'Walrus', 7, 8, 0.5, NULL);
INSERT INTO messages (session_id, role, content, timestamp) VALUES ('parent', 'user', 'Find' || char(0) || 'it', 9.25);
INSERT INTO messages (session_id, role, content, timestamp, tool_calls, reasoning_content) VALUES ('parent', 'assistant',
  NULL, 9.5, '[{"id": "c1", "type": "function", "function": {"name": "terminal", "arguments": "{}"}}]', 'Hm.');
INSERT INTO messages (session_id, role, content, timestamp, tool_call_id, tool_name) VALUES ('parent', 'tool', 'found', 9.75, 'c1', 'terminal');
INSERT INTO messages (session_id, role, content, timestamp, active) VALUES ('parent', 'user', 'undone', 9.8, 0);
INSERT INTO messages (session_id, role, content, timestamp) VALUES ('parent', 'session_meta', '{}', 9.9);
INSERT INTO messages (session_id, role, content, timestamp) VALUES ('child', 'user',
  char(0) || 'json:[{"type": "text", "text": "Look"}, {"type": "image_url", "image_url": {}}]', 5);
`;

function make(sql: string): string {
  const file = temporaryFile();
  withDatabase(file, (database) => database.exec(sql));
  return file;
}

describe('importFromOriginal', () => {
  verifies('STORE-1', 'imports the sessions of a later version, and does not change its file', async () => {
    const file = make(LATER);
    const before = readFileSync(file);
    const store = await openForTest({ file: temporaryFile('hermes.db') });
    expect(await importFromOriginal(store, file)).toEqual({
      imported: 2,
      skipped: 0,
      refused: 0,
      messages: 4,
      notes: [],
    });
    expect(await store.getConversation('parent')).toEqual([
      { role: 'user', content: 'Find\0it' },
      {
        role: 'assistant',
        content: '',
        toolCalls: [{ id: 'c1', name: 'terminal', arguments: '{}' }],
        reasoning: 'Hm.',
      },
      { role: 'tool', content: 'found', toolCallId: 'c1', toolName: 'terminal' },
    ]);
    expect(await store.getConversation('child')).toEqual([{ role: 'user', content: 'Look\n[image_url]' }]);
    expect(await store.getSession('parent')).toMatchObject({ systemPrompt: 'Be kind.', isPromptImported: true });
    expect(await store.getSession('parent')).toMatchObject({
      source: 'telegram',
      title: 'Walrus',
      systemPrompt: 'Be kind.',
      startedAt: 9000,
      endedAt: 10_500,
      endReason: 'compression',
      messageCount: 3,
      toolCallCount: 1,
      usage: { input: 7, output: 8, cacheRead: 0 },
    });
    expect((await store.getSession('child'))?.parentSessionId).toBe('parent');
    expect((await store.statistics()).usd).toBe(0.5);
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  verifies(
    'STORE-4',
    'extracts images from messages and stores them once, as attachments of user messages',
    async () => {
      const [png, jpeg] = ['iVBORw0KGgo=', '/9j/4AAQ'];
      const blocks = [
        { type: 'text', text: 'Look' },
        { type: 'image_url', image_url: { url: `data:image/png;base64,${png}` } },
        { type: 'input_image', image_url: `data:image/png;name=a.png;base64,${png}` },
        { type: 'image', source: { type: 'base64', media_type: 'image/jpeg', data: jpeg } },
        { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
        ...['plain', 7, { type: 'image', source: { data: '' } }],
      ];
      const file = make(LATER);
      withDatabase(file, (database) =>
        database
          .prepare("UPDATE messages SET content = char(0) || ? WHERE session_id = 'child'")
          .run(`json:${JSON.stringify(blocks)}`),
      );
      const store = await openForTest({ file: temporaryFile('hermes.db') });
      await importFromOriginal(store, file);
      const { blobs, messages } = await store.exportSession('child');
      expect(blobs.map(({ mediaType, base64 }) => [mediaType, base64]).sort()).toEqual([
        ['image/jpeg', jpeg],
        ['image/png', png],
      ]);
      const hashes = ['image/png', 'image/jpeg'].map((type) => blobs.find(({ mediaType }) => mediaType === type)?.hash);
      const [first, second] = hashes;
      expect(messages[0]?.message).toEqual({
        role: 'user',
        content: ['Look', '[image_url]', 'plain', '', '[image]'].join('\n'),
        attachments: [
          { kind: 'image', mediaType: 'image/png', name: 'image-1.png', hash: first, size: 8 },
          { kind: 'image', mediaType: 'image/png', name: 'image-2.png', hash: first, size: 8 },
          { kind: 'image', mediaType: 'image/jpeg', name: 'image-3.jpeg', hash: second, size: 6 },
        ],
      });
    },
  );

  it('imports only new sessions when repeated', async () => {
    const file = make(LATER);
    const store = await openForTest({ file: temporaryFile('hermes.db') });
    await importFromOriginal(store, file);
    expect(await importFromOriginal(store, file)).toMatchObject({ imported: 0, skipped: 2, refused: 0, messages: 0 });
    expect(await store.getConversation('parent')).toHaveLength(3);
  });

  it('keeps what was imported when it is stopped, and continues from there', async () => {
    const file = make(LATER);
    const store = await openForTest({ file: temporaryFile('hermes.db') });
    const stop = new AbortController();
    const reached: number[] = [];
    // The signal is checked before each session, so the one that has begun is imported.
    const onProgress = ({ done }: { done: number }) => {
      reached.push(done);
      stop.abort();
    };
    await expect(importFromOriginal(store, file, { signal: stop.signal, onProgress })).rejects.toThrow('aborted');
    expect(reached).toEqual([0]);
    expect(await importFromOriginal(store, file)).toMatchObject({ imported: 1, skipped: 1 });
    expect(await importFromOriginal(store, file)).toMatchObject({ imported: 0, skipped: 2 });
  });

  it('also reads the version that we share, and cyclic parents', async () => {
    const source = temporaryFile();
    const old = await openForTest({ file: source });
    await old.createSession({ id: 'a', source: 'cli', startedAt: 1000 });
    await old.createSession({ id: 'b', source: 'cli', startedAt: 2000, parentSessionId: 'a' });
    await old.appendMessages('b', [{ role: 'user', content: 'x' }]);
    withDatabase(source, (database) => database.exec("UPDATE sessions SET parent_session_id = 'b' WHERE id = 'a'"));
    const store = await openForTest({ file: temporaryFile() });
    const report = await importFromOriginal(store, source);
    expect(report).toMatchObject({ imported: 2, messages: 1 });
    expect(report.notes.join()).toContain('without its parent');
  });

  it('reports that there is nothing to import', async () => {
    const store = await openForTest({ file: temporaryFile() });
    await expect(importFromOriginal(store, '/nowhere/state.db')).rejects.toThrow('does not exist');
    await expect(importFromOriginal(store, make('CREATE TABLE sessions (x)'))).rejects.toThrow('contains no sessions');
  });
});
