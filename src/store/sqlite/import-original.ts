import { existsSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { type Attachment, HermesError, isJsonObject, type JsonValue } from '../../base/index.ts';
import {
  type ExportedBlob,
  type ExportedMessage,
  type ExportedSession,
  type SessionExport,
  type SessionStore,
  type SessionTransfer,
  silentLogger,
} from '../../contracts/index.ts';
import { BUDGET_MS } from '../database.ts';
import { countImport, type ImportTally, newImportTally } from '../import-tally.ts';
import { blobHash } from '../operations/blobs.ts';
import { blockText, plainContent, readBlocks } from '../rows/block-content.ts';
import { isOriginalSummary, rowToMessage } from '../rows/message-row.ts';
import { textOf, toMilliseconds } from '../rows/values.ts';
import type { SqliteDatabase } from './driver.ts';
import { columnNames, hasOriginalSessions } from './inspect.ts';
import { openReadable } from './open-read-only.ts';
import { retryWhileBusy } from './retry.ts';

export type OriginalImportProgress = { done: number; total: number; messages: number };

export type OriginalImportOptions = {
  /** Stops between two sessions; the sessions imported before are kept. */
  signal?: AbortSignal;
  onProgress?(progress: OriginalImportProgress): void;
};

type Target = Pick<SessionTransfer, 'importSession'> & Pick<SessionStore, 'getSession'>;

/**
 * Imports the sessions of a database of the original, of any version. The file is opened read-only: it may be in use,
 * and we must not write to a later version. Each session is imported in one transaction and existing ones are skipped,
 * so a stopped import continues where it ended.
 */
export async function importFromOriginal(
  store: Target,
  file: string,
  { signal, onProgress }: OriginalImportOptions = {},
): Promise<ImportTally> {
  if (!existsSync(file)) throw new HermesError(`The file ${file} does not exist.`);
  const context = { file, budgetMs: BUDGET_MS.normal };
  const database = await retryWhileBusy(() => openReadable(file, silentLogger), context);
  try {
    const tally = newImportTally();
    const reader = await retryWhileBusy(() => createCheckedReader(database, file), context);
    const ids = await retryWhileBusy(() => reader.ids(), context);
    for (const [done, id] of ids.entries()) {
      signal?.throwIfAborted();
      onProgress?.({ done, total: ids.length, messages: tally.messages });
      // Reading all messages of a session that exists would make a continued import as slow as the first one.
      if ((await store.getSession(id)) !== undefined) {
        tally.skipped += 1;
        continue;
      }
      const record = await retryWhileBusy(() => reader.read(id), context);
      if (record === undefined) continue;
      const { compacted, current } = separateCompacted(record);
      if (compacted !== undefined) tally.messages += (await store.importSession(compacted)).messages;
      countImport(tally, await store.importSession(current));
    }
    onProgress?.({ done: ids.length, total: ids.length, messages: tally.messages });
    return tally;
  } finally {
    database.close();
  }
}

function createCheckedReader(database: SqliteDatabase, file: string) {
  if (hasOriginalSessions(database)) return createOriginalReader(database);
  throw new HermesError(`${file} contains no sessions in a known format.`, {
    hint: 'Give the state.db file of a Hermes home directory.',
  });
}

export type Row = Record<string, unknown>;

const SESSION_TEXTS = ['id', 'source', 'user_id', 'model', 'model_config', 'system_prompt', 'parent_session_id'];
const MORE_SESSION_TEXTS = ['end_reason', 'title', 'cost_status', 'cost_source', 'pricing_version', 'cwd'];
const SESSION_NUMBERS = ['started_at', 'ended_at', 'input_tokens', 'output_tokens', 'cache_read_tokens'];
const MORE_SESSION_NUMBERS = ['cache_write_tokens', 'reasoning_tokens', 'estimated_cost_usd', 'actual_cost_usd'];
const MESSAGE_TEXTS = ['role', 'content', 'tool_call_id', 'tool_calls', 'tool_name', 'finish_reason', 'reasoning'];
const MORE_MESSAGE_TEXTS = ['reasoning_content', 'reasoning_details', 'codex_reasoning_items'];

/** A session, and with each message whether it was compacted in place. */
type OriginalRecord = { session: ExportedSession; messages: readonly ReadMessage[] };

/** Reads sessions from a database of the original of any version: columns are found by name. */
function createOriginalReader(database: SqliteDatabase) {
  const sessionColumns = columnNames(database, 'sessions');
  const texts = [...SESSION_TEXTS, ...MORE_SESSION_TEXTS];
  const numbers = [...SESSION_NUMBERS, ...MORE_SESSION_NUMBERS];
  const session = database.prepare(
    `SELECT ${selectList(sessionColumns, texts, numbers)}, ${sharedPrompt(database, sessionColumns)} AS shared_prompt
     FROM sessions WHERE id = ?`,
  );
  const messages = database.prepare(
    `SELECT ${selectList(columnNames(database, 'messages'), [...MESSAGE_TEXTS, ...MORE_MESSAGE_TEXTS], ['timestamp', 'active', 'compacted'])}
     FROM messages WHERE session_id = ? ORDER BY rowid`,
  );
  return {
    ids: () => parentsFirst(database, sessionColumns),
    read(id: string): OriginalRecord | undefined {
      const row = session.get(id) as Row | undefined;
      if (row === undefined) return undefined;
      return { session: readSession(row), messages: (messages.all(id) as Row[]).flatMap(readMessage) };
    },
  };
}

/** Later versions store each system prompt once, by its hash. */
function sharedPrompt(database: SqliteDatabase, columns: ReadonlySet<string>): string {
  const prompts = columnNames(database, 'system_prompts');
  const isShared = columns.has('system_prompt_hash') && prompts.has('hash') && prompts.has('prompt');
  if (!isShared) return 'NULL';
  return '(SELECT CAST(p.prompt AS BLOB) FROM system_prompts p WHERE p.hash = sessions.system_prompt_hash)';
}

/**
 * Later versions compress a session in place and keep the compacted messages in it. They become a parent session that
 * ended with the compression, as in a session that was split.
 */
function separateCompacted({ session, messages }: OriginalRecord): {
  compacted?: SessionExport;
  current: SessionExport;
} {
  const before = messages.filter(({ isCompacted }) => isCompacted);
  if (before.length === 0) return { current: toExport(session, messages) };
  const { id, source, startedAt, model, parentSessionId } = session;
  const parent: ExportedSession = {
    id: `${id}_compacted`,
    source,
    startedAt,
    // Not later than the start of the session that continues it.
    endedAt: startedAt,
    endReason: 'compression',
    ...(model !== undefined && { model }),
    ...(parentSessionId !== undefined && { parentSessionId }),
    usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 },
  };
  const rest = messages.filter(({ isCompacted }) => !isCompacted);
  return { compacted: toExport(parent, before), current: toExport({ ...session, parentSessionId: parent.id }, rest) };
}

