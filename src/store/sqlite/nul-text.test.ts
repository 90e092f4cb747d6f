import { describe, expect, it } from 'vitest';
import { systemClock } from '../../base/index.ts';
import { silentLogger } from '../../contracts/index.ts';
import type { SqlValue } from '../database.ts';
import { createConnection } from './connection.ts';
import { openDatabase } from './driver.ts';
import { openForTest, temporaryFile } from './fixtures.ts';
import { createSqliteDatabase } from './sqlite-database.ts';

describe('text that a driver truncates at a NUL', () => {
  it('is still read completely', async () => {
    const file = temporaryFile();
    const store = await openForTest({ file });
    await store.createSession({ id: 'one', source: 'cli', startedAt: 0, systemPrompt: '\ufeffBe\0kind' });
    await store.appendMessages('one', [
      { role: 'user', content: 'no such text' },
      { role: 'tool', toolCallId: 'call\0', toolName: 'terminal', content: 'a\0b\0日本' },
    ]);
    const connection = createConnection({
      database: openDatabase(file),
      file,
      clock: systemClock,
      logger: silentLogger,
    });
    // Truncates text as the driver of Node 22 does.
    const cutText = (value: unknown) => (typeof value === 'string' ? value.split('\0')[0] : value);
    const cutting = {
      ...connection,
      truncatesAtNul: () => true,
      lists: (sql: string, ...values: SqlValue[]) => connection.lists(sql, ...values).map((row) => row.map(cutText)),
    };
    const rows = await createSqliteDatabase(cutting).read((db) => db.messages.read(db, 'one'));
    expect(rows).toMatchObject([
      { id: 1, content: 'no such text', tool_call_id: null, tool_name: null },
      { id: 2, content: 'a\0b\0日本', tool_call_id: 'call\0', tool_name: 'terminal' },
    ]);
    await connection.close();
    expect((await store.getSession('one'))?.systemPrompt).toBe('\ufeffBe\0kind');
    expect((await store.getConversation('one'))[1]?.content).toBe('a\0b\0日本');
  });
});
