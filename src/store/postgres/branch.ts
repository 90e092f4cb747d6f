import type { NewSession, SessionLineage, SessionRecord } from '../../contracts/index.ts';
import { rowToSession, type SessionRow } from '../rows/session-row.ts';
import { toSeconds } from '../rows/time.ts';
import { unknownSession } from '../session-errors.ts';
import type { Connection, Queries } from './connection.ts';
import { copyAllMessages } from './copy-messages.ts';
import { lockTitles, nextTitle } from './lineage-titles.ts';
import { BUDGET_MS } from './retry.ts';
import { insertSession, tellCreateError } from './session-changes.ts';
import { SESSION_BY_ID } from './session-columns.ts';

const MARK = 'INSERT INTO session_branches (session_id) VALUES ($1) ON CONFLICT DO NOTHING';
// So that the messages are those of one moment, and the parent is not deleted meanwhile.
const HOLD = 'SELECT 1 FROM sessions WHERE id = $1 FOR SHARE';

export async function branchSession(
  connection: Connection,
  ...[parentId, branch]: Parameters<SessionLineage['branchSession']>
): Promise<SessionRecord> {
  const session = { ...branch, parentSessionId: parentId };
  try {
    return await connection.write((db) => openBranch(connection, db, session), BUDGET_MS.messages);
  } catch (thrown) {
    throw await tellCreateError(connection, session, thrown);
  }
}

async function openBranch(
  connection: Connection,
  db: Queries,
  session: NewSession & { parentSessionId: string },
): Promise<SessionRecord> {
  const { id, parentSessionId: parentId } = session;
  await lockTitles(db);
  await db.run(HOLD, parentId);
  const row = await db.get<SessionRow>(SESSION_BY_ID, parentId);
  if (row === undefined) throw unknownSession(parentId, connection.place);
  const { model, systemPrompt, title } = rowToSession(row);
  const numbered = title === undefined ? undefined : await nextTitle(db, title);
  await insertSession(db, { ...session, model, systemPrompt, title: numbered });
  await markBranch(db, id);
  await copyAllMessages(db, { into: id, from: parentId, timestamp: toSeconds(connection.clock.now()) });
  const made = await db.get<SessionRow>(SESSION_BY_ID, id);
  if (made === undefined) throw unknownSession(id, connection.place);
  return rowToSession(made);
}

/** Inside a transaction: whoever goes on with its parent is not led here. */
export async function markBranch(db: Queries, id: string): Promise<void> {
  await db.run(MARK, id);
}
