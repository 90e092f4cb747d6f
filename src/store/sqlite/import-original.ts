import { existsSync } from 'node:fs';
import { type Attachment, HermesError, isJsonObject, type JsonValue } from '../../base/index.ts';
import type {
  ExportedBlob,
  ExportedMessage,
  ExportedSession,
  SessionExport,
  SessionTransfer,
} from '../../contracts/index.ts';
import { BUDGET_MS } from '../database.ts';
import { countImport, type ImportTally, newImportTally } from '../import-tally.ts';
import { blobHash } from '../operations/blobs.ts';
import { blockText, plainContent, readBlocks } from '../rows/block-content.ts';
import { rowToMessage } from '../rows/message-row.ts';
import { textOf, toMilliseconds } from '../rows/values.ts';
import { openDatabase, type SqliteDatabase } from './driver.ts';
import { columnNames } from './inspect.ts';
import { retryWhileBusy } from './retry.ts';

/**
 * Imports the sessions of a database of the original, of any version. The file is opened read-only: it may be in use,
 * and we must not write to a later version. Importing it again adds only new sessions.
 */
export async function importFromOriginal(
  store: Pick<SessionTransfer, 'importSession'>,
  file: string,
): Promise<ImportTally> {
  if (!existsSync(file)) throw new HermesError(`The file ${file} does not exist.`);
  const context = { file, budgetMs: BUDGET_MS.normal };
  const database = await retryWhileBusy(() => openDatabase(file, { readOnly: true }), context);
  try {
    const tally = newImportTally();
    const reader = await retryWhileBusy(() => createCheckedReader(database, file), context);
    for (const id of await retryWhileBusy(() => reader.ids(), context)) {
      const record = await retryWhileBusy(() => reader.read(id), context);
      if (record === undefined) continue;
      countImport(tally, await store.importSession(record));
    }
    return tally;
  } finally {
    database.close();
  }
}

function createCheckedReader(database: SqliteDatabase, file: string) {
  if (canReadOriginal(database)) return createOriginalReader(database);
  throw new HermesError(`${file} contains no sessions in a known format.`, {
    hint: 'Give the state.db file of a Hermes home directory.',
  });
}

export type Row = Record<string, unknown>;

const SESSION_TEXTS = ['id', 'source', 'user_id', 'model', 'model_config', 'system_prompt', 'parent_session_id'];
const MORE_SESSION_TEXTS = ['end_reason', 'title', 'cost_status', 'cost_source', 'pricing_version'];
const SESSION_NUMBERS = ['started_at', 'ended_at', 'input_tokens', 'output_tokens', 'cache_read_tokens'];
const MORE_SESSION_NUMBERS = ['cache_write_tokens', 'reasoning_tokens', 'estimated_cost_usd', 'actual_cost_usd'];
const MESSAGE_TEXTS = ['role', 'content', 'tool_call_id', 'tool_calls', 'tool_name', 'finish_reason', 'reasoning'];
const MORE_MESSAGE_TEXTS = ['reasoning_content', 'reasoning_details', 'codex_reasoning_items'];

/** Whether a file has the columns that every version of the original has. */
function canReadOriginal(database: SqliteDatabase): boolean {
  const [sessions, messages] = [columnNames(database, 'sessions'), columnNames(database, 'messages')];
  return (
    ['id', 'started_at'].every((name) => sessions.has(name)) &&
    ['session_id', 'role', 'content'].every((name) => messages.has(name))
  );
}