function toExport(session: ExportedSession, messages: readonly ReadMessage[]): SessionExport {
  const blobs = new Map(messages.flatMap((each) => each.blobs).map((blob) => [blob.hash, blob]));
  return {
    format: 'hermes-session',
    version: 1,
    session,
    messages: messages.map((each) => each.exported),
    turns: [],
    calls: [],
    blobs: [...blobs.values()],
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
  session.systemPrompt ??= textIn(row, 'shared_prompt');
  const workingDirectory = textIn(row, 'cwd');
  if (workingDirectory !== undefined && isAbsolute(workingDirectory))
    session.origin = { workingDirectory, kind: 'interactive' };
  const usd = numberIn(row, 'actual_cost_usd') ?? numberIn(row, 'estimated_cost_usd');
  const status = numberIn(row, 'actual_cost_usd') === undefined ? 'estimated' : 'actual';
  if (usd !== undefined) session.cost = { usd, status, source: textIn(row, 'cost_source') };
  return session;
}

export type ReadMessage = { exported: ExportedMessage; blobs: ExportedBlob[]; isCompacted: boolean };

export function readMessage(row: Row): ReadMessage[] {
  const isCompacted = row['active'] === 0 && row['compacted'] === 1;
  // Messages that were undone in the original are skipped.
  if (row['active'] === 0 && !isCompacted) return [];
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
  if (message === undefined) return [];
  const exported: ExportedMessage = { timestamp: toMilliseconds(row['timestamp']), message };
  if (isOriginalSummary(message)) exported.isReplacement = true;
  return [{ exported, blobs, isCompacted }];
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
