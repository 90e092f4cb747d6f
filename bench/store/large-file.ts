import { statSync } from 'node:fs';
import { openDatabase } from '../../src/store/sqlite/driver.ts';
import { openSqliteStore } from '../../src/store/sqlite/index.ts';

export type Opened = { bytes: number; firstMs: number; times: number[] };

const ROW_BYTES = 64 * 1024;
const TRANSACTION_ROWS = 2_000;
const OPENINGS = 15;

/** Creates a file of this size and measures the time until a session can be read from it. */
export async function measureOpening(file: string, bytes: number): Promise<Opened> {
  await (await openSqliteStore({ file })).close();
  fill(file, bytes);
  const times: number[] = [];
  for (let opening = 0; opening < OPENINGS; opening += 1) {
    const started = performance.now();
    const store = await openSqliteStore({ file });
    await store.getSession('one');
    times.push(performance.now() - started);
    await store.close();
  }
  return { bytes: statSync(file).size, firstMs: times[0] ?? Number.NaN, times };
}

// In a column without an index: only the number of pages matters here.
function fill(file: string, bytes: number): void {
  const database = openDatabase(file);
  database.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF');
  database.exec("INSERT INTO sessions (id, source, started_at) VALUES ('one', 'cli', 0)");
  const insert = database.prepare(`INSERT INTO messages (session_id, role, content, reasoning, timestamp)
    VALUES ('one', 'assistant', 'words', zeroblob(${ROW_BYTES}), ?)`);
  for (let row = 0; row * ROW_BYTES < bytes; row += 1) {
    if (row % TRANSACTION_ROWS === 0) database.exec(row === 0 ? 'BEGIN' : 'COMMIT; BEGIN');
    insert.run(row);
  }
  database.exec('COMMIT; PRAGMA journal_mode = WAL');
  database.close();
}
