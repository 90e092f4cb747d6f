import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import fc from 'fast-check';
import { expect, it, onTestFinished } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import type { Message } from '../base/index.ts';
import { appendLine, countToolUse, toConversations, type Trajectory } from './index.ts';

/** What DuckDB, an independent reader, reads from a file. */
async function readWithDuckDb(file: string): Promise<{ columns: Record<string, string>; rows: unknown[] }> {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  onTestFinished(() => {
    connection.closeSync();
    instance.closeSync();
  });
  const table = `read_json('${file}', format = 'newline_delimited', sample_size = -1, maximum_object_size = 64000000)`;
  const described = await connection.runAndReadAll(`DESCRIBE SELECT * FROM ${table}`);
  const columns = described
    .getRowObjectsJson()
    .map((row) => [row['column_name'], row['column_type']] as [string, string]);
  // As text, so that none of our own parsing is involved.
  const read = await connection.runAndReadAll(
    `SELECT to_json(conversations)::VARCHAR AS turns, completed FROM ${table}`,
  );
  return { columns: Object.fromEntries(columns), rows: read.getRowObjectsJson() };
}

function newFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'hermes-reader-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, 'all.jsonl');
}

const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom(
    '\u0000',
    '\ud800',
    '\u2028\r\n',
    '😀 漢字',
    '{"a": [1.0, null]}',
    '<think>x</think>',
    '[{"b": 12345678901234567890}]',
  ),
);

/** A conversation with arbitrary content. */
const conversation = fc.array(fc.tuple(text, text, text), { maxLength: 4 }).map((steps): Message[] => [
  { role: 'user', content: 'Begin' },
  ...steps.flatMap(([reasoning, given, content], step): Message[] => [
    {
      role: 'assistant',
      content: '',
      reasoning,
      toolCalls: [
        { id: `c${step}`, name: step % 2 === 0 ? 'terminal' : 'read_file', arguments: JSON.stringify({ given }) },
      ],
    },
    { role: 'tool', toolCallId: `c${step}`, toolName: 'terminal', content },
  ]),
  { role: 'assistant', content: 'Done' },
]);

function turnsOf(messages: readonly Message[]) {
  return toConversations({ messages: messages.map((message) => ({ message })), tools: [] }).conversations;
}

verifies('TRAJ-1', 'an independent reader loads every line with one schema', async () => {
  const file = newFile();
  const lines = fc.sample(conversation, { numRuns: 300, seed: 1 }).map(
    (messages, index): Trajectory => ({
      conversations: turnsOf(messages),
      timestamp: '2026-03-30T14:22:31.456789',
      model: 'a/m',
      completed: index % 2 === 0,
    }),
  );
  for (const line of lines) await appendLine(file, line);
  const { columns, rows } = await readWithDuckDb(file);
  expect(columns).toEqual({
    conversations: 'STRUCT("from" VARCHAR, "value" VARCHAR)[]',
    timestamp: expect.stringMatching(/^(VARCHAR|TIMESTAMP)$/),
    model: 'VARCHAR',
    completed: 'BOOLEAN',
  });
  const found = rows as { turns: string; completed: boolean }[];
  expect(found.map(({ turns, completed }) => ({ turns: JSON.parse(turns) as object, completed }))).toEqual(
    lines.map(({ conversations, completed }) => ({ turns: conversations, completed })),
  );
});

it('the tool columns are the same on every line', async () => {
  const file = newFile();
  const known = ['terminal', 'read_file', 'never_used'];
  for (const [index, messages] of fc.sample(conversation, { numRuns: 50, seed: 2 }).entries()) {
    const { toolStats, toolErrorCounts } = countToolUse(
      messages.map((message) => ({ message })),
      known,
    );
    await appendLine(file, {
      prompt_index: index,
      conversations: turnsOf(messages),
      metadata: { model: 'a/m', topic: null },
      completed: true,
      partial: false,
      api_calls: 1,
      toolsets_used: ['file'],
      tool_stats: toolStats,
      tool_error_counts: toolErrorCounts,
    });
  }
  const { columns, rows } = await readWithDuckDb(file);
  expect(rows).toHaveLength(50);
  const use = 'STRUCT(count BIGINT, success BIGINT, failure BIGINT)';
  expect(columns['tool_stats']).toBe(`STRUCT(never_used ${use}, read_file ${use}, terminal ${use})`);
  expect(columns['tool_error_counts']).toBe('STRUCT(never_used BIGINT, read_file BIGINT, terminal BIGINT)');
});