/** Reads sessions from a database of the original of any version: columns are found by name. */
function createOriginalReader(database: SqliteDatabase) {
  const sessionColumns = columnNames(database, 'sessions');
  const messageColumns = columnNames(database, 'messages');
  const texts = [...SESSION_TEXTS, ...MORE_SESSION_TEXTS];
  const session = database.prepare(
    `SELECT ${selectList(sessionColumns, texts, [...SESSION_NUMBERS, ...MORE_SESSION_NUMBERS])} FROM sessions WHERE id = ?`,
  );
  const messages = database.prepare(
    `SELECT ${selectList(messageColumns, [...MESSAGE_TEXTS, ...MORE_MESSAGE_TEXTS], ['timestamp', 'active'])}
     FROM messages WHERE session_id = ? ORDER BY rowid`,
  );
  return {
    ids: () => parentsFirst(database, sessionColumns),
    read(id: string): SessionExport | undefined {
      const row = session.get(id) as Row | undefined;
      if (row === undefined) return undefined;
      const read = (messages.all(id) as Row[]).flatMap(readMessage);
      const blobs = new Map(read.flatMap((each) => each.blobs).map((blob) => [blob.hash, blob]));
      return {
        format: 'hermes-session',
        version: 1,
        session: readSession(row),
        messages: read.map((each) => each.exported),
        turns: [],
        calls: [],
        blobs: [...blobs.values()],
      };
    },
  };
}

// Text is read as bytes, because some drivers truncate it at a NUL.
function selectList(present: ReadonlySet<string>, texts: readonly string[], numbers: readonly string[]): string {
  const select = (name: string, expression: string) => `${present.has(name) ? expression : 'NULL'} AS ${name}`;
  return [
    ...texts.map((name) => select(name, `CAST(${name} AS BLOB)`)),
    ...numbers.map((name) => select(name, name)),
  ].join(', ');
}

/** Parents must be imported before their children. */
function parentsFirst(database: SqliteDatabase, columns: ReadonlySet<string>): string[] {
  const parent = columns.has('parent_session_id') ? 'parent_session_id' : 'NULL';
  const sql = `SELECT id, ${parent} AS parent FROM sessions ORDER BY started_at`;
  const rows = database.prepare(sql).all() as { id: string; parent: string | null }[];
  const parents = new Map(rows.map((row) => [row.id, row.parent]));
  const ordered = new Set<string>();
  for (const { id } of rows) {
    const line: string[] = [];
    for (let at: string | null = id; at !== null && parents.has(at); at = parents.get(at) ?? null) {
      if (ordered.has(at) || line.includes(at)) break;
      line.push(at);
    }
    for (const each of line.reverse()) ordered.add(each);
  }
  return [...ordered];
}

function readSession(row: Row): ExportedSession {
  const usage = {
    input: numberIn(row, 'input_tokens') ?? 0,
    output: numberIn(row, 'output_tokens') ?? 0,
    cacheRead: numberIn(row, 'cache_read_tokens') ?? 0,
    cacheWrite: numberIn(row, 'cache_write_tokens') ?? 0,
    reasoning: numberIn(row, 'reasoning_tokens') ?? 0,
  };
  const startedAt = toMilliseconds(row['started_at']);
  const session: ExportedSession = {
    id: textIn(row, 'id') ?? '',
    source: textIn(row, 'source') ?? 'import',
    startedAt,
    usage,
  };
  if (row['ended_at'] !== null) session.endedAt = toMilliseconds(row['ended_at']);
  for (const [key, column] of [
    ['endReason', 'end_reason'],
    ['model', 'model'],
    ['modelConfig', 'model_config'],
    ['systemPrompt', 'system_prompt'],
    ['parentSessionId', 'parent_session_id'],
    ['title', 'title'],
    ['userId', 'user_id'],
  ] as const) {
    const value = textIn(row, column);
    if (value !== undefined) session[key] = value;
  }
  const usd = numberIn(row, 'actual_cost_usd') ?? numberIn(row, 'estimated_cost_usd');
  const status = numberIn(row, 'actual_cost_usd') === undefined ? 'estimated' : 'actual';
  if (usd !== undefined) session.cost = { usd, status, source: textIn(row, 'cost_source') };
  return session;
}

