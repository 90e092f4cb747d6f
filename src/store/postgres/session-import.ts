import type { Message } from '../../base/index.ts';
import type { ExportedMessage, ExportedSession, ImportOutcome, SessionExport } from '../../contracts/index.ts';
import { countToolCalls } from '../count-tool-calls.ts';
import { messageToRow } from '../message-row.ts';
import { callOf, type CallRow } from '../rows/call-row.ts';
import { toSeconds } from '../rows/time.ts';
import { fitTitle, splitTitle } from '../title.ts';
import { unknownCalls } from '../unknown-calls.ts';
import { CALLS, insertCallRow, insertTurn } from './accounting.ts';
import { blobHash } from '../blob-hash.ts';
import { referToBlob } from './blobs.ts';
import { markBranch } from './branch.ts';
import type { Connection, Queries } from './connection.ts';
import { copyMessage } from './copy-messages.ts';
import { lockTitles, nextTitle } from './lineage-titles.ts';
import { insertMessages, markReplacement, type NewMessage } from './messages.ts';
import { BUDGET_MS } from './retry.ts';

const EXISTS = 'SELECT 1 FROM sessions WHERE id = $1';
const TITLE_TAKEN = 'SELECT 1 FROM sessions WHERE title = $1';
const INSERT = `INSERT INTO sessions (id, source, user_id, model, model_config, system_prompt, parent_session_id, started_at,
ended_at, end_reason, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, reasoning_tokens,
estimated_cost_usd, actual_cost_usd, cost_status, cost_source, pricing_version, title)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21)`;
const COUNT = 'UPDATE sessions SET message_count = $2, tool_call_count = $3 WHERE id = $1';
const AT_POSITION = 'SELECT id FROM messages WHERE session_id = $1 ORDER BY id LIMIT 1 OFFSET $2';

export function importSession(connection: Connection, record: SessionExport): Promise<ImportOutcome> {
  return connection.write((db) => importRecord(db, record), BUDGET_MS.messages);
}

async function importRecord(db: Queries, record: SessionExport): Promise<ImportOutcome> {
  const { session } = record;
  const notes: string[] = [];
  // Two who bring the same session, and two who bring the same title, come one after the other.
  await lockTitles(db);
  if ((await db.get(EXISTS, session.id)) !== undefined) {
    notes.push(`Session ${session.id} is here already and was left as it is.`);
    return { sessionId: session.id, status: 'exists', messages: 0, notes };
  }
  await insertImported(db, session, notes);
  if (session.isBranch) await markBranch(db, session.id);
  const messages = await importMessages(db, session.id, record.messages, notes);
  for (const turn of record.turns) await insertTurn(db, { ...turn, sessionId: session.id });
  const recorded = (await db.all<CallRow>(CALLS, session.id)).map(callOf);
  for (const call of unknownCalls(record.calls, recorded)) await insertCallRow(db, session.id, call);
  await importBlobs(db, record, notes);
  return { sessionId: session.id, status: 'imported', messages, notes };
}

async function insertImported(db: Queries, session: ExportedSession, notes: string[]): Promise<void> {
  const { id, source, usage, cost } = session;
  // What is known of a sum stays known, also where it is not all of it.
  const known = cost !== undefined && (cost.status !== 'unknown' || cost.usd > 0);
  await db.run(
    INSERT,
    ...[id, source, session.userId ?? null, session.model ?? null],
    ...[session.modelConfig ?? null, session.systemPrompt ?? null, await findParent(db, session, notes)],
    ...[toSeconds(session.startedAt), session.endedAt === undefined ? null : toSeconds(session.endedAt)],
    ...[session.endReason ?? null, usage.input, usage.output, usage.cacheRead, usage.cacheWrite, usage.reasoning],
    ...[known ? cost.usd : null, cost?.status === 'actual' ? cost.usd : null, cost?.status ?? null],
    ...[cost?.source ?? null, cost?.pricingVersion ?? null, await findTitle(db, session, notes)],
  );
}

async function findParent(db: Queries, session: ExportedSession, notes: string[]): Promise<string | null> {
  const { parentSessionId: parent } = session;
  if (parent === undefined) return null;
  if ((await db.get(EXISTS, parent)) !== undefined) return parent;
  notes.push(`Session ${session.id} came without its parent ${parent} and stands alone.`);
  return null;
}

async function findTitle(db: Queries, session: ExportedSession, notes: string[]): Promise<string | null> {
  // A title that is too long must not keep a whole session out.
  const title = fitTitle(session.title);
  if (title === undefined) return null;
  if ((await db.get(TITLE_TAKEN, title)) === undefined) return title;
  const free = await nextTitle(db, splitTitle(title).base);
  notes.push(`The title "${title}" of session ${session.id} is taken; it is "${free}" here.`);
  return free;
}

/** Gives back how many were stored. Copies are counted with the session they were copied from. */
async function importMessages(
  db: Queries,
  sessionId: string,
  messages: readonly ExportedMessage[],
  notes: string[],
): Promise<number> {
  let [stored, own, toolCalls] = [0, 0, 0];
  const plain: NewMessage[] = [];
  const insertPlain = () => insertMessages(db, sessionId, plain.splice(0));
  for (const exported of messages) {
    // Most are messages of their own, which are stored together; anything else has to come after those before it.
    if (!isPlain(exported)) await insertPlain();
    const how = isPlain(exported)
      ? (plain.push(toNew(exported, exported.message)), 'own')
      : await importMessage(db, sessionId, exported);
    if (how === 'missing') continue;
    stored += 1;
    if (how === 'copy') continue;
    own += 1;
    if (exported.message) toolCalls += countToolCalls([exported.message]);
  }
  await insertPlain();
  await db.run(COUNT, sessionId, own, toolCalls);
  if (stored < messages.length) {
    const missing = messages.length - stored;
    notes.push(`Session ${sessionId} lacks ${missing} messages that only its parent held; import the parent first.`);
  }
  return stored;
}

function isPlain(exported: ExportedMessage): exported is ExportedMessage & { message: Message } {
  return exported.message !== undefined && exported.copyOf === undefined && !exported.isReplacement;
}

function toNew({ timestamp, toolStatus }: ExportedMessage, message: Message, copyOf?: number): NewMessage {
  return { row: messageToRow(message), timestamp: toSeconds(timestamp), toolStatus, copyOf };
}

async function importMessage(
  db: Queries,
  sessionId: string,
  exported: ExportedMessage,
): Promise<'own' | 'copy' | 'missing'> {
  const { message, copyOf, isReplacement } = exported;
  const original = copyOf && (await db.get<{ id: number }>(AT_POSITION, copyOf.sessionId, copyOf.position));
  if (message !== undefined) {
    const ids = await insertMessages(db, sessionId, [toNew(exported, message, original?.id)]);
    if (original !== undefined) return 'copy';
    if (!isReplacement) return 'own';
    await markReplacement(db, ids);
    return 'copy';
  }
  if (copyOf === undefined || original === undefined) return 'missing';
  const timestamp = toSeconds(exported.timestamp);
  const copy = { into: sessionId, from: copyOf.sessionId, messageId: original.id, timestamp };
  return (await copyMessage(db, copy)) ? 'copy' : 'missing';
}

async function importBlobs(db: Queries, { session, blobs }: SessionExport, notes: string[]): Promise<void> {
  for (const { hash, mediaType, base64 } of blobs) {
    const bytes = Buffer.from(base64, 'base64');
    if (blobHash(bytes) === hash) await referToBlob(db, session.id, { hash, mediaType, bytes });
    else notes.push(`A file of session ${session.id} did not arrive whole and was left out.`);
  }
}
