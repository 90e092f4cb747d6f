import type { NewSession, SessionLineage, SessionRecord } from '../../contracts/index.ts';
import { rowToSession, type SessionRow } from '../rows/session-row.ts';
import type { Connection } from './connection.ts';
import { copyAllMessages } from './copy-messages.ts';
import { nextTitle } from './lineage-titles.ts';
import { BUDGET_MS } from './retry.ts';
import { unknownSession } from '../session-errors.ts';
import { insertSession, tellCreateError } from './session-changes.ts';
import { SESSION_BY_ID } from './session-row.ts';
import { toSeconds } from '../rows/time.ts';

const MARK = 'INSERT OR IGNORE INTO session_branches (session_id) VALUES (?)';

export async function branchSession(
  connection: Connection,
  ...[parentId, branch]: Parameters<SessionLineage['branchSession']>
): Promise<SessionRecord> {
  const session = { ...branch, parentSessionId: parentId };
  try {
    return await connection.write(() => openBranch(connection, session), BUDGET_MS.messages);
  } catch (thrown) {
    throw await tellCreateError(connection, session, thrown);
  }
}

// One transaction: the messages are those of one moment, and the title is still free when it is given.
function openBranch(connection: Connection, session: NewSession & { parentSessionId: string }): SessionRecord {
  const { id, parentSessionId: parentId } = session;
  const row = connection.get(SESSION_BY_ID, parentId) as SessionRow | undefined;
  if (row === undefined) throw unknownSession(parentId, connection.file);
  const { model, systemPrompt, title } = rowToSession(row);
  const numbered = title === undefined ? undefined : nextTitle(connection, title);
  insertSession(connection, { ...session, model, systemPrompt, title: numbered });
  markBranch(connection, id);
  copyAllMessages(connection, { into: id, from: parentId, timestamp: toSeconds(connection.clock.now()) });
  return rowToSession(connection.get(SESSION_BY_ID, id) as SessionRow);
}

/** Inside a transaction: whoever goes on with its parent is not led here. */
export function markBranch(connection: Connection, id: string): void {
  connection.run(MARK, id);
}
