import { readFileSync } from 'node:fs';
import type {
  CallRecord,
  ExportedBlob,
  ExportedMessage,
  ExportOptions,
  SessionExport,
  SessionTransfer,
} from '../../contracts/index.ts';
import { callOf, type CallRow } from '../rows/call-row.ts';
import { exportMessage, type OriginalRow } from '../rows/exported-message.ts';
import { exportRow, type FullRow } from '../rows/exported-row.ts';
import type { StoredRow } from '../rows/stored-row.ts';
import { rowToTurn, type TurnRow } from '../rows/turn-row.ts';
import { TURNS } from './accounting.ts';
import { blobPath } from './blobs.ts';
import { CALLS } from './call-row.ts';
import type { Connection } from './connection.ts';
import { readRows } from './messages.ts';
import { unknownSession } from '../session-errors.ts';
import { SESSION_COLUMNS } from './session-row.ts';
import { isDelegated } from './subagents.ts';

const BY_ID = `SELECT ${SESSION_COLUMNS}, s.user_id, s.model_config, s.estimated_cost_usd, s.cost_status, s.cost_source,
s.pricing_version FROM sessions s WHERE s.id = ?`;
// In the order of the rows: a parent is always made before its children.
const IDS = 'SELECT id FROM sessions WHERE ?1 IS NULL OR source = ?1 ORDER BY rowid';
const LINEAGE_IDS = `WITH RECURSIVE
up(id) AS (SELECT ?1 UNION SELECT s.parent_session_id FROM sessions s JOIN up ON s.id = up.id
  WHERE s.parent_session_id IS NOT NULL AND NOT ${isDelegated('s')}),
down(id) AS (SELECT ?1 UNION SELECT s.id FROM sessions s JOIN down ON s.parent_session_id = down.id)
SELECT id FROM sessions WHERE (id IN up OR id IN down) AND (?2 IS NULL OR source = ?2) ORDER BY rowid`;
const BLOBS = 'SELECT hash, media_type AS mediaType FROM blob_references WHERE session_id = ? ORDER BY hash';
// The place of a message among those of its session that a conversation is made of, and whether its copy is as long.
const PLACE = `SELECT o.session_id AS sessionId, (SELECT COUNT(*) FROM messages b WHERE b.session_id = o.session_id
AND b.id < o.id AND b.role IN ('user', 'assistant', 'tool')) AS position, o.content IS c.content
AND o.tool_calls IS c.tool_calls AND o.sent_content IS c.sent_content AND o.attachments IS c.attachments
AND o.reasoning IS c.reasoning AND o.reasoning_details IS c.reasoning_details
AND o.codex_reasoning_items IS c.codex_reasoning_items AS isSame
FROM messages c JOIN messages o ON o.id = c.copy_of WHERE c.id = ?`;

const TAKEN_BACK = 'SELECT COUNT(*) AS takenBack FROM undone_messages WHERE session_id = ?';

export function createSessionExport(connection: Connection): Pick<SessionTransfer, 'exportSession' | 'exportAll'> {
  return {
    exportSession: (id) =>
      connection.read(() => {
        const record = exportOne(connection, id, new Set());
        if (record === undefined) throw unknownSession(id, connection.file);
        return record;
      }),
    exportAll: (options) => exportAll(connection, options),
  };
}

// One session at a time, so that a store of any size fits: only the ids are in memory as a whole.
async function* exportAll(connection: Connection, options: ExportOptions = {}): AsyncGenerator<SessionExport> {
  const { source = null, lineageOf } = options;
  const rows = await connection.read(() =>
    lineageOf === undefined ? connection.all(IDS, source) : connection.all(LINEAGE_IDS, lineageOf, source),
  );
  const ids = new Set((rows as { id: string }[]).map((row) => row.id));
  if (lineageOf !== undefined && ids.size === 0) throw unknownSession(lineageOf, connection.file);
  const shown = new Set<string>();
  for (const id of ids) {
    const record = await connection.read(() => exportOne(connection, id, shown));
    // One that was deleted meanwhile is not shown, and what children copied from it is shown with them.
    if (record === undefined) continue;
    shown.add(id);
    yield record;
  }
}

function exportOne(connection: Connection, id: string, shown: ReadonlySet<string>): SessionExport | undefined {
  const row = connection.get(BY_ID, id) as FullRow | undefined;
  if (row === undefined) return undefined;
  const turns = (connection.all(TURNS, id) as TurnRow[]).map((turn) => {
    const { sessionId: _, ...rest } = rowToTurn(id, turn);
    return rest;
  });
  const { takenBack } = connection.get(TAKEN_BACK, id) as { takenBack: number };
  return {
    format: 'hermes-session',
    version: 1,
    session: exportRow(row),
    messages: exportMessages(connection, id, shown),
    turns,
    calls: (connection.all(CALLS, id) as CallRow[]).map((call): CallRecord => callOf(call)),
    blobs: exportBlobs(connection, id),
    ...(takenBack > 0 && { takenBack }),
  };
}

function exportMessages(connection: Connection, id: string, shown: ReadonlySet<string>): ExportedMessage[] {
  return readRows(connection, id).flatMap((row) => exportMessage(row, findOriginal(connection, row), shown) ?? []);
}

function findOriginal(connection: Connection, row: StoredRow): OriginalRow | undefined {
  if (row.copy_of === null || row.copy_of === row.id) return undefined;
  const found = connection.get(PLACE, row.id) as { sessionId: string; position: number; isSame: number } | undefined;
  return found && { ...found, isSame: found.isSame === 1 };
}

function exportBlobs(connection: Connection, id: string): ExportedBlob[] {
  return (connection.all(BLOBS, id) as { hash: string; mediaType: string }[]).flatMap(({ hash, mediaType }) => {
    try {
      return [{ hash, mediaType, base64: readFileSync(blobPath(connection, hash)).toString('base64') }];
    } catch {
      // A file that someone took away costs the export this blob and no more.
      return [];
    }
  });
}
