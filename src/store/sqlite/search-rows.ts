import type { ContextMessage, MessageHit } from '../../contracts/index.ts';
import { messageText } from '../search/message-text.ts';
import type { Connection } from './connection.ts';
import { textOf, toMilliseconds } from '../rows/values.ts';

type Role = MessageHit['role'];

/** A message as the search reads it. */
export type TextRow = { id: number; role: string; timestamp: number; text: string };

type RawRow = [number, string, number, Uint8Array | null, string | null, string | null];
type HitRow = { session_id: string; source: string; model: string | null; started_at: number };
type ContextRow = { role: Role; content: Uint8Array | null; tool_name: string | null; tool_calls: string | null };

// Read as bytes, so that neither the driver nor a SQLite function truncates the text at a NUL.
const CONTENT = `CASE WHEN typeof(m.content) = 'text' THEN CAST(m.content AS BLOB) END`;
const columns = (content: string) => `m.id, m.role, m.timestamp, ${content}, m.tool_name, m.tool_calls`;
/** The columns of a message `m` that `toTextRow` expects, with the full content. */
export const TEXT_COLUMNS = columns(CONTENT);
/** The same, with only the beginning of the content. */
export const BEGINNING_COLUMNS = columns(`substr(${CONTENT}, 1, 16384)`);
const CHOSEN = 'FROM json_each(?1) chosen CROSS JOIN messages m ON m.id = chosen.value';
const WHOLE_TEXTS = `SELECT ${TEXT_COLUMNS} ${CHOSEN}`;
const BEGINNINGS = `SELECT ${BEGINNING_COLUMNS} ${CHOSEN}`;

const HIT = `SELECT m.session_id, s.source, s.model, s.started_at FROM messages m JOIN sessions s ON s.id = m.session_id
WHERE m.id = ?`;

/** The texts of messages in the order of the given ids; messages deleted in the meantime are skipped. */
export function readTexts(connection: Connection, ids: readonly number[], extent: 'whole' | 'beginning'): TextRow[] {
  const sql = extent === 'whole' ? WHOLE_TEXTS : BEGINNINGS;
  return connection.lists(sql, JSON.stringify(ids)).map(toTextRow);
}

export function toTextRow(values: unknown[]): TextRow {
  const [id, role, timestamp, content, tool_name, tool_calls] = values as RawRow;
  const text = messageText({ content: content === null ? '' : textOf(content), tool_name, tool_calls });
  return { id, role, timestamp, text };
}

export function readHit(
  connection: Connection,
  row: TextRow,
  snippet: string,
): Omit<MessageHit, 'partial'> | undefined {
  const found = connection.get(HIT, row.id) as HitRow | undefined;
  if (found === undefined) return undefined;
  return {
    id: row.id,
    sessionId: found.session_id,
    role: row.role as Role,
    timestamp: toMilliseconds(row.timestamp),
    snippet,
    context: readContext(connection, found.session_id, row),
    source: found.source,
    model: found.model ?? undefined,
    sessionStartedAt: toMilliseconds(found.started_at),
  };
}

const NEIGHBOUR = `SELECT m.role, substr(${CONTENT}, 1, 1024) AS content, m.tool_name, m.tool_calls FROM messages m`;
const KNOWN_ROLE = `m.role IN ('user', 'assistant', 'tool')`;
// The neighbour is nearly always a few ids away. The plus keeps SQLite from sorting a whole session instead.
const CLOSE_BEFORE = `${NEIGHBOUR} WHERE +m.session_id = ?1 AND m.id < ?2 AND m.id >= ?2 - 500 AND ${KNOWN_ROLE}
ORDER BY m.id DESC LIMIT 1`;
const CLOSE_AFTER = `${NEIGHBOUR} WHERE +m.session_id = ?1 AND m.id > ?2 AND m.id <= ?2 + 500 AND ${KNOWN_ROLE}
ORDER BY m.id LIMIT 1`;
// For distant messages: by time, in the order of the session's message index.
const FAR_BEFORE = `${NEIGHBOUR} WHERE m.session_id = ?1 AND m.timestamp <= ?3 AND m.id < ?2 AND ${KNOWN_ROLE}
ORDER BY m.timestamp DESC, m.id DESC LIMIT 1`;
const FAR_AFTER = `${NEIGHBOUR} WHERE m.session_id = ?1 AND m.timestamp >= ?3 AND m.id > ?2 AND ${KNOWN_ROLE}
ORDER BY m.timestamp, m.id LIMIT 1`;

const CONTEXT_CHARACTERS = 200;

function readContext(connection: Connection, sessionId: string, { id, timestamp }: TextRow): MessageHit['context'] {
  const read = (close: string, far: string) =>
    (connection.get(close, sessionId, id) ?? connection.get(far, sessionId, id, timestamp)) as ContextRow | undefined;
  const context: MessageHit['context'] = {};
  const [before, after] = [read(CLOSE_BEFORE, FAR_BEFORE), read(CLOSE_AFTER, FAR_AFTER)];
  if (before !== undefined) context.before = toContext(before);
  if (after !== undefined) context.after = toContext(after);
  return context;
}

// For a message without text, the tool calls are shown.
function toContext({ role, content, tool_name, tool_calls }: ContextRow): ContextMessage {
  const text = content === null ? '' : textOf(content);
  const shown = text === '' ? messageText({ content: '', tool_name, tool_calls }) : text;
  const characters = Array.from(shown.slice(0, CONTEXT_CHARACTERS * 2));
  return { role, content: characters.slice(0, CONTEXT_CHARACTERS).join('') };
}
