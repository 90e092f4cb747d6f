import { isAbsolute } from 'node:path';
import { type Attachment, isJsonObject, type JsonValue } from '../../base/index.ts';
import type { ExportedBlob, ExportedMessage, ExportedSession, SessionExport } from '../../contracts/index.ts';
import { blobHash } from '../operations/blobs.ts';
import { blockText, plainContent, readBlocks } from './block-content.ts';
import { isOriginalSummary, rowToMessage } from './message-row.ts';
import { textOf, toMilliseconds } from './values.ts';

export type Row = Record<string, unknown>;

const SESSION_TEXTS = ['id', 'source', 'user_id', 'model', 'model_config', 'system_prompt', 'parent_session_id'];
const MORE_SESSION_TEXTS = ['end_reason', 'title', 'cost_status', 'cost_source', 'pricing_version', 'cwd'];
const SESSION_NUMBERS = ['started_at', 'ended_at', 'input_tokens', 'output_tokens', 'cache_read_tokens'];
const MORE_SESSION_NUMBERS = ['cache_write_tokens', 'reasoning_tokens', 'estimated_cost_usd', 'actual_cost_usd'];
const MESSAGE_TEXTS = ['role', 'content', 'tool_call_id', 'tool_calls', 'tool_name', 'finish_reason', 'reasoning'];
const MORE_MESSAGE_TEXTS = ['reasoning_content', 'reasoning_details', 'codex_reasoning_items'];

/** The columns that are read; a version may lack any of them. */
export const ORIGINAL_COLUMNS = {
  sessions: {
    texts: [...SESSION_TEXTS, ...MORE_SESSION_TEXTS],
    numbers: [...SESSION_NUMBERS, ...MORE_SESSION_NUMBERS],
  },
  messages: { texts: [...MESSAGE_TEXTS, ...MORE_MESSAGE_TEXTS], numbers: ['timestamp', 'active', 'compacted'] },
} as const;

/** A session, and with each message whether it was compacted in place. */
export type OriginalRecord = { session: ExportedSession; messages: readonly ReadMessage[] };

/**
 * Later versions compress a session in place and keep the compacted messages in it. They become a parent session that
 * ended with the compression, as in a session that was split.
 */
export function separateCompacted({ session, messages }: OriginalRecord): {
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

export function readSession(row: Row): ExportedSession {
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
