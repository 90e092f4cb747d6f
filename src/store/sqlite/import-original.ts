import { existsSync } from 'node:fs';
import { HermesError } from '../../base/index.ts';
import { type SessionStore, type SessionTransfer, silentLogger } from '../../contracts/index.ts';
import { BUDGET_MS } from '../database.ts';
import { countImport, type ImportTally, newImportTally } from '../import-tally.ts';
import {
  ORIGINAL_COLUMNS,
  type OriginalRecord,
  readMessage,
  readSession,
  type Row,
  separateCompacted,
} from '../rows/original-rows.ts';
import type { SqliteDatabase } from './driver.ts';
import { columnNames, hasOriginalSessions } from './inspect.ts';
import { openReadable } from './open-read-only.ts';
import { retryWhileBusy } from './retry.ts';

export type OriginalImportProgress = { done: number; total: number; messages: number };

export type OriginalImportOptions = {
  /** Stops between two sessions; the sessions imported before are kept. */
  signal?: AbortSignal;
  onProgress?(progress: OriginalImportProgress): void;
};

type Target = Pick<SessionTransfer, 'importSession'> & Pick<SessionStore, 'getSession'>;

/**
 * Imports the sessions of a database of the original, of any version. The file is opened read-only: it may be in use,
 * and we must not write to a later version. Each session is imported in one transaction and existing ones are skipped,
 * so a stopped import continues where it ended.
 */
export async function importFromOriginal(
  store: Target,
  file: string,
  { signal, onProgress }: OriginalImportOptions = {},
): Promise<ImportTally> {
  if (!existsSync(file)) throw new HermesError(`The file ${file} does not exist.`);
  const context = { file, budgetMs: BUDGET_MS.normal };
  const database = await retryWhileBusy(() => openReadable(file, silentLogger), context);
  try {
    const tally = newImportTally();
    const reader = await retryWhileBusy(() => createCheckedReader(database, file), context);
    const ids = await retryWhileBusy(() => reader.ids(), context);
    for (const [done, id] of ids.entries()) {
      signal?.throwIfAborted();
      onProgress?.({ done, total: ids.length, messages: tally.messages });
      // Reading all messages of a session that exists would make a continued import as slow as the first one.
      if ((await store.getSession(id)) !== undefined) {
        tally.skipped += 1;
        continue;
      }
      const record = await retryWhileBusy(() => reader.read(id), context);
      if (record === undefined) continue;
      const { compacted, current } = separateCompacted(record);
      if (compacted !== undefined) tally.messages += (await store.importSession(compacted)).messages;
      countImport(tally, await store.importSession(current));
    }
    onProgress?.({ done: ids.length, total: ids.length, messages: tally.messages });
    return tally;
  } finally {
    database.close();
  }
}

function createCheckedReader(database: SqliteDatabase, file: string) {
  if (hasOriginalSessions(database)) return createOriginalReader(database);
  throw new HermesError(`${file} contains no sessions in a known format.`, {
    hint: 'Give the state.db file of a Hermes home directory.',
  });
}

/** Reads sessions from a database of the original of any version: columns are found by name. */
function createOriginalReader(database: SqliteDatabase) {
  const sessionColumns = columnNames(database, 'sessions');
  const session = database.prepare(
    `SELECT ${selectList(sessionColumns, ORIGINAL_COLUMNS.sessions)}, ${sharedPrompt(database, sessionColumns)} AS shared_prompt
     FROM sessions WHERE id = ?`,
  );
  const messages = database.prepare(
    `SELECT ${selectList(columnNames(database, 'messages'), ORIGINAL_COLUMNS.messages)}
     FROM messages WHERE session_id = ? ORDER BY rowid`,
  );
  return {
    ids: () => parentsFirst(database, sessionColumns),
    read(id: string): OriginalRecord | undefined {
      const row = session.get(id) as Row | undefined;
      if (row === undefined) return undefined;
      return { session: readSession(row), messages: (messages.all(id) as Row[]).flatMap(readMessage) };
    },
  };
}

/** Later versions store each system prompt once, by its hash. */
function sharedPrompt(database: SqliteDatabase, columns: ReadonlySet<string>): string {
  const prompts = columnNames(database, 'system_prompts');
  const isShared = columns.has('system_prompt_hash') && prompts.has('hash') && prompts.has('prompt');
  if (!isShared) return 'NULL';
  return '(SELECT CAST(p.prompt AS BLOB) FROM system_prompts p WHERE p.hash = sessions.system_prompt_hash)';
}

// Text is read as bytes, because some drivers truncate it at a NUL.
type Columns = (typeof ORIGINAL_COLUMNS)[keyof typeof ORIGINAL_COLUMNS];

function selectList(present: ReadonlySet<string>, { texts, numbers }: Columns): string {
  const select = (name: string, expression: string) => `${present.has(name) ? expression : 'NULL'} AS ${name}`;
  return [
    ...texts.map((name) => select(name, `CAST(${name} AS BLOB)`)),
    ...numbers.map((name) => select(name, name)),
  ].join(', ');
}

/** Parents must be imported before their children. */
function parentsFirst(database: SqliteDatabase, columns: ReadonlySet<string>): string[] {
  const parent = columns.has('parent_session_id') ? 'parent_session_id' : 'NULL';
  const sql = `SELECT id, ${parent} AS parent FROM sessions ORDER BY started_at`;
  const rows = database.prepare(sql).all() as { id: string; parent: string | null }[];
  const parents = new Map(rows.map((row) => [row.id, row.parent]));
  const ordered = new Set<string>();
  for (const { id } of rows) {
    const line: string[] = [];
    for (let at: string | null = id; at !== null && parents.has(at); at = parents.get(at) ?? null) {
      if (ordered.has(at) || line.includes(at)) break;
      line.push(at);
    }
    for (const each of line.reverse()) ordered.add(each);
  }
  return [...ordered];
}
