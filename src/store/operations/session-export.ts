import type { Cost, ToolStatus } from '../../base/index.ts';
import type {
  ExportedMessage,
  ExportedSession,
  ExportOptions,
  SessionExport,
  SessionSetup,
  SessionTransfer,
} from '../../contracts/index.ts';
import type { Database, Transaction, Work } from '../database.ts';
import { rowToMessage, type StoredRow } from '../rows/message-row.ts';
import { toMilliseconds } from '../rows/values.ts';
import { readCalls, readTurns } from './accounting.ts';
import { unknownSession } from './session-errors.ts';
import { readSetup } from './session-setups.ts';
import { isDelegated, rowToSession, SESSION_COLUMNS, type SessionRow } from './session-row.ts';

const BY_ID = `SELECT ${SESSION_COLUMNS}, s.user_id, s.model_config, s.estimated_cost_usd, s.cost_status, s.cost_source,
s.pricing_version FROM sessions s WHERE s.id = ?1`;
// In insertion order: a parent always comes before its children.
const IDS = 'SELECT s.id FROM sessions s WHERE {text ?1} IS NULL OR s.source = ?1 ORDER BY {order s}';
const LINEAGE_IDS = `WITH RECURSIVE
up(id) AS (SELECT {text ?1} UNION SELECT s.parent_session_id FROM sessions s JOIN up ON s.id = up.id
  WHERE s.parent_session_id IS NOT NULL AND NOT ${isDelegated('s')}),
down(id) AS (SELECT {text ?1} UNION SELECT s.id FROM sessions s JOIN down ON s.parent_session_id = down.id)
SELECT s.id FROM sessions s WHERE (s.id IN (SELECT id FROM up) OR s.id IN (SELECT id FROM down))
AND ({text ?2} IS NULL OR s.source = ?2) ORDER BY {order s}`;
// The position of an original in its session, and whether its copy has the same content.
const ORIGINALS = `SELECT c.id, o.session_id AS "sessionId", (SELECT COUNT(*) FROM messages b
  WHERE b.session_id = o.session_id AND b.id < o.id AND b.role IN ('user', 'assistant', 'tool')) AS position,
(o.content IS NOT DISTINCT FROM c.content AND o.tool_calls IS NOT DISTINCT FROM c.tool_calls
AND o.sent_content IS NOT DISTINCT FROM c.sent_content AND o.attachments IS NOT DISTINCT FROM c.attachments
AND o.reasoning IS NOT DISTINCT FROM c.reasoning AND o.reasoning_details IS NOT DISTINCT FROM c.reasoning_details
AND o.codex_reasoning_items IS NOT DISTINCT FROM c.codex_reasoning_items) AS "isSame"
FROM messages c JOIN messages o ON o.id = c.copy_of WHERE c.session_id = ?1 AND c.copy_of <> c.id`;
const TAKEN_BACK = 'SELECT COUNT(*) AS "takenBack" FROM undone_messages WHERE session_id = ?1';

type FullRow = SessionRow & {
  user_id: string | null;
  model_config: string | null;
  estimated_cost_usd: number | null;
  cost_status: Cost['status'] | null;
  cost_source: string | null;
  pricing_version: string | null;
};
type OriginalRow = { id: number; sessionId: string; position: number; isSame: number };

export function createSessionExport(database: Database): Pick<SessionTransfer, 'exportSession' | 'exportAll'> {
  return {
    async exportSession(id) {
      const record = await database.read((db) => exportOne(db, id, new Set()));
      if (record === undefined) throw unknownSession(id, database.location);
      return record;
    },
    exportAll: (options) => exportAll(database, options),
  };
}

