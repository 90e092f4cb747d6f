import { type Attachment, HermesError, type Message } from '../../base/index.ts';
import type { AppendDetails, CallRecord, SessionStore } from '../../contracts/index.ts';
import { type MessageRow, messageToRow, rowToMessage } from '../message-row.ts';
import { countToolCalls } from '../count-tool-calls.ts';
import { rowToStored, type StoredRow } from '../rows/stored-row.ts';
import { toSeconds } from '../rows/time.ts';
import { insertCall } from './accounting.ts';
import type { Connection } from './connection.ts';
import { restoreCutText } from './nul-text.ts';
import { BUDGET_MS } from './retry.ts';
import { unknownSession } from '../session-errors.ts';

type Messages = Pick<
  SessionStore,
  'appendMessages' | 'setAttachments' | 'setSentContent' | 'getMessages' | 'getConversation'
>;

type Text = string | null;
/** A row of `SELECT`, in the order of its columns. */
type ColumnValues = [
  number,
  string,
  Text,
  Text,
  Text,
  Text,
  Text,
  Text,
  Text,
  Text,
  Text,
  Text,
  number,
  Text,
  number | null,
  Text,
];

const COLUMNS = `role, content, tool_call_id, tool_calls, tool_name, finish_reason, reasoning, reasoning_details,
codex_reasoning_items, sent_content, producer, timestamp, tool_status, copy_of, attachments`;
const INSERT = `INSERT INTO messages (session_id, ${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;
// In the order of the index; put into the order of the ids afterwards, which nearly always is the same.
const SELECT = `SELECT id, ${COLUMNS} FROM messages WHERE session_id = ? ORDER BY timestamp, id`;
// By the ids alone, of which only the newest are looked at: a session that is watched is asked for again and again.
const SELECT_AFTER = `SELECT id, ${COLUMNS} FROM messages WHERE id > ?2 AND +session_id = ?1`;
const COUNT = `UPDATE sessions SET message_count = COALESCE(message_count, 0) + ?,
tool_call_count = COALESCE(tool_call_count, 0) + ? WHERE id = ?`;

// The newest message only, and only where it has as many already: everything before it may have been sent.
const SET_ATTACHMENTS = `UPDATE messages SET attachments = ?1 WHERE id = (SELECT MAX(id) FROM messages WHERE session_id = ?2)
AND role = 'user' AND json_valid(attachments) AND json_array_length(attachments) = ?3`;

const SET_SENT_CONTENT = `UPDATE messages SET sent_content = ?1
WHERE id = (SELECT MAX(id) FROM messages WHERE session_id = ?2) AND role = 'user'`;

export function createMessages(connection: Connection): Messages {
  return {
    appendMessages: (sessionId, messages, call, details) =>
      connection.write(() => append(connection, sessionId, messages, call, details), BUDGET_MS.messages),
    setAttachments: (sessionId, attachments) =>
      connection.write(() => setAttachments(connection, sessionId, attachments), BUDGET_MS.messages),
    setSentContent: (sessionId, sentContent) =>
      connection.write(() => setSentContent(connection, sessionId, sentContent), BUDGET_MS.messages),
    async getMessages(sessionId, { after } = {}) {
      const rows = await connection.read(() => readRows(connection, sessionId, after));
      return rows.map((row) => rowToStored(sessionId, row)).filter((stored) => stored !== undefined);
    },
    async getConversation(sessionId) {
      const rows = await connection.read(() => readRows(connection, sessionId));
      return rows.map(rowToMessage).filter((message) => message !== undefined);
    },
  };
}

/**
 * One transaction, so that a step is either stored with its figures or not at all. The session is counted up first,
 * because that also tells whether it exists, before anything was written in vain.
 */
function append(
  connection: Connection,
  sessionId: string,
  messages: readonly Message[],
  call?: CallRecord,
  details: AppendDetails = {},
): void {
  const timestamp = toSeconds(connection.clock.now());
  const counted = connection.run(COUNT, messages.length, countToolCalls(messages), sessionId);
  if (counted === 0) throw unknownSession(sessionId, connection.file);
  for (const message of messages) {
    const toolStatus = message.role === 'tool' ? details.toolStatus?.[message.toolCallId] : undefined;
    insertMessage(connection, sessionId, messageToRow(message), { timestamp, toolStatus });
  }
  if (call !== undefined) insertCall(connection, sessionId, call);
}

function setAttachments(connection: Connection, sessionId: string, attachments: readonly Attachment[]): void {
  const changed = connection.run(SET_ATTACHMENTS, JSON.stringify(attachments), sessionId, attachments.length);
  if (changed > 0) return;
  throw new HermesError(`The newest message of session ${sessionId} has no such attachments; nothing was changed.`);
}

function setSentContent(connection: Connection, sessionId: string, sentContent: string): void {
  if (connection.run(SET_SENT_CONTENT, sentContent, sessionId) > 0) return;
  throw new HermesError(`The newest message of session ${sessionId} is not the user's; nothing was changed.`);
}

export type InsertDetails = {
  /** In seconds. */
  timestamp: number;
  toolStatus?: string;
  copyOf?: number;
};

/** Inside a transaction that counts the message. */
export function insertMessage(
  connection: Connection,
  sessionId: string,
  row: MessageRow,
  { timestamp, toolStatus, copyOf }: InsertDetails,
): void {
  connection.run(
    INSERT,
    sessionId,
    row.role,
    row.content,
    row.tool_call_id,
    row.tool_calls,
    row.tool_name,
    row.finish_reason,
    row.reasoning,
    row.reasoning_details,
    row.codex_reasoning_items,
    row.sent_content,
    row.producer,
    timestamp,
    toolStatus ?? null,
    copyOf ?? null,
    row.attachments,
  );
}

/**
 * Right after the insert: nobody said this message. It counts as a copy of itself, so whatever leaves out copies leaves
 * it out as well, and the small index of copies has it.
 */
export function markReplacement(connection: Connection): void {
  connection.run('UPDATE messages SET copy_of = id WHERE id = (SELECT MAX(id) FROM messages)');
}

/** Messages are in the order in which they were stored, whatever the clock did in between. */
export function readRows(connection: Connection, sessionId: string, after?: number): StoredRow[] {
  const lists =
    after === undefined ? connection.lists(SELECT, sessionId) : connection.lists(SELECT_AFTER, sessionId, after);
  const rows = (lists as ColumnValues[]).map(toStoredRow).sort((a, b) => a.id - b.id);
  return rows.length > 0 && connection.cutsText() ? restoreCutText(connection, sessionId, rows) : rows;
}

// A literal with a fixed shape: with objects made by the driver, reading a long history takes half as long again.
function toStoredRow(values: ColumnValues): StoredRow {
  return {
    id: values[0],
    role: values[1],
    content: values[2],
    tool_call_id: values[3],
    tool_calls: values[4],
    tool_name: values[5],
    finish_reason: values[6],
    reasoning: values[7],
    reasoning_details: values[8],
    codex_reasoning_items: values[9],
    sent_content: values[10],
    producer: values[11],
    timestamp: values[12],
    tool_status: values[13],
    copy_of: values[14],
    attachments: values[15],
  };
}
