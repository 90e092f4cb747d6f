/** The schema of the database that everything of ours lies in: other programs have tables called `sessions` too. */
export const SCHEMA = 'hermes';

export const ROLLBACK = 'ROLLBACK';

// Set for each transaction: a pooler between us and the server hands connections to others in between.
const settings = (statementMs: number) =>
  `SET LOCAL search_path TO ${SCHEMA}; SET LOCAL statement_timeout = ${statementMs}; SET LOCAL lock_timeout = '5s'`;

/** One view of everything, however many statements it takes. */
export function beginRead(statementMs: number): string {
  return `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; ${settings(statementMs)}`;
}

/** A process that stands still in a transaction must not keep all others out. */
export function beginWrite(statementMs: number): string {
  return `BEGIN ISOLATION LEVEL READ COMMITTED; ${settings(statementMs)};
SET LOCAL idle_in_transaction_session_timeout = '60s'`;
}

/** The row of a store in which its transactions leave their marks. Those of stores that are long gone are taken away. */
export function createWriter(writer: string): string {
  return `INSERT INTO ${SCHEMA}.writers (id) VALUES ('${writer}') ON CONFLICT DO NOTHING;
DELETE FROM ${SCHEMA}.writers WHERE written_at < now() - interval '30 days'`;
}

export function markAndCommit(writer: string, mark: string): string {
  return `INSERT INTO writers (id, mark) VALUES ('${writer}', '${mark}')
ON CONFLICT (id) DO UPDATE SET mark = excluded.mark, written_at = now(); COMMIT`;
}

export function findMark(writer: string): string {
  return `SELECT mark::text AS mark FROM writers WHERE id = '${writer}' FOR UPDATE`;
}
