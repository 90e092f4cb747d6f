import { existsSync } from 'node:fs';
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '../../base/index.ts';
import type { ExportedBlob, ExportedMessage } from '../../contracts/index.ts';
import { BUDGET_MS } from '../database.ts';
import { BLOCKS_PREFIX } from '../rows/block-content.ts';
import { openDatabase, type SqliteDatabase } from './driver.ts';
import { readMessage, type Row, textIn } from '../rows/original-rows.ts';
import { columnNames } from './inspect.ts';
import { retryWhileBusy } from './retry.ts';

/** A response that the original has stored, with all that was said up to and including it. */
export type OriginalResponse = {
  id: string;
  /** The object as the original sent it. */
  response: JsonObject;
  /** The session in `state.db`, which has the same messages unless it was compressed. */
  sessionId: string | undefined;
  messages: ExportedMessage[];
  blobs: ExportedBlob[];
};

export type OriginalResponses = {
  responses: OriginalResponse[];
  /** The last response of each named conversation. */
  conversations: { name: string; responseId: string }[];
};

const NOTHING: OriginalResponses = { responses: [], conversations: [] };

/**
 * Reads `response_store.db` of the original, without those responses that the caller knows. The file is opened read-only:
 * the original may be using it. Unreadable rows are skipped.
 */
export async function readOriginalResponses(
  file: string,
  isKnown: (id: string) => boolean,
): Promise<OriginalResponses> {
  if (!existsSync(file)) return NOTHING;
  const context = { file, budgetMs: BUDGET_MS.normal };
  const database = await retryWhileBusy(() => openDatabase(file, { readOnly: true }), context);
  try {
    return await retryWhileBusy(() => readAll(database, isKnown), context);
  } finally {
    database.close();
  }
}

function readAll(database: SqliteDatabase, isKnown: (id: string) => boolean): OriginalResponses {
  if (!columnNames(database, 'responses').has('data')) return NOTHING;
  const rows = database.prepare('SELECT response_id AS id FROM responses ORDER BY accessed_at').all() as Row[];
  const ids = rows.flatMap(({ id }) => (typeof id === 'string' && !isKnown(id) ? [id] : []));
  // Text is read as bytes, because some drivers truncate it at a NUL.
  const find = database.prepare('SELECT CAST(data AS BLOB) AS data FROM responses WHERE response_id = ?');
  const named = columnNames(database, 'conversations').has('response_id')
    ? (database.prepare('SELECT name, response_id AS id FROM conversations').all() as Row[])
    : [];
  return {
    responses: ids.flatMap((id) => readResponse(id, parseJson(textIn((find.get(id) ?? {}) as Row, 'data') ?? ''))),
    conversations: named.flatMap(({ name, id }) =>
      typeof name === 'string' && typeof id === 'string' ? [{ name, responseId: id }] : [],
    ),
  };
}

function readResponse(id: string, data: JsonValue | undefined): OriginalResponse[] {
  if (!isJsonObject(data) || !Array.isArray(data['conversation_history'])) return [];
  const { response, session_id: sessionId, conversation_history: history } = data;
  const object = isJsonObject(response) ? response : {};
  const seconds = typeof object['created_at'] === 'number' ? object['created_at'] : 0;
  const read = toRows(history, seconds).flatMap(readMessage);
  if (read.length === 0) return [];
  return [
    {
      id,
      response: object,
      sessionId: typeof sessionId === 'string' && sessionId !== '' ? sessionId : undefined,
      messages: read.map(({ exported }) => exported),
      blobs: read.flatMap(({ blobs }) => blobs),
    },
  ];
}

/** The messages of a history, which have the format of chat completions, as rows of the original's sessions. */
function toRows(history: readonly JsonValue[], timestamp: number): Row[] {
  const names = new Map<string, string>();
  return history.filter(isJsonObject).map((message) => {
    for (const [id, name] of callsOf(message)) names.set(id, name);
    const callId = typeof message['tool_call_id'] === 'string' ? message['tool_call_id'] : '';
    const texts = Object.entries(message).map(([key, value]) => [key, toText(key, value)] as const);
    return { tool_name: message['name'] ?? names.get(callId), ...Object.fromEntries(texts), timestamp };
  });
}

/** Columns contain text: lists and objects as JSON, and the blocks of a message with a prefix. */
function toText(key: string, value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null) return value;
  return `${key === 'content' ? BLOCKS_PREFIX : ''}${JSON.stringify(value)}`;
}

function callsOf({ tool_calls: calls }: JsonObject): [string, string][] {
  if (!Array.isArray(calls)) return [];
  return calls.filter(isJsonObject).flatMap(({ id, function: called }) => {
    const name = isJsonObject(called) ? called['name'] : undefined;
    return typeof id === 'string' && typeof name === 'string' ? [[id, name] as [string, string]] : [];
  });
}
