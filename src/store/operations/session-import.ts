import type { Message } from '../../base/index.ts';
import type {
  ExportedMessage,
  ExportedSession,
  ImportOptions,
  ImportOutcome,
  SessionExport,
  SessionSetup,
} from '../../contracts/index.ts';
import { BUDGET_MS, type Database, type NewMessage, type Transaction, type Work } from '../database.ts';
import { messageToRow } from '../rows/message-row.ts';
import { toSeconds } from '../rows/values.ts';
import { fitTitle, splitTitle } from '../title.ts';
import { importCalls, insertTurn } from './accounting.ts';
import { blobHash, addBlobReference } from './blobs.ts';
import { copyMessage } from './copy-messages.ts';
import { markPromptAsImported } from './imported-prompts.ts';
import { markBranch, setCounts } from './lineage.ts';
import { nextTitle } from './lineage-titles.ts';
import { countToolCalls, markReplacement } from './messages.ts';
import { setOrigin } from './session-origins.ts';
import { writeSetup } from './session-setups.ts';
import { SESSION_EXISTS } from './session-row.ts';

const TITLE_TAKEN = 'SELECT 1 FROM sessions WHERE title = ?1';
const INSERT = `INSERT INTO sessions (id, source, user_id, model, model_config, system_prompt, parent_session_id, started_at,
ended_at, end_reason, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, reasoning_tokens,
estimated_cost_usd, actual_cost_usd, cost_status, cost_source, pricing_version, title)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;
const AT_POSITION = `SELECT id FROM messages WHERE session_id = ?1 AND role IN ('user', 'assistant', 'tool')
ORDER BY id LIMIT 1 OFFSET ?2`;

export function importSession(
  database: Database,
  record: SessionExport,
  options: ImportOptions = {},
): Promise<ImportOutcome> {
  return database.write((db) => importRecord(db, record, options), BUDGET_MS.messages);
}

function* importRecord(db: Transaction, record: SessionExport, options: ImportOptions): Work<ImportOutcome> {
  const { session } = record;
  const { id } = session;
  const notes: string[] = [];
  // Serialises concurrent imports of the same session or the same title.
  yield* db.lock('titles');
  if ((yield* db.get(SESSION_EXISTS, id)) !== undefined) {
    notes.push(`Session ${id} already exists and was not changed.`);
    return { sessionId: id, status: 'exists', messages: 0, notes };
  }
  yield* insertImported(db, session, notes);
  if (session.systemPrompt !== undefined && !options.isOwnPrompt) yield* markPromptAsImported(db, id);
  if (session.isBranch) yield* markBranch(db, id);
  if (session.origin !== undefined) yield* setOrigin(db, id, session.origin);
  if (session.setup !== undefined) yield* importSetup(db, session.setup, { id, isOwn: options.isOwnPrompt === true });
  const messages = yield* importMessages(db, id, record.messages, notes);
  for (const turn of record.turns) yield* insertTurn(db, { ...turn, sessionId: id });
  yield* importCalls(db, id, record.calls);
  yield* importBlobs(db, record, notes);
  return { sessionId: id, status: 'imported', messages, notes };
}

/** Tool definitions are part of every request, so those of others are dropped; the session then gets those of this home. */
function* importSetup(db: Transaction, setup: SessionSetup, { id, isOwn }: { id: string; isOwn: boolean }): Work<void> {
  const { tools: _, knownTools: __, ...choices } = setup;
  yield* writeSetup(db, id, isOwn ? setup : choices);
}

function* insertImported(db: Transaction, session: ExportedSession, notes: string[]): Work<void> {
  const { usage, cost } = session;
  // An unknown cost may still contain a partial sum, which is kept.
  const isKnown = cost !== undefined && (cost.status !== 'unknown' || cost.usd > 0);
  yield* db.run(
    INSERT,
    session.id,
    session.source,
    session.userId ?? null,
    session.model ?? null,
    session.modelConfig ?? null,
    session.systemPrompt ?? null,
    yield* findParent(db, session, notes),
    toSeconds(session.startedAt),
    session.endedAt === undefined ? null : toSeconds(session.endedAt),
    session.endReason ?? null,
    usage.input,
    usage.output,
    usage.cacheRead,
    usage.cacheWrite,
    usage.reasoning,
    isKnown ? cost.usd : null,
    cost?.status === 'actual' ? cost.usd : null,
    cost?.status ?? null,
    cost?.source ?? null,
    cost?.pricingVersion ?? null,
    yield* findTitle(db, session, notes),
  );
}

function* findParent(db: Transaction, session: ExportedSession, notes: string[]): Work<string | null> {
  const { parentSessionId: parent } = session;
  if (parent === undefined) return null;
  if ((yield* db.get(SESSION_EXISTS, parent)) !== undefined) return parent;
  notes.push(`Session ${session.id} was imported without its parent ${parent}.`);
  return null;
}

function* findTitle(db: Transaction, session: ExportedSession, notes: string[]): Work<string | null> {
  // A title that is too long must not prevent the import of the whole session.
  const title = fitTitle(session.title);
  if (title === undefined) return null;
  if ((yield* db.get(TITLE_TAKEN, title)) === undefined) return title;
  const free = yield* nextTitle(db, splitTitle(title).base);
  notes.push(`The title "${title}" of session ${session.id} is already used; it was changed to "${free}".`);
  return free;
}

/** Returns the number of stored messages. Copies are counted in the session they were copied from. */
function* importMessages(
  db: Transaction,
  sessionId: string,
  messages: readonly ExportedMessage[],
  notes: string[],
): Work<number> {
  let [stored, own, toolCalls] = [0, 0, 0];
  const plain: NewMessage[] = [];
  const insertPlain = () => db.messages.insert(db, sessionId, plain.splice(0));
  for (const exported of messages) {
    let outcome: 'own' | 'copy' | 'missing' = 'own';
    // Most messages belong to the session itself and are inserted together; a copy must be inserted after the
    // messages before it.
    if (isPlain(exported)) {
      plain.push(toNew(exported, exported.message));
    } else {
      yield* insertPlain();
      outcome = yield* importMessage(db, sessionId, exported);
    }
    if (outcome === 'missing') continue;
    stored += 1;
    if (outcome === 'copy') continue;
    own += 1;
    if (exported.message) toolCalls += countToolCalls([exported.message]);
  }
  yield* insertPlain();
  yield* setCounts(db, sessionId, own, toolCalls);
  if (stored < messages.length) {
    const missing = messages.length - stored;
    notes.push(`Session ${sessionId} lacks ${missing} messages that are only in its parent; import the parent first.`);
  }
  return stored;
}

function isPlain(exported: ExportedMessage): exported is ExportedMessage & { message: Message } {
  return exported.message !== undefined && exported.copyOf === undefined && !exported.isReplacement;
}

function toNew({ timestamp, toolStatus }: ExportedMessage, message: Message, copyOf?: number): NewMessage {
  return { row: messageToRow(message), timestamp: toSeconds(timestamp), toolStatus, copyOf };
}

function* importMessage(
  db: Transaction,
  sessionId: string,
  exported: ExportedMessage,
): Work<'own' | 'copy' | 'missing'> {
  const { message, copyOf, isReplacement } = exported;
  const original = copyOf && (yield* db.get<{ id: number }>(AT_POSITION, copyOf.sessionId, copyOf.position));
  if (message !== undefined) {
    yield* db.messages.insert(db, sessionId, [toNew(exported, message, original?.id)]);
    if (original !== undefined) return 'copy';
    if (!isReplacement) return 'own';
    yield* markReplacement(db, sessionId);
    return 'copy';
  }
  if (copyOf === undefined || original === undefined) return 'missing';
  const timestamp = toSeconds(exported.timestamp);
  const copy = { into: sessionId, from: copyOf.sessionId, messageId: original.id, timestamp };
  return (yield* copyMessage(db, copy)) ? 'copy' : 'missing';
}

function* importBlobs(db: Transaction, { session, blobs }: SessionExport, notes: string[]): Work<void> {
  for (const { hash, mediaType, base64 } of blobs) {
    const bytes = Buffer.from(base64, 'base64');
    if (blobHash(bytes) === hash) yield* addBlobReference(db, session.id, { hash, mediaType, bytes });
    else notes.push(`A file of session ${session.id} does not match its hash and was skipped.`);
  }
}
