/** The schema that contains our tables, because other programs may also have a table `sessions`. */
export const SCHEMA = 'hermes';

export const ROLLBACK = 'ROLLBACK';

// Set for each transaction, because a connection pooler may give the connection to other clients in between.
const settings = (statementMs: number) =>
  `SET LOCAL search_path TO ${SCHEMA}; SET LOCAL statement_timeout = ${statementMs}; SET LOCAL lock_timeout = '5s'`;

/** A consistent snapshot for any number of statements. */
export function beginRead(statementMs: number): string {
  return `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; ${settings(statementMs)}`;
}

/** The timeout keeps a process that stalls in a transaction from blocking all others. */
export function beginWrite(statementMs: number): string {
  return `BEGIN ISOLATION LEVEL READ COMMITTED; ${settings(statementMs)};
SET LOCAL idle_in_transaction_session_timeout = '60s'`;
}

/**
 * Creates the row in which the transactions of a store write their commit markers, and deletes rows of stores that
 * are long closed.
 */
export function insertWriter(writer: string): string {
  return `INSERT INTO ${SCHEMA}.writers (id) VALUES ('${writer}') ON CONFLICT DO NOTHING;
DELETE FROM ${SCHEMA}.writers WHERE written_at < now() - interval '30 days'`;
}

export function writeMarkerAndCommit(writer: string, marker: string): string {
  return `INSERT INTO writers (id, mark) VALUES ('${writer}', '${marker}')
ON CONFLICT (id) DO UPDATE SET mark = excluded.mark, written_at = now(); COMMIT`;
}

export function findCommitMarker(writer: string): string {
  return `SELECT mark::text AS mark FROM writers WHERE id = '${writer}' FOR UPDATE`;
}