export function readMessage(row: Row): { exported: ExportedMessage; blobs: ExportedBlob[] }[] {
  // Messages that were undone in the original are skipped.
  if (row['active'] === 0) return [];
  const texts = Object.fromEntries(MESSAGE_TEXTS.map((name) => [name, textIn(row, name) ?? null]));
  const { text, attachments, blobs } = readContent(textIn(row, 'content') ?? '', textIn(row, 'role'));
  const message = rowToMessage({
    ...(texts as Record<'tool_call_id' | 'tool_calls' | 'tool_name' | 'finish_reason', string | null>),
    role: textIn(row, 'role') ?? '',
    content: text,
    reasoning: textIn(row, 'reasoning') ?? textIn(row, 'reasoning_content') ?? null,
    reasoning_details: textIn(row, 'reasoning_details') ?? null,
    codex_reasoning_items: textIn(row, 'codex_reasoning_items') ?? null,
    sent_content: null,
    producer: null,
    attachments: attachments.length === 0 ? null : JSON.stringify(attachments),
  });
  return message === undefined ? [] : [{ exported: { timestamp: toMilliseconds(row['timestamp']), message }, blobs }];
}

export function textIn(row: Row, name: string): string | undefined {
  const value = row[name];
  if (value instanceof Uint8Array) return textOf(value);
  return typeof value === 'string' ? value : undefined;
}

function numberIn(row: Row, name: string): number | undefined {
  const value = row[name];
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

const DATA_URL = /^data:([\w.+-]+\/[\w.+-]+)(?:;[^,]*)?;base64,([^]*)$/;

export type OriginalContent = { text: string; attachments: Attachment[]; blobs: ExportedBlob[] };

/**
 * The text of a message and the binary content of its blocks: images and PDF files of a user message become
 * attachments, other content is named in the text by its hash.
 */
export function readContent(content: string, role: string | undefined): OriginalContent {
  const blocks = readBlocks(content);
  if (!Array.isArray(blocks)) return { text: plainContent(content), attachments: [], blobs: [] };
  const read: OriginalContent = { text: '', attachments: [], blobs: [] };
  const texts = blocks.flatMap((block) => {
    const blob = findBytes(block);
    if (blob === undefined) return [blockText(block)];
    read.blobs.push(blob);
    const attachment = role === 'user' ? toAttachment(blob, read.attachments.length + 1) : undefined;
    if (attachment === undefined) return [`[${blob.mediaType}, sha256 ${blob.hash}]`];
    read.attachments.push(attachment);
    return [];
  });
  return { ...read, text: texts.join('\n') };
}

function toAttachment({ mediaType, hash, base64 }: ExportedBlob, number: number): Attachment | undefined {
  const kind = mediaType.startsWith('image/') ? 'image' : mediaType === 'application/pdf' ? 'document' : undefined;
  const name = `${kind}-${number}.${mediaType.split('/')[1]}`;
  return kind && { kind, mediaType, name, hash, size: Buffer.byteLength(base64, 'base64') };
}

/** Binary content in the forms of the wire formats: in a data URL, or next to its media type. */
function findBytes(block: JsonValue): ExportedBlob | undefined {
  if (!isJsonObject(block) || typeof block['text'] === 'string') return undefined;
  const { image_url: image, source } = block;
  const address = isJsonObject(image) ? image['url'] : image;
  const [, type, data] = typeof address === 'string' ? (DATA_URL.exec(address) ?? []) : [];
  if (type !== undefined && data !== undefined) return toBlob(type, data);
  if (!isJsonObject(source) || typeof source['data'] !== 'string') return undefined;
  return toBlob(typeof source['media_type'] === 'string' ? source['media_type'] : '', source['data']);
}

function toBlob(type: string, data: string): ExportedBlob | undefined {
  const bytes = Buffer.from(data, 'base64');
  const mediaType = type === '' ? 'application/octet-stream' : type;
  return bytes.length === 0 ? undefined : { hash: blobHash(bytes), mediaType, base64: bytes.toString('base64') };
}
