import { openDatabase } from '../../src/store/sqlite/driver.ts';
import { openSqliteStore } from '../../src/store/sqlite/index.ts';
import type { Corpus } from '../search/corpus.ts';

export type Lookup = { name: string; aimMs: number; times: number[] };

const MESSAGES = 4;
const REPEATS = 25;

/** The time of lookups among very many sessions; every tenth one is from the command line. */
export async function measureLookups(file: string, corpus: Corpus, sessions: number): Promise<Lookup[]> {
  await (await openSqliteStore({ file })).close();
  fill(file, corpus, sessions);
  const store = await openSqliteStore({ file });
  const lookups = [
    { name: 'list of 50 with previews', aimMs: 20, look: () => store.listSessions({ limit: 50 }) },
    { name: 'list of 50 of a source', aimMs: 20, look: () => store.listSessions({ limit: 50, source: 'cli' }) },
    { name: 'newest session', aimMs: 5, look: () => store.latestSession() },
    { name: 'newest session of a source', aimMs: 5, look: () => store.latestSession({ source: 'cli' }) },
    {
      name: 'newest session of a source without recent sessions',
      aimMs: 5,
      look: () => store.latestSession({ source: 'old' }),
    },
  ];
  const results: Lookup[] = [];
  for (const { name, aimMs, look } of lookups) results.push({ name, aimMs, times: await timeAll(look) });
  await store.close();
  return results;
}

async function timeAll(look: () => Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  for (let repeat = 0; repeat < REPEATS; repeat += 1) {
    const started = performance.now();
    await look();
    times.push(performance.now() - started);
  }
  return times;
}

function fill(file: string, corpus: Corpus, sessions: number): void {
  const database = openDatabase(file);
  database.exec('PRAGMA synchronous = OFF; BEGIN');
  const addSession = database.prepare('INSERT INTO sessions (id, source, started_at) VALUES (?, ?, ?)');
  const addMessage = database.prepare(
    'INSERT INTO messages (session_id, role, content, timestamp) VALUES (?, ?, ?, ?)',
  );
  for (let number = 0; number < sessions; number += 1) {
    const startedAt = 1_700_000_000 + number * 100;
    const source = number < sessions / 100 ? 'old' : number % 10 === 0 ? 'cli' : 'telegram';
    addSession.run(`session_${number}`, source, startedAt);
    for (let index = 0; index < MESSAGES; index += 1) {
      const role = index % 2 === 0 ? 'user' : 'assistant';
      addMessage.run(`session_${number}`, role, corpus.english(60), startedAt + index);
    }
  }
  database.exec('COMMIT; PRAGMA wal_checkpoint(TRUNCATE)');
  database.close();
}
