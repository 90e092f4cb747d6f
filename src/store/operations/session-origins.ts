import type { LatestFilter, SessionOrigin } from '../../contracts/index.ts';
import type { SqlValue, Transaction, Work } from '../database.ts';

/** The origin of each session: our own table, because the original does not store it. */
export const CREATE_ORIGINS = `
CREATE TABLE IF NOT EXISTS session_origins (
    session_id {textKey} PRIMARY KEY REFERENCES sessions(id) ON DELETE CASCADE,
    working_directory TEXT NOT NULL,
    kind TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS idx_session_origins_directory ON session_origins(working_directory);
`;

const SET = `INSERT INTO session_origins (session_id, working_directory, kind) VALUES (?1, ?2, ?3)
ON CONFLICT (session_id) DO UPDATE SET working_directory = excluded.working_directory, kind = excluded.kind`;
const INHERIT = `INSERT INTO session_origins (session_id, working_directory, kind)
SELECT {text ?1}, working_directory, kind FROM session_origins WHERE session_id = ?2 ON CONFLICT DO NOTHING`;

export function* setOrigin(db: Transaction, id: string, { workingDirectory, kind }: SessionOrigin): Work<void> {
  yield* db.run(SET, id, workingDirectory, kind);
}

export function* inheritOrigin(db: Transaction, id: string, parentId: string): Work<void> {
  yield* db.run(INHERIT, id, parentId);
}

/** The condition for sessions `s` that match a filter. Adds its parameters to `values`. */
export function originCondition({ workingDirectory, kinds }: LatestFilter, values: SqlValue[]): string {
  const conditions = ['TRUE'];
  const origin = (condition: string) =>
    `EXISTS (SELECT 1 FROM session_origins o WHERE o.session_id = s.id AND ${condition})`;
  if (workingDirectory !== undefined)
    conditions.push(origin(`o.working_directory = ?${values.push(workingDirectory)}`));
  if (kinds !== undefined) {
    const listed = kinds.map((kind) => `?${values.push(kind)}`).join(', ');
    conditions.push(`NOT ${origin(`o.kind NOT IN (${listed})`)}`);
  }
  return conditions.join(' AND ');
}
