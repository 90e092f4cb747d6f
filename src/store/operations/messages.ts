import { type Attachment, HermesError, type Message } from '../../base/index.ts';
import type { AppendDetails, CallRecord, SessionStore } from '../../contracts/index.ts';
import { BUDGET_MS, type Database, type Transaction, type Work } from '../database.ts';
import { listFromJson } from '../rows/json-columns.ts';
import { messageToRow, rowToMessage, rowToStored } from '../rows/message-row.ts';
import { toSeconds } from '../rows/values.ts';
import { countCall, insertCallRow } from './accounting.ts';
import { addFileChanges } from './file-changes.ts';
import { unknownSession } from './session-errors.ts';

type Messages = Pick<
  SessionStore,
  'appendMessages' | 'setAttachments' | 'setSentContent' | 'getMessages' | 'getConversation'
>;

const COUNT = `UPDATE sessions SET message_count = COALESCE(message_count, 0) + ?,
tool_call_count = COALESCE(tool_call_count, 0) + ? WHERE id = ?`;
const NEWEST = `SELECT id, role, attachments FROM messages
WHERE id = (SELECT MAX(id) FROM messages WHERE session_id = ?)`;
/** The result of a call that the model has not answered yet. */
const UNANSWERED_RESULT = `SELECT id, role, attachments FROM messages WHERE session_id = ?1 AND tool_call_id = ?2
AND role = 'tool' AND id > COALESCE((SELECT MAX(id) FROM messages WHERE session_id = ?1 AND role = 'assistant'), 0)`;
const SET_ATTACHMENTS = 'UPDATE messages SET attachments = ? WHERE id = ?';
const SET_SENT_CONTENT = 'UPDATE messages SET sent_content = ? WHERE id = ?';
const MARK_REPLACEMENT = `UPDATE messages SET copy_of = id
WHERE id = (SELECT MAX(id) FROM messages WHERE session_id = ?)`;

type NewestRow = { id: number; role: string; attachments: string | null };

export function createMessages(database: Database): Messages {
  return {
    appendMessages: (sessionId, messages, call, details) =>
      database.write((db) => append(db, sessionId, messages, call, details), BUDGET_MS.messages),
    setAttachments: (sessionId, attachments, toolCallId) =>
      database.write((db) => setAttachments(db, sessionId, attachments, toolCallId), BUDGET_MS.messages),
    setSentContent: (sessionId, sentContent) =>
      database.write((db) => setSentContent(db, sessionId, sentContent), BUDGET_MS.messages),
    async getMessages(sessionId, { after, limit } = {}) {
      let page = { after, limit };
      for (;;) {
        const rows = await database.read((db) => db.messages.read(db, sessionId, page));
        const messages = rows.map((row) => rowToStored(sessionId, row)).filter((stored) => stored !== undefined);
        // A page of rows that are no messages is skipped, because an empty page means the end.
        if (messages.length > 0 || limit === undefined || rows.length < limit) return messages;
        page = { after: rows.at(-1)?.id, limit };
      }
    },
    async getConversation(sessionId) {
      const rows = await database.read((db) => db.messages.read(db, sessionId));
      return rows.map(rowToMessage).filter((message) => message !== undefined);
    },
  };
}

/**
 * One transaction, so that a step is stored with its usage or not at all. The counts are updated first: this shows
 * whether the session exists and locks its row, so that ids ascend in the order of the messages.
 */
function* append(
  db: Transaction,
  sessionId: string,
  messages: readonly Message[],
  call?: CallRecord,
  details: AppendDetails = {},
): Work<void> {
  const timestamp = toSeconds(db.clock.now());
  const rows = messages.map((message) => ({
    row: messageToRow(message),
    timestamp,
    toolStatus: message.role === 'tool' ? details.toolStatus?.[message.toolCallId] : undefined,
  }));
  const added = { messages: messages.length, toolCalls: countToolCalls(messages) };
  const isCounted =
    call === undefined
      ? (yield* db.run(COUNT, added.messages, added.toolCalls, sessionId)) > 0
      : yield* countCall(db, sessionId, call, added);
  if (!isCounted) throw unknownSession(sessionId, db.location);
  yield* db.messages.insert(db, sessionId, rows);
  if (call !== undefined) yield* insertCallRow(db, sessionId, call);
  yield* addFileChanges(db, sessionId, details);
}

/**
 * Only an unanswered message is changed, and only if it has the same number of attachments: everything before it has
 * been sent.
 */
function* setAttachments(
  db: Transaction,
  sessionId: string,
  attachments: readonly Attachment[],
  toolCallId: string | undefined,
): Work<void> {
  yield* db.lock('session', sessionId);
  const found =
    toolCallId === undefined
      ? yield* db.get<NewestRow>(NEWEST, sessionId)
      : yield* db.get<NewestRow>(UNANSWERED_RESULT, sessionId, toolCallId);
  const known = listFromJson(found?.attachments ?? '');
  const role = toolCallId === undefined ? 'user' : 'tool';
  if (found?.role !== role || known?.length !== attachments.length) {
    const which = toolCallId === undefined ? 'newest message' : `result of the call ${toolCallId}`;
    throw new HermesError(`The ${which} of session ${sessionId} does not have these attachments; nothing was changed.`);
  }
  yield* db.run(SET_ATTACHMENTS, JSON.stringify(attachments), found.id);
}

function* setSentContent(db: Transaction, sessionId: string, sentContent: string): Work<void> {
  yield* db.lock('session', sessionId);
  const newest = yield* db.get<NewestRow>(NEWEST, sessionId);
  if (newest?.role !== 'user') {
    throw new HermesError(`The newest message of session ${sessionId} is not a user message; nothing was changed.`);
  }
  yield* db.run(SET_SENT_CONTENT, sentContent, newest.id);
}

/**
 * Called right after the insert: marks the newest message of a session as a replacement, which neither the user nor
 * the model wrote. It counts as a copy of itself, so that everything that skips copies skips it too.
 */
export function* markReplacement(db: Transaction, sessionId: string): Work<void> {
  yield* db.run(MARK_REPLACEMENT, sessionId);
}

export function countToolCalls(messages: readonly Message[]): number {
  let count = 0;
  for (const message of messages) if (message.role === 'assistant') count += message.toolCalls?.length ?? 0;
  return count;
}
