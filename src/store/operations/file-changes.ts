import { type ChangedFile, isJsonObject, parseJson } from '../../base/index.ts';
import type { AppendDetails, SessionStore } from '../../contracts/index.ts';
import type { Database, Transaction, Work } from '../database.ts';

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
const LIST = 'SELECT call_id AS "callId", changes FROM file_changes WHERE session_id = ?1';
const CLEAR = 'DELETE FROM file_changes WHERE session_id = ?1';

export function createFileChanges(database: Database): Pick<SessionStore, 'getFileChanges'> {
  return { getFileChanges: (sessionId) => database.read((db) => list(db, sessionId)) };
}

function* list(db: Transaction, sessionId: string): Work<Map<string, ChangedFile[]>> {
  const rows = yield* db.all<{ callId: string; changes: string }>(LIST, sessionId);
  return new Map(rows.map(({ callId, changes }) => [callId, readChanges(changes)]));
}

export function* addFileChanges(
  db: Transaction,
  sessionId: string,
  changes: NonNullable<AppendDetails['fileChanges']>,
): Work<void> {
  for (const [callId, files] of Object.entries(changes)) yield* db.run(ADD, sessionId, callId, JSON.stringify(files));
}

export function* clearFileChanges(db: Transaction, sessionId: string): Work<void> {
  yield* db.run(CLEAR, sessionId);
}

/** Another program may have written anything. */
function readChanges(text: string): ChangedFile[] {
  const parsed = parseJson(text);
  if (!Array.isArray(parsed)) return [];
  return parsed.flatMap((change) => {
    if (!isJsonObject(change)) return [];
    const { path, added, removed, diff, omitted } = change;
    if (typeof path !== 'string' || typeof diff !== 'string') return [];
    if (typeof added !== 'number' || typeof removed !== 'number') return [];
    return [{ path, added, removed, diff, ...(typeof omitted === 'number' && { omitted }) }];
  });
}
