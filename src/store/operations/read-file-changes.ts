import { type ChangedFile, isJsonObject, parseJson } from '../../base/index.ts';
import type { Database, Transaction, Work } from '../database.ts';

const LIST = 'SELECT call_id AS "callId", changes FROM file_changes WHERE session_id = ?1';

/** What the tool calls of a session changed in files, by call id. */
export function readFileChanges(database: Database, sessionId: string): Promise<Map<string, ChangedFile[]>> {
  return database.read((db) => list(db, sessionId));
}

function* list(db: Transaction, sessionId: string): Work<Map<string, ChangedFile[]>> {
  const rows = yield* db.all<{ callId: string; changes: string }>(LIST, sessionId);
  return new Map(rows.map(({ callId, changes }) => [callId, parseChanges(changes)]));
}

/** Another program may have written anything. */
function parseChanges(text: string): ChangedFile[] {
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
