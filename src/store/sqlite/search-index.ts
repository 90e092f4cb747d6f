import { hasScript } from '../search/text.ts';
import { indexTerms, toolKey } from '../search/index-terms.ts';
import { toolText } from '../search/message-text.ts';
import type { Connection } from './connection.ts';
import { textOf } from '../rows/values.ts';

/** Keeps our own index up to date with the messages, including those of other programs. */
export interface SearchIndex {
  /**
   * Catches up in short transactions with pauses in between. Returns false if it timed out or other processes hold
   * the write lock for too long.
   */
  catchUp(budgetMs: number, lockBudgetMs?: number): Promise<boolean>;
  /**
   * Catches up in the background with long pauses, while the store is open. Messages that arrive in the meantime may
   * remain.
   */
  catchUpInBackground(): void;
}

type State = { indexed_from: number; indexed_through: number };
type Work = { allowed?: number; isDue(): boolean; pause(): Promise<unknown>; lockBudgetMs?: number | undefined };
type IndexRow = { id: number; tool_name: string | null; tool_calls: string | null; content: Uint8Array | null };

const PORTION_MESSAGES = 64;
const PORTION_MS = 8;
const LONG_PAUSE_MS = 40;
/** How long a search waits for the write lock before it uses the index as it is. */
const LOCK_BUDGET_MS = 300;

const STATE = 'SELECT indexed_from, indexed_through FROM message_terms_state';
/** Whether anything is left to index, apart from this many new messages. */
const isBehindBy = (allowed: number) => `SELECT EXISTS (SELECT 1 FROM message_terms_stale)
OR COALESCE((SELECT MAX(id) FROM messages), 0) > indexed_through + ${allowed} OR indexed_from > 1 AS behind
FROM message_terms_state`;

// Pure ASCII text has as many bytes as characters; such rows need not be read.
const NEEDS_TERMS = `(tool_calls IS NOT NULL OR tool_name IS NOT NULL
OR (typeof(content) = 'text' AND octet_length(content) <> length(content)))`;
const ROW = `id, tool_name, tool_calls, CASE WHEN typeof(content) = 'text'
AND (tool_calls IS NOT NULL OR octet_length(content) <> length(content)) THEN CAST(content AS BLOB) END AS content`;
const ROWS = `SELECT ${ROW} FROM messages WHERE id BETWEEN ? AND ? AND ${NEEDS_TERMS} ORDER BY id`;
// REPLACE, because a row may be processed twice.
const PUT = 'INSERT OR REPLACE INTO message_terms (rowid, terms) VALUES (?, ?)';
const ADD_TOOL = 'INSERT OR IGNORE INTO message_terms_tools VALUES (?)';
const REMOVE = 'DELETE FROM message_terms WHERE rowid = ?';

export function createSearchIndex(connection: Connection): SearchIndex {
  let isQuietlyAtWork = false;
  const work = async ({ allowed = 0, isDue, pause, lockBudgetMs = LOCK_BUDGET_MS }: Work) => {
    let question = isBehindBy(0);
    const isBehind = () => (connection.get(question) as { behind: number } | undefined)?.behind === 1;
    try {
      while (await connection.read(isBehind)) {
        if (!isDue()) return false;
        await connection.write(() => indexPortions(connection), lockBudgetMs);
        question = isBehindBy(allowed);
        await pause();
      }
      return true;
    } catch {
      // The database is locked or read-only, or the store was closed: the index stays as it is for now.
      return false;
    }
  };
  return {
    catchUp(budgetMs, lockBudgetMs) {
      const deadline = performance.now() + budgetMs;
      const isDue = () => performance.now() < deadline;
      return work({ isDue, pause: () => new Promise(setImmediate), lockBudgetMs });
    },
    catchUpInBackground() {
      if (isQuietlyAtWork) return;
      isQuietlyAtWork = true;
      // While messages keep arriving, each portion should be worth a transaction; the rest waits for more messages or
      // for a search.
      const done = work({ allowed: PORTION_MESSAGES - 1, isDue: () => true, pause: longPause });
      void done.finally(() => (isQuietlyAtWork = false));
    },
  };
}

// The timer does not keep the process alive.
function longPause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, LONG_PAUSE_MS).unref());
}

/** Runs in a transaction: indexes as many portions as fit into the time slice. */
function indexPortions(connection: Connection): void {
  const end = performance.now() + PORTION_MS;
  while (indexPortion(connection) && performance.now() < end);
}

/** Changed messages come first, then new ones, then older ones, newest first. */
function indexPortion(connection: Connection): boolean {
  if (renewStale(connection)) return true;
  const { indexed_from: from, indexed_through: through } = connection.get(STATE) as State;
  const next = nearestId(connection, 'SELECT MIN(id) AS id FROM messages WHERE id > ?', through);
  if (next !== undefined) {
    const last = nearestId(connection, 'SELECT MAX(id) AS id FROM messages WHERE id < ?', next + PORTION_MESSAGES);
    indexRange(connection, next, last ?? next);
    connection.run('UPDATE message_terms_state SET indexed_through = ?', last ?? next);
    return true;
  }
  if (from <= 1) return false;
  const previous = nearestId(connection, 'SELECT MAX(id) AS id FROM messages WHERE id < ?', from);
  const first = previous === undefined ? 1 : Math.max(1, previous - PORTION_MESSAGES + 1);
  if (previous !== undefined) indexRange(connection, first, previous);
  connection.run('UPDATE message_terms_state SET indexed_from = ?', first);
  return true;
}

function nearestId(connection: Connection, sql: string, id: number): number | undefined {
  return (connection.get(sql, id) as { id: number | null }).id ?? undefined;
}

function renewStale(connection: Connection): boolean {
  const sql = 'SELECT rowid, message_id AS id FROM message_terms_stale ORDER BY rowid LIMIT ?';
  const stale = connection.all(sql, PORTION_MESSAGES) as { rowid: number; id: number }[];
  const ids = [...new Set(stale.map(({ id }) => id))].sort((a, b) => a - b);
  for (const id of ids) {
    connection.run(REMOVE, id);
    indexRange(connection, id, id);
  }
  const last = stale.at(-1);
  if (last !== undefined) connection.run('DELETE FROM message_terms_stale WHERE rowid <= ?', last.rowid);
  return last !== undefined;
}

function indexRange(connection: Connection, first: number, last: number): void {
  for (const row of connection.all(ROWS, first, last) as IndexRow[]) {
    const terms = termsOf(row);
    if (typeof row.tool_name === 'string') connection.run(ADD_TOOL, toolKey(row.tool_name));
    if (terms.size > 0) connection.run(PUT, row.id, [...terms].join(' '));
  }
}

/**
 * Words of plain content are already in the original's index; they are repeated only if a query could combine both
 * kinds of terms.
 */
function termsOf(row: IndexRow): Set<string> {
  const terms = indexTerms(toolText(row));
  const content = row.content === null ? '' : textOf(row.content);
  return row.tool_calls !== null || hasScript(content) ? indexTerms(content, terms) : terms;
}
