import { join } from 'node:path';
import { openDatabase } from '../../src/store/sqlite/driver.ts';
import { openSqliteStore } from '../../src/store/sqlite/index.ts';
import { CREATE_SEARCH_INDEX, CREATE_TABLES } from '../../src/store/sqlite/schema.ts';
import type { Corpus } from '../search/corpus.ts';

export type Appends = { ours: number; bare: number };

const MESSAGES = 4_000;
const BYTES = 1_024;

/**
 * Messages per second with one per transaction, alternating between our store and the plain driver with the same
 * tables.
 */
export async function measureAppends(folder: string, corpus: Corpus, rounds: number): Promise<Appends[]> {
  const texts = Array.from({ length: MESSAGES }, () => corpus.english(220).slice(0, BYTES));
  const results: Appends[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const bare = appendBare(join(folder, `bare-${round}.db`), texts);
    results.push({ bare, ours: await appendOurs(join(folder, `ours-${round}.db`), texts) });
  }
  return results;
}

async function appendOurs(file: string, texts: readonly string[]): Promise<number> {
  const store = await openSqliteStore({ file });
  await store.createSession({ id: 'one', source: 'cli', startedAt: Date.now() });
  const started = performance.now();
  for (const content of texts) await store.appendMessages('one', [{ role: 'user', content }]);
  const seconds = (performance.now() - started) / 1000;
  await store.close();
  return texts.length / seconds;
}

function appendBare(file: string, texts: readonly string[]): number {
  const database = openDatabase(file);
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; ${CREATE_TABLES} ${CREATE_SEARCH_INDEX}
    INSERT INTO sessions (id, source, started_at) VALUES ('one', 'cli', 0)`);
  const insert = database.prepare(
    "INSERT INTO messages (session_id, role, content, timestamp) VALUES ('one', 'user', ?, ?)",
  );
  const started = performance.now();
  for (const content of texts) insert.run(content, Date.now() / 1000);
  const seconds = (performance.now() - started) / 1000;
  database.close();
  return texts.length / seconds;
}