// One session at a time, so that a store of any size can be exported: only the ids are held in memory.
async function* exportAll(database: Database, options: ExportOptions = {}): AsyncGenerator<SessionExport> {
  const { source = null, lineageOf } = options;
  const rows = await database.read((db) =>
    lineageOf === undefined
      ? db.all<{ id: string }>(IDS, source)
      : db.all<{ id: string }>(LINEAGE_IDS, lineageOf, source),
  );
  if (lineageOf !== undefined && rows.length === 0) throw unknownSession(lineageOf, database.location);
  const exported = new Set<string>();
  for (const { id } of rows) {
    const record = await database.read((db) => exportOne(db, id, exported));
    // A session that was deleted in the meantime is skipped; its messages are exported with the children that copied
    // them.
    if (record === undefined) continue;
    exported.add(id);
    yield record;
  }
}

function* exportOne(db: Transaction, id: string, exported: ReadonlySet<string>): Work<SessionExport | undefined> {
  const row = yield* db.get<FullRow>(BY_ID, id);
  if (row === undefined) return undefined;
  const takenBack = (yield* db.get<{ takenBack: number }>(TAKEN_BACK, id))?.takenBack ?? 0;
  return {
    format: 'hermes-session',
    version: 1,
    session: exportRow(row, yield* readSetup(db, id)),
    messages: yield* exportMessages(db, id, exported),
    turns: (yield* readTurns(db, id)).map(({ sessionId: _, ...turn }) => turn),
    calls: yield* readCalls(db, id),
    blobs: (yield* db.files.readBlobs(db, id)).map(({ hash, mediaType, bytes }) => ({
      hash,
      mediaType,
      base64: Buffer.from(bytes).toString('base64'),
    })),
    ...(takenBack > 0 && { takenBack }),
  };
}

function exportRow(row: FullRow, setup: SessionSetup | undefined): ExportedSession {
  const { messageCount: _, toolCallCount: __, isDelegated: ___, isPromptImported: ____, ...kept } = rowToSession(row);
  const { isBranch, ...session } = kept;
  const exported: ExportedSession = { ...session };
  if (setup !== undefined) exported.setup = setup;
  if (isBranch) exported.isBranch = true;
  if (row.user_id !== null) exported.userId = row.user_id;
  if (row.model_config !== null) exported.modelConfig = row.model_config;
  if (row.cost_status !== null) exported.cost = costOf(row, row.cost_status);
  // Undefined fields are removed, as in JSON, so that two exports can be compared.
  for (const key of Object.keys(exported) as (keyof ExportedSession)[]) {
    if (exported[key] === undefined) delete exported[key];
  }
  return exported;
}

function costOf(row: FullRow, status: Cost['status']): Cost {
  const cost: Cost = { usd: row.estimated_cost_usd ?? 0, status };
  if (row.cost_source !== null) cost.source = row.cost_source;
  if (row.pricing_version !== null) cost.pricingVersion = row.pricing_version;
  return cost;
}

function* exportMessages(db: Transaction, id: string, exported: ReadonlySet<string>): Work<ExportedMessage[]> {
  const rows = yield* db.messages.read(db, id);
  const hasCopies = rows.some((row) => row.copy_of !== null && row.copy_of !== row.id);
  const originals = hasCopies ? yield* db.all<OriginalRow>(ORIGINALS, id) : [];
  const byId = new Map(originals.map((original) => [original.id, original]));
  return rows.flatMap((row) => exportMessage(row, byId.get(row.id), exported) ?? []);
}

/**
 * `exportedSessions` are the sessions that precede this one in the export. Returns undefined if the row is not a
 * message.
 */
function exportMessage(
  row: StoredRow,
  original: OriginalRow | undefined,
  exportedSessions: ReadonlySet<string>,
): ExportedMessage | undefined {
  const message = rowToMessage(row);
  if (message === undefined) return undefined;
  const exported: ExportedMessage = { timestamp: toMilliseconds(row.timestamp) };
  if (row.tool_status !== null) exported.toolStatus = row.tool_status as ToolStatus;
  if (row.copy_of === row.id) exported.isReplacement = true;
  if (original !== undefined) exported.copyOf = { sessionId: original.sessionId, position: original.position };
  // A shortened copy is exported with its text, because the original has a different one.
  if (original?.isSame !== 1 || !exportedSessions.has(original.sessionId)) exported.message = message;
  return exported;
}
