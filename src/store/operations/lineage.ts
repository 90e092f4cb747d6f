import { HermesError } from '../../base/index.ts';
import type { KeptMessage, NewSession, SessionLineage, SessionRecord } from '../../contracts/index.ts';
import { BUDGET_MS, type Database, type Transaction, type Work } from '../database.ts';
import { messageToRow } from '../rows/message-row.ts';
import { toSeconds } from '../rows/values.ts';
import { copyMessage, copyMessages, copyShortened, shareBlobs } from './copy-messages.ts';
import { markPromptAsImported } from './imported-prompts.ts';
import { findByTitle, nextTitle } from './lineage-titles.ts';
import { countToolCalls, markReplacement } from './messages.ts';
import { explainCreateError, insertSession } from './session-changes.ts';
import { unknownSession } from './session-errors.ts';
import { inheritOrigin } from './session-origins.ts';
import { inheritSetup } from './session-setups.ts';
import {
  DESCENDANTS,
  isDelegated,
  rowToSession,
  SESSION_BY_ID,
  SESSION_COLUMNS,
  type SessionRow,
} from './session-row.ts';

type ChildSession = NewSession & { parentSessionId: string };

/** The end reason of a session that is continued in a child. */
const COMPRESSION = 'compression';

// UNION instead of UNION ALL, so that a cycle written by another program ends the recursion. The recursion also ends
// at a subagent, which does not see the conversation it works for.
const ANCESTORS = `WITH RECURSIVE line(id, depth) AS (
  SELECT s.parent_session_id, 1 FROM sessions s
  WHERE s.id = ?1 AND s.parent_session_id IS NOT NULL AND NOT ${isDelegated('s')}
  UNION SELECT p.parent_session_id, depth + 1 FROM sessions p JOIN line ON p.id = line.id
  WHERE p.parent_session_id IS NOT NULL AND NOT ${isDelegated('p')} AND depth < 10000)
SELECT ${SESSION_COLUMNS} FROM (SELECT id, MIN(depth) AS depth FROM line GROUP BY id) a
JOIN sessions s ON s.id = a.id WHERE s.id <> ?1 ORDER BY a.depth DESC`;

// Subagents are children too; those of other programs are recognised because they started before their parent ended.
// A branch is a separate conversation, whenever it started.
const CONTINUATION = `SELECT ${SESSION_COLUMNS} FROM sessions s JOIN sessions p ON p.id = s.parent_session_id
WHERE p.id = ?1 AND p.end_reason = '${COMPRESSION}' AND s.started_at >= p.ended_at
AND s.id NOT IN (SELECT session_id FROM session_branches) AND NOT ${isDelegated('s')}
ORDER BY s.started_at DESC, {order s} DESC LIMIT 1`;

// Nearest session first; a shortened copy is read with the text of its original.
const LAST_RESULT = `WITH RECURSIVE line(id, depth) AS (SELECT {text ?1}, 0
  UNION SELECT p.id, depth + 1 FROM line JOIN sessions s ON s.id = line.id JOIN sessions p ON p.id = s.parent_session_id
  WHERE p.end_reason = '${COMPRESSION}' AND s.id NOT IN (SELECT session_id FROM session_branches)
  AND NOT ${isDelegated('s')} AND depth < 10000)
SELECT COALESCE(o.content, m.content) AS content FROM line JOIN messages m ON m.session_id = line.id
LEFT JOIN messages o ON o.id = m.copy_of WHERE m.role = 'tool' AND m.tool_name = ?2
ORDER BY line.depth, m.id DESC LIMIT 1`;

const END = `UPDATE sessions SET ended_at = ?2, end_reason = '${COMPRESSION}' WHERE id = ?1`;
// The turn that splits a session continues in the child, and so does its lease.
const FORGET_LEASE = `DELETE FROM session_leases WHERE session_id = ?2
AND EXISTS (SELECT 1 FROM session_leases WHERE session_id = ?1 AND released = 0)`;
const MOVE_LEASE = 'UPDATE session_leases SET session_id = ?2 WHERE session_id = ?1 AND released = 0';
const SET_COUNTS = 'UPDATE sessions SET message_count = ?2, tool_call_count = ?3 WHERE id = ?1';
const MARK_BRANCH = 'INSERT INTO session_branches (session_id) VALUES (?1) ON CONFLICT DO NOTHING';

export function createLineage(database: Database): SessionLineage {
  const find = async (sql: string, id: string) =>
    (await database.read((db) => db.all<SessionRow>(sql, id))).map(rowToSession);
  return {
    getAncestors: (id) => find(ANCESTORS, id),
    getDescendants: (id) => find(DESCENDANTS, id),
    newestInLineage: (id) => database.read((db) => followContinuations(db, id)),
    getLastResult: async (id, toolName) =>
      (await database.read((db) => db.get<{ content: string }>(LAST_RESULT, id, toolName)))?.content,
    splitSession: (parentId, child, messages) =>
      openChild(database, { ...child, parentSessionId: parentId }, (db, session) => split(db, session, messages)),
    branchSession: (parentId, { upTo, messages, ...branch }) =>
      openChild(database, { ...branch, parentSessionId: parentId }, (db, session) =>
        openBranch(db, session, { upTo, messages }),
      ),
    resolveSessionByTitle: (title) => database.read((db) => findByTitle(db, title)),
    getNextTitleInLineage: (title) => database.read((db) => nextTitle(db, title)),
  };
}

