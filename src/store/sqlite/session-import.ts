import type { ExportedMessage, ExportedSession, ImportOutcome, SessionExport } from '../../contracts/index.ts';
import { countToolCalls } from '../count-tool-calls.ts';
import { messageToRow } from '../message-row.ts';
import { callOf, type CallRow } from '../rows/call-row.ts';
import { fitTitle, splitTitle } from '../title.ts';
import { unknownCalls } from '../unknown-calls.ts';
import { insertCallRow, insertTurn } from './accounting.ts';
import { blobHash } from '../blob-hash.ts';
import { referToBlob } from './blobs.ts';
import { markBranch } from './branch.ts';
import { CALLS } from './call-row.ts';
import type { Connection } from './connection.ts';
import { copyMessage } from './copy-messages.ts';
import { nextTitle } from './lineage-titles.ts';
import { insertMessage, markReplacement } from './messages.ts';
import { BUDGET_MS } from './retry.ts';
import { toSeconds } from '../rows/time.ts';

const EXISTS = 'SELECT 1 FROM sessions WHERE id = ?';
const TITLE_TAKEN = 'SELECT 1 FROM sessions WHERE title = ?';
const INSERT = `INSERT INTO sessions (id, source, user_id, model, model_config, system_prompt, parent_session_id, started_at,
ended_at, end_reason, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, reasoning_tokens,
estimated_cost_usd, actual_cost_usd, cost_status, cost_source, pricing_version, title)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;
const COUNT = 'UPDATE sessions SET message_count = ?, tool_call_count = ? WHERE id = ?';
const AT_POSITION = `SELECT id FROM messages WHERE session_id = ? AND role IN ('user', 'assistant', 'tool')
ORDER BY id LIMIT 1 OFFSET ?`;

export function importSession(connection: Connection, record: SessionExport): Promise<ImportOutcome> {
  return connection.write(() => importRecord(connection, record), BUDGET_MS.messages);
}

function importRecord(connection: Connection, record: SessionExport): ImportOutcome {
  const { session } = record;
  const notes: string[] = [];
  if (connection.get(EXISTS, session.id) !== undefined) {
    notes.push(`Session ${session.id} is here already and was left as it is.`);
    return { sessionId: session.id, status: 'exists', messages: 0, notes };
  }
  insertImported(connection, session, notes);
  if (session.isBranch) markBranch(connection, session.id);
  const messages = importMessages(connection, session.id, record.messages, notes);
  for (const turn of record.turns) insertTurn(connection, { ...turn, sessionId: session.id });
  const recorded = (connection.all(CALLS, session.id) as CallRow[]).map((row) => callOf(row));
  for (const call of unknownCalls(record.calls, recorded)) insertCallRow(connection, session.id, call);
  importBlobs(connection, record, notes);
  return { sessionId: session.id, status: 'imported', messages, notes };
}

function insertImported(connection: Connection, session: ExportedSession, notes: string[]): void {
  const { id, source, usage, cost } = session;
  // What is known of a sum stays known, also where it is not all of it.
  const known = cost !== undefined && (cost.status !== 'unknown' || cost.usd > 0);
  connection.run(
    INSERT,
    ...[id, source, session.userId ?? null, session.model ?? null],
    ...[session.modelConfig ?? null, session.systemPrompt ?? null, findParent(connection, session, notes)],
    ...[toSeconds(session.startedAt), session.endedAt === undefined ? null : toSeconds(session.endedAt)],
    ...[session.endReason ?? null, usage.input, usage.output, usage.cacheRead, usage.cacheWrite, usage.reasoning],
    ...[known ? cost.usd : null, cost?.status === 'actual' ? cost.usd : null, cost?.status ?? null],
    ...[cost?.source ?? null, cost?.pricingVersion ?? null, findTitle(connection, session, notes)],
  );
}

function findParent(connection: Connection, session: ExportedSession, notes: string[]): string | null {
  const { parentSessionId: parent } = session;
  if (parent === undefined) return null;
  if (connection.get(EXISTS, parent) !== undefined) return parent;
  notes.push(`Session ${session.id} came without its parent ${parent} and stands alone.`);
  return null;
}

function findTitle(connection: Connection, session: ExportedSession, notes: string[]): string | null {
  // A title that is too long must not keep a whole session out.
  const title = fitTitle(session.title);
  if (title === undefined) return null;
  if (connection.get(TITLE_TAKEN, title) === undefined) return title;
  const free = nextTitle(connection, splitTitle(title).base);
  notes.push(`The title "${title}" of session ${session.id} is taken; it is "${free}" here.`);
  return free;
}

/** Gives back how many were stored. Copies are counted with the session they were copied from. */
function importMessages(
  connection: Connection,
  sessionId: string,
  messages: readonly ExportedMessage[],
  notes: string[],
): number {
  let [stored, own, toolCalls] = [0, 0, 0];
  for (const exported of messages) {
    const how = importMessage(connection, sessionId, exported);
    if (how === 'missing') continue;
    stored += 1;
    if (how === 'copy') continue;
    own += 1;
    if (exported.message) toolCalls += countToolCalls([exported.message]);
  }
  connection.run(COUNT, own, toolCalls, sessionId);
  if (stored < messages.length) {
    const missing = messages.length - stored;
    notes.push(`Session ${sessionId} lacks ${missing} messages that only its parent held; import the parent first.`);
  }
  return stored;
}

function importMessage(
  connection: Connection,
  sessionId: string,
  exported: ExportedMessage,
): 'own' | 'copy' | 'missing' {
  const { message, copyOf, toolStatus, isReplacement } = exported;
  const timestamp = toSeconds(exported.timestamp);
  const original =
    copyOf && (connection.get(AT_POSITION, copyOf.sessionId, copyOf.position) as { id: number } | undefined);
  if (message !== undefined) {
    insertMessage(connection, sessionId, messageToRow(message), { timestamp, toolStatus, copyOf: original?.id });
    if (original !== undefined) return 'copy';
    if (!isReplacement) return 'own';
    markReplacement(connection);
    return 'copy';
  }
  if (copyOf === undefined || original === undefined) return 'missing';
  const copied = copyMessage(connection, {
    into: sessionId,
    from: copyOf.sessionId,
    messageId: original.id,
    timestamp,
  });
  return copied ? 'copy' : 'missing';
}

function importBlobs(connection: Connection, { session, blobs }: SessionExport, notes: string[]): void {
  for (const { hash, mediaType, base64 } of blobs) {
    const bytes = Buffer.from(base64, 'base64');
    if (blobHash(bytes) === hash) referToBlob(connection, session.id, { hash, mediaType, bytes });
    else notes.push(`A file of session ${session.id} did not arrive whole and was left out.`);
  }
}
