import { statSync } from 'node:fs';
import { createConnection } from '../../src/store/sqlite/connection.ts';
import { systemClock } from '../../src/base/index.ts';
import { silentLogger } from '../../src/contracts/index.ts';
import { openDatabase, type SqliteDatabase } from '../../src/store/sqlite/driver.ts';
import { openSqliteStore } from '../../src/store/sqlite/index.ts';
import { createSearchIndex } from '../../src/store/sqlite/search-index.ts';
import type { Corpus } from './corpus.ts';

export type Built = { textBytes: number; fileBytes: number; buildSeconds: number; catchUpSeconds: number };

const SESSION_MESSAGES = 50;
const TRANSACTION_MESSAGES = 20_000;
const RARE_SOURCE_EVERY = 2_000;

/** Fills a database file with plain SQL, as another program would, and waits until our index has caught up. */
export async function buildDatabase(
  file: string,
  corpus: Corpus,
  options: { messages: number; chinese: number },
): Promise<Built> {
  await (await openSqliteStore({ file })).close();
  const started = performance.now();
  const database = openDatabase(file);
  const textBytes = insertAll(database, corpus, options);
  const built = performance.now();
  const connection = createConnection({ database, file, clock: systemClock, logger: silentLogger });
  await createSearchIndex(connection).catchUp(Number.POSITIVE_INFINITY);
  const caughtUp = performance.now();
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  await connection.close();
  return {
    textBytes,
    fileBytes: statSync(file).size,
    buildSeconds: (built - started) / 1000,
    catchUpSeconds: (caughtUp - built) / 1000,
  };
}

function insertAll(database: SqliteDatabase, corpus: Corpus, options: { messages: number; chinese: number }): number {
  database.exec('PRAGMA synchronous = OFF; PRAGMA cache_size = -200000');
  const addSession = database.prepare('INSERT INTO sessions (id, source, model, started_at) VALUES (?, ?, ?, ?)');
  const addMessage =
    database.prepare(`INSERT INTO messages (session_id, role, content, tool_calls, tool_name, timestamp)
    VALUES (?, ?, ?, ?, ?, ?)`);
  let textBytes = 0;
  database.exec('BEGIN');
  for (let number = 0; number < options.messages; number += 1) {
    const session = Math.floor(number / SESSION_MESSAGES);
    const timestamp = 1_700_000_000 + number * 20;
    if (number % SESSION_MESSAGES === 0) {
      const source = session % RARE_SOURCE_EVERY === 7 ? 'rare' : session % 3 === 0 ? 'telegram' : 'cli';
      addSession.run(`session_${session}`, source, 'bench-model', timestamp);
    }
    const message = makeMessage(corpus, number, options.chinese);
    addMessage.run(`session_${session}`, message.role, message.content, message.calls, message.tool, timestamp);
    textBytes += Buffer.byteLength(message.content) + Buffer.byteLength(message.calls ?? '');
    if (number % TRANSACTION_MESSAGES === TRANSACTION_MESSAGES - 1) database.exec('COMMIT; BEGIN');
  }
  database.exec('COMMIT');
  return textBytes;
}

type Made = { role: string; content: string; calls: string | null; tool: string | null };

/** Exchanges of four messages: a request, a tool call, its result, an answer. */
function makeMessage(corpus: Corpus, number: number, chineseShare: number): Made {
  const { random } = corpus;
  const text = (words: number) => (random() < chineseShare ? corpus.chinese(words * 2) : corpus.english(words));
  switch (number % 4) {
    case 0:
      return { role: 'user', content: text(20 + random() * 100), calls: null, tool: null };
    case 1: {
      const written = JSON.stringify({ command: corpus.english(12) });
      const call = { id: `c${number}`, type: 'function', function: { name: 'terminal', arguments: written } };
      return { role: 'assistant', content: text(10), calls: JSON.stringify([call]), tool: null };
    }
    case 2:
      return { role: 'tool', content: text(50 + random() * 300), calls: null, tool: 'terminal' };
    default:
      return { role: 'assistant', content: text(40 + random() * 120), calls: null, tool: null };
  }
}
