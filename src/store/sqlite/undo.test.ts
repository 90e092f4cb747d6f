import { expect } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import { openForTest, temporaryFile, withDatabase } from './fixtures.ts';

// Ids and references must be real; all other columns get distinct values, so that swapped columns are detected.
const KEPT = new Set(['id', 'session_id', 'role', 'timestamp', 'copy_of']);

/** Fills every column, including those that are added to the table later. */
function fillEveryColumn(file: string): void {
  withDatabase(file, (database) => {
    const columns = database.prepare('PRAGMA table_info(messages)').all() as { name: string }[];
    const others = columns.map(({ name }) => name).filter((name) => !KEPT.has(name));
    const assignments = others.map((name) => `${name} = json_array('${name}')`).join(', ');
    database.exec(`UPDATE messages SET ${assignments} WHERE id = 2`);
  });
}

const rowsOf = (file: string) =>
  withDatabase(file, (database) => database.prepare('SELECT * FROM messages ORDER BY id').all());

verifies('SURF-3', 'undone and restored messages are the same in every column', async () => {
  const file = temporaryFile();
  const store = await openForTest({ file });
  await store.createSession({ id: 'one', source: 'cli', startedAt: 1_000 });
  await store.appendMessages('one', [
    { role: 'user', content: 'first' },
    { role: 'user', content: 'second' },
  ]);
  fillEveryColumn(file);
  const before = rowsOf(file);
  expect(await store.undoMessages('one', 2)).toBe(1);
  expect(rowsOf(file)).toHaveLength(1);
  expect(await store.restoreMessages('one')).toBe(1);
  expect(rowsOf(file)).toEqual(before);
});
