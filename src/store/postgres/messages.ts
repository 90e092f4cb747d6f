import { type Attachment, HermesError, type Message } from '../../base/index.ts';
import type { AppendDetails, CallRecord, SessionStore } from '../../contracts/index.ts';
import { attachmentsFromJson } from '../attachment-json.ts';
import { countToolCalls } from '../count-tool-calls.ts';
import { type MessageRow, messageToRow, rowToMessage } from '../message-row.ts';
import { rowToStored, type StoredRow } from '../rows/stored-row.ts';
import { toSeconds } from '../rows/time.ts';
import { unknownSession } from '../session-errors.ts';
import { insertCall } from './accounting.ts';
import type { Connection, Queries } from './connection.ts';
import type { SqlValue } from './driver.ts';
import { BUDGET_MS } from './retry.ts';
import { termsOf } from './terms.ts';

type Messages = Pick<
  SessionStore,
  'appendMessages' | 'setAttachments' | 'setSentContent' | 'getMessages' | 'getConversation'
>;

const COLUMNS = `role, content, tool_call_id, tool_calls, tool_name, finish_reason, reasoning, reasoning_details,
codex_reasoning_items, sent_content, producer, timestamp, tool_status, copy_of, attachments`;
/** Of one message, with the session, the columns and the terms; more than so many messages are several statements. */
const VALUES_EACH = 17;
const MOST_AT_ONCE = 40;
const SELECT = `SELECT id, ${COLUMNS} FROM messages WHERE session_id = $1 AND id > $2 ORDER BY id`;
// Also the lock that makes whoever else writes to this session wait, so that ids rise in the order of the messages.
const COUNT = `UPDATE sessions SET message_count = message_count + $2, tool_call_count = tool_call_count + $3
WHERE id = $1`;
const LOCK = 'SELECT 1 FROM sessions WHERE id = $1 FOR UPDATE';
const NEWEST = 'SELECT id, role, attachments FROM messages WHERE session_id = $1 ORDER BY id DESC LIMIT 1';

export function createMessages(connection: Connection): Messages {
  return {
    appendMessages: (sessionId, messages, call, details) =>
      connection.write((db) => append(connection, db, { sessionId, messages, call, details }), BUDGET_MS.messages),
    setAttachments: (sessionId, attachments) =>
      connection.write((db) => setAttachments(db, sessionId, attachments), BUDGET_MS.messages),
    setSentContent: (sessionId, sentContent) =>
      connection.write((db) => setSentContent(db, sessionId, sentContent), BUDGET_MS.messages),
    async getMessages(sessionId, { after } = {}) {
      const rows = await connection.read((db) => readRows(db, sessionId, after));
      return rows.map((row) => rowToStored(sessionId, row)).filter((stored) => stored !== undefined);
    },
    async getConversation(sessionId) {
      const rows = await connection.read((db) => readRows(db, sessionId));
      return rows.map(rowToMessage).filter((message) => message !== undefined);
    },
  };
}

type Appended = {
  sessionId: string;
  messages: readonly Message[];
  call: CallRecord | undefined;
  details: AppendDetails | undefined;
};

/** The session is counted up first, because that also tells whether it exists, before anything was written in vain. */
async function append(connection: Connection, db: Queries, appended: Appended): Promise<void> {
  const { sessionId, messages, call, details = {} } = appended;
  const timestamp = toSeconds(connection.clock.now());
  // Before anything is sent: what cannot be stored must not be found out half-way.
  const rows = messages.map((message) => ({ message, row: messageToRow(message) }));
  const counted = await db.run(COUNT, sessionId, messages.length, countToolCalls(messages));
  if (counted === 0) throw unknownSession(sessionId, connection.place);
  const inserts = rows.map(({ message, row }): NewMessage => {
    const toolStatus = message.role === 'tool' ? details.toolStatus?.[message.toolCallId] : undefined;
    return { row, timestamp, toolStatus };
  });
  await insertMessages(db, sessionId, inserts);
  if (call !== undefined) await insertCall(connection, db, sessionId, call);
}

async function setAttachments(db: Queries, sessionId: string, attachments: readonly Attachment[]): Promise<void> {
  await db.run(LOCK, sessionId);
  const newest = await db.get<{ id: number; role: string; attachments: string | null }>(NEWEST, sessionId);
  const known = attachmentsFromJson(newest?.attachments ?? '');
  if (newest?.role !== 'user' || known?.length !== attachments.length) {
    throw new HermesError(`The newest message of session ${sessionId} has no such attachments; nothing was changed.`);
  }
  await db.run('UPDATE messages SET attachments = $2 WHERE id = $1', newest.id, JSON.stringify(attachments));
}

async function setSentContent(db: Queries, sessionId: string, sentContent: string): Promise<void> {
  await db.run(LOCK, sessionId);
  const newest = await db.get<{ id: number; role: string }>(NEWEST, sessionId);
  if (newest?.role !== 'user') {
    throw new HermesError(`The newest message of session ${sessionId} is not the user's; nothing was changed.`);
  }
  await db.run('UPDATE messages SET sent_content = $2 WHERE id = $1', newest.id, sentContent);
}

export type NewMessage = {
  row: MessageRow;
  /** In seconds. */
  timestamp: number;
  toolStatus?: string;
  copyOf?: number;
};

/** Inside a transaction that counts the messages; their ids. As few statements as possible: each is a round trip. */
export async function insertMessages(
  db: Queries,
  sessionId: string,
  messages: readonly NewMessage[],
): Promise<number[]> {
  const ids: number[] = [];
  for (let from = 0; from < messages.length; from += MOST_AT_ONCE) {
    const some = messages.slice(from, from + MOST_AT_ONCE);
    const values = some.flatMap((message) => valuesOf(sessionId, message));
    const rows = await db.all<{ id: number }>(insertStatement(some.length), ...values);
    ids.push(...rows.map(({ id }) => id));
  }
  return ids;
}

function insertStatement(messages: number): string {
  const tuples = Array.from({ length: messages }, (_, message) => {
    const names = Array.from({ length: VALUES_EACH }, (_value, value) => `$${message * VALUES_EACH + value + 1}`);
    const terms = `array_to_tsvector(${names.pop()}::text[])`;
    return `(${[...names, terms].join(', ')})`;
  });
  return `INSERT INTO messages (session_id, ${COLUMNS}, terms) VALUES ${tuples.join(', ')} RETURNING id`;
}

function valuesOf(sessionId: string, { row, timestamp, toolStatus, copyOf }: NewMessage): SqlValue[] {
  return [
    ...[sessionId, row.role, row.content, row.tool_call_id, row.tool_calls, row.tool_name, row.finish_reason],
    ...[row.reasoning, row.reasoning_details, row.codex_reasoning_items, row.sent_content, row.producer],
    ...[timestamp, toolStatus ?? null, copyOf ?? null, row.attachments, termsOf(row)],
  ];
}

/** Nobody said this message: it counts as a copy of itself, so whatever leaves out copies leaves it out as well. */
export async function markReplacement(db: Queries, ids: readonly number[]): Promise<void> {
  for (const id of ids) await db.run('UPDATE messages SET copy_of = id WHERE id = $1', id);
}

/** Messages are in the order in which they were stored, whatever the clock did in between. */
export function readRows(db: Queries, sessionId: string, after = 0): Promise<StoredRow[]> {
  return db.all<StoredRow>(SELECT, sessionId, after);
}
