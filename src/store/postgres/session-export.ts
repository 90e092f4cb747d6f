import type {
  ExportedBlob,
  ExportedMessage,
  ExportOptions,
  SessionExport,
  SessionTransfer,
} from '../../contracts/index.ts';
import { callOf, type CallRow } from '../rows/call-row.ts';
import { exportMessage, type OriginalRow } from '../rows/exported-message.ts';
import { exportRow, type FullRow } from '../rows/exported-row.ts';
import { rowToTurn, type TurnRow } from '../rows/turn-row.ts';
import { unknownSession } from '../session-errors.ts';
import { CALLS, TURNS } from './accounting.ts';
import type { Connection, Queries } from './connection.ts';
import { readRows } from './messages.ts';
import { SESSION_COLUMNS } from './session-columns.ts';
import { isDelegated } from './subagents.ts';

const BY_ID = `SELECT ${SESSION_COLUMNS}, s.user_id, s.model_config, s.estimated_cost_usd, s.cost_status, s.cost_source,
s.pricing_version FROM sessions s WHERE s.id = $1`;
// In the order they came: a parent is always made before its children.
const IDS = 'SELECT id FROM sessions WHERE $1::text IS NULL OR source = $1 ORDER BY place';
const LINEAGE_IDS = `WITH RECURSIVE
up(id) AS (SELECT $1::text COLLATE "C" UNION SELECT s.parent_session_id FROM sessions s JOIN up ON s.id = up.id
  WHERE s.parent_session_id IS NOT NULL AND NOT ${isDelegated('s')}),
down(id) AS (SELECT $1::text COLLATE "C" UNION SELECT s.id FROM sessions s JOIN down ON s.parent_session_id = down.id)
SELECT id FROM sessions WHERE (id IN (SELECT id FROM up) OR id IN (SELECT id FROM down))
AND ($2::text IS NULL OR source = $2) ORDER BY place`;
const BLOBS = `SELECT r.hash, r.media_type AS "mediaType", b.bytes FROM blob_references r JOIN blobs b ON b.hash = r.hash
WHERE r.session_id = $1 ORDER BY r.hash`;
// The place of a message among those of its session, and whether its copy is as long.
const PLACES = `SELECT c.id, o.session_id AS "sessionId",
(SELECT COUNT(*) FROM messages b WHERE b.session_id = o.session_id AND b.id < o.id) AS position,
(o.content, o.tool_calls, o.sent_content, o.attachments, o.reasoning, o.reasoning_details, o.codex_reasoning_items)
IS NOT DISTINCT FROM
(c.content, c.tool_calls, c.sent_content, c.attachments, c.reasoning, c.reasoning_details, c.codex_reasoning_items)
AS "isSame"
FROM messages c JOIN messages o ON o.id = c.copy_of WHERE c.session_id = $1 AND c.copy_of <> c.id`;

const TAKEN_BACK = 'SELECT COUNT(*) AS "takenBack" FROM undone_messages WHERE session_id = $1';

type Original = OriginalRow & { id: number };

export function createSessionExport(connection: Connection): Pick<SessionTransfer, 'exportSession' | 'exportAll'> {
  return {
    exportSession: (id) =>
      connection.read(async (db) => {
        const record = await exportOne(db, id, new Set());
        if (record === undefined) throw unknownSession(id, connection.place);
        return record;
      }),
    exportAll: (options) => exportAll(connection, options),
  };
}

// One session at a time, so that a store of any size fits: only the ids are in memory as a whole.
async function* exportAll(connection: Connection, options: ExportOptions = {}): AsyncGenerator<SessionExport> {
  const { source = null, lineageOf } = options;
  const rows = await connection.read((db) =>
    lineageOf === undefined
      ? db.all<{ id: string }>(IDS, source)
      : db.all<{ id: string }>(LINEAGE_IDS, lineageOf, source),
  );
  if (lineageOf !== undefined && rows.length === 0) throw unknownSession(lineageOf, connection.place);
  const shown = new Set<string>();
  for (const { id } of rows) {
    const record = await connection.read((db) => exportOne(db, id, shown));
    // One that was deleted meanwhile is not shown, and what children copied from it is shown with them.
    if (record === undefined) continue;
    shown.add(id);
    yield record;
  }
}

async function exportOne(db: Queries, id: string, shown: ReadonlySet<string>): Promise<SessionExport | undefined> {
  const row = await db.get<FullRow>(BY_ID, id);
  if (row === undefined) return undefined;
  const turns = (await db.all<TurnRow>(TURNS, id)).map((turn) => {
    const { sessionId: _, ...rest } = rowToTurn(id, turn);
    return rest;
  });
  const undone = await db.get<{ takenBack: number }>(TAKEN_BACK, id);
  const takenBack = undone?.takenBack ?? 0;
  return {
    format: 'hermes-session',
    version: 1,
    session: exportRow(row),
    messages: await exportMessages(db, id, shown),
    turns,
    calls: (await db.all<CallRow>(CALLS, id)).map(callOf),
    blobs: await exportBlobs(db, id),
    ...(takenBack > 0 && { takenBack }),
  };
}

async function exportMessages(db: Queries, id: string, shown: ReadonlySet<string>): Promise<ExportedMessage[]> {
  const originals = new Map((await db.all<Original>(PLACES, id)).map((original) => [original.id, original]));
  return (await readRows(db, id)).flatMap((row) => exportMessage(row, originals.get(row.id), shown) ?? []);
}

async function exportBlobs(db: Queries, id: string): Promise<ExportedBlob[]> {
  const rows = await db.all<{ hash: string; mediaType: string; bytes: Buffer }>(BLOBS, id);
  return rows.map(({ hash, mediaType, bytes }) => ({ hash, mediaType, base64: bytes.toString('base64') }));
}