function* followContinuations(db: Transaction, id: string): Work<SessionRecord | undefined> {
  const seen = new Set<string>();
  let newest = yield* db.get<SessionRow>(SESSION_BY_ID, id);
  for (let next = newest; next !== undefined && !seen.has(next.id); ) {
    newest = next;
    seen.add(next.id);
    next = yield* db.get<SessionRow>(CONTINUATION, next.id);
  }
  return newest && rowToSession(newest);
}

async function openChild<T>(
  database: Database,
  session: ChildSession,
  open: (db: Transaction, session: ChildSession) => Work<T>,
): Promise<T> {
  try {
    return await database.write((db) => open(db, session), BUDGET_MS.messages);
  } catch (thrown) {
    throw await explainCreateError(database, session, thrown);
  }
}

// One transaction, so that the messages are a consistent snapshot and the title is still free when it is set.
function* openBranch(db: Transaction, session: ChildSession, copied: Copied): Work<SessionRecord> {
  const { id, parentSessionId: parentId } = session;
  yield* db.lock('titles');
  yield* db.lock('sessionForShare', parentId);
  const row = yield* db.get<SessionRow>(SESSION_BY_ID, parentId);
  if (row === undefined) throw unknownSession(parentId, db.location);
  const { model, systemPrompt, isPromptImported, title } = rowToSession(row);
  const numbered = title === undefined ? undefined : yield* nextTitle(db, title);
  yield* insertSession(db, { ...session, model, systemPrompt, title: numbered });
  if (isPromptImported) yield* markPromptAsImported(db, id);
  yield* markBranch(db, id);
  yield* inheritOrigin(db, id, parentId);
  yield* inheritSetup(db, id, parentId);
  const copy = { into: id, from: parentId, timestamp: toSeconds(db.clock.now()) };
  if (copied.messages === undefined) yield* copyMessages(db, { ...copy, upTo: copied.upTo });
  else {
    for (const kept of copied.messages) yield* insertKeptMessage(db, kept, copy);
    yield* shareBlobs(db, copy);
  }
  const opened = yield* db.get<SessionRow>(SESSION_BY_ID, id);
  if (opened === undefined) throw unknownSession(id, db.location);
  return rowToSession(opened);
}

/** Which messages a branch begins with; all by default. */
type Copied = { upTo: number | undefined; messages: readonly KeptMessage[] | undefined };

/** Marks a session as a branch, so that it is not mistaken for the continuation of its parent. */
export function* markBranch(db: Transaction, id: string): Work<void> {
  yield* db.run(MARK_BRANCH, id);
}

function* split(db: Transaction, session: ChildSession, messages: readonly KeptMessage[]): Work<void> {
  const { id, parentSessionId: parentId } = session;
  yield* db.lock('titles');
  yield* db.lock('session', parentId);
  const parent = yield* db.get<SessionRow>(SESSION_BY_ID, parentId);
  if (parent === undefined) throw unknownSession(parentId, db.location);
  yield* assertUnsplit(db, parentId);
  yield* db.run(END, parentId, toSeconds(session.startedAt));
  const title = session.title ?? (parent.title === null ? undefined : yield* nextTitle(db, parent.title));
  yield* insertSession(db, { ...session, title });
  yield* inheritOrigin(db, id, parentId);
  yield* inheritSetup(db, id, parentId);
  yield* db.run(FORGET_LEASE, parentId, id);
  yield* db.run(MOVE_LEASE, parentId, id);
  // All messages get the time of the split, so that a program that sorts by time, as the original does, keeps their
  // order.
  const timestamp = toSeconds(db.clock.now());
  for (const kept of messages) yield* insertKeptMessage(db, kept, { into: id, from: parentId, timestamp });
  const own = messages.flatMap((kept) => ('copyOf' in kept || kept.isReplacement ? [] : [kept.message]));
  yield* setCounts(db, id, own.length, countToolCalls(own));
  yield* shareBlobs(db, { into: id, from: parentId });
}

export function* setCounts(db: Transaction, id: string, messages: number, toolCalls: number): Work<void> {
  yield* db.run(SET_COUNTS, id, messages, toolCalls);
}

/** Throws if the session was already split: a second split would come from a process that did not see the first one. */
function* assertUnsplit(db: Transaction, id: string): Work<void> {
  const child = yield* db.get<SessionRow>(CONTINUATION, id);
  if (child === undefined) return;
  throw new HermesError(`Session ${id} was already compressed and continues as session ${child.id}; it was not split.`);
}

function* insertKeptMessage(
  db: Transaction,
  kept: KeptMessage,
  { into, from, timestamp }: { into: string; from: string; timestamp: number },
): Work<void> {
  if (!('copyOf' in kept)) {
    yield* db.messages.insert(db, into, [{ row: messageToRow(kept.message), timestamp }]);
    if (kept.isReplacement) yield* markReplacement(db, into);
    return;
  }
  const { copyOf: messageId, message } = kept;
  const copy = { into, from, messageId, timestamp };
  const isCopied = message === undefined ? yield* copyMessage(db, copy) : yield* copyShortened(db, copy, message);
  if (!isCopied) throw new HermesError(`Session ${from} has no message ${messageId} to copy; nothing was changed.`);
}
