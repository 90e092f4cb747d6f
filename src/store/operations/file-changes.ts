import type { AppendDetails } from '../../contracts/index.ts';
import type { Transaction, Work } from '../database.ts';

/** What tool calls changed in files: not part of the history, but shown with it. */
export const CREATE_FILE_CHANGES = `
CREATE TABLE IF NOT EXISTS file_changes (
    session_id {textKey} NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
    call_id TEXT NOT NULL,
    changes TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS idx_file_changes_session ON file_changes(session_id);
`;

const ADD = 'INSERT INTO file_changes (session_id, call_id, changes) VALUES (?1, ?2, ?3)';
const CLEAR = 'DELETE FROM file_changes WHERE session_id = ?1';

export function* addFileChanges(db: Transaction, sessionId: string, details: AppendDetails): Work<void> {
  for (const [callId, changes] of Object.entries(details.fileChanges ?? {}))
    yield* db.run(ADD, sessionId, callId, JSON.stringify(changes));
}

export function* clearFileChanges(db: Transaction, sessionId: string): Work<void> {
  yield* db.run(CLEAR, sessionId);
}
