import { attachmentsOf, parseJson, type ToolStatus, totalTokens } from '../../../../base/index.ts';
import {
  type ExportedBlob,
  type ExportedMessage,
  type SessionExport,
  SUBAGENT_SOURCE,
} from '../../../../contracts/index.ts';
import { localTime } from '../../../../util/index.ts';
import { counted } from '../../../text/counted.ts';
import { parentLabel } from '../format-message.ts';

/** A message in the form that the export pages show. */
export type ReadableMessage = {
  /** For example `User`, `Assistant` or `Tool: terminal`. */
  who: string;
  role: 'user' | 'assistant' | 'tool';
  timestamp: number;
  status: ToolStatus | undefined;
  parts: MessagePart[];
  /** The attachments. */
  files: ReadableFile[];
};

/** An attachment, or a blob that no message refers to. `base64` is undefined if the data was deleted. */
export type ReadableFile = {
  name: string | undefined;
  mediaType: string;
  hash: string;
  size: number;
  base64: string | undefined;
  description?: string;
};

export type MessagePart =
  | { kind: 'text' | 'thinking' | 'result'; text: string }
  | { kind: 'call'; name: string; text: string; isJson: boolean };

/** Messages that another session of the same export already shows. */
type ShownElsewhere = { elsewhere: string; messages: number };

/** The metadata of a session, as names and values. */
export function metadataOf({ session, messages }: SessionExport): [string, string][] {
  const { usage, cost } = session;
  const ended = session.endedAt === undefined ? undefined : localTime(session.endedAt);
  const rows: [string, string | undefined][] = [
    ['session', session.id],
    ['source', session.source],
    ['model', session.model],
    ['started', localTime(session.startedAt)],
    ['ended', ended === undefined ? undefined : `${ended} (${session.endReason ?? 'no reason given'})`],
    [parentLabel({ ...session, isDelegated: session.source === SUBAGENT_SOURCE }), session.parentSessionId],
    ['messages', String(messages.length)],
    [
      'tokens',
      totalTokens(usage) === 0 ? undefined : `${usage.input} in, ${usage.output} out, ${usage.cacheRead} from cache`,
    ],
    ['cost', cost === undefined || cost.status === 'unknown' ? undefined : `$${cost.usd.toFixed(4)} (${cost.status})`],
  ];
  return rows.flatMap(([name, value]) => (value === undefined || value === '' ? [] : [[name, value]]));
}

export function titleOf({ id, title }: { id: string; title?: string }): string {
  return title ?? `Session ${id}`;
}

/**
 * Yields the messages in order; consecutive messages shown elsewhere are combined into one entry. `rendered` contains
 * the sessions that are already on the page, and this session is added to it. Shortened copies of their messages are
 * skipped.
 */
export function* readMessages(
  record: SessionExport,
  rendered: Set<string>,
): Generator<ReadableMessage | ShownElsewhere> {
  let away: ShownElsewhere | undefined;
  for (const exported of record.messages) {
    const elsewhere = exported.copyOf?.sessionId ?? '';
    if (exported.message === undefined || rendered.has(elsewhere)) {
      if (away !== undefined && away.elsewhere !== elsewhere) yield away;
      away = { elsewhere, messages: (away?.elsewhere === elsewhere ? away.messages : 0) + 1 };
      continue;
    }
    if (away !== undefined) yield away;
    away = undefined;
    yield readMessage(exported, exported.message, record.blobs);
  }
  if (away !== undefined) yield away;
  rendered.add(record.session.id);
}

export function describeElsewhere({ messages, elsewhere }: ShownElsewhere): string {
  return `${counted(messages, 'message')} from session ${elsewhere}, shown there.`;
}

/**
 * The blobs that no message refers to, shown after the last message. Those in `shown` belong to messages of another
 * session; the ones of this session are added to it.
 */
export function unreferencedFiles({ messages, blobs }: SessionExport, shown: Set<string>): ReadableFile[] {
  for (const { message } of messages) {
    for (const { hash } of message === undefined ? [] : attachmentsOf(message)) shown.add(hash);
  }
  return blobs.filter(({ hash }) => !shown.has(hash)).map((blob) => ({ name: undefined, size: sizeOf(blob), ...blob }));
}

function sizeOf({ base64 }: ExportedBlob): number {
  return Math.floor((base64.length * 3) / 4) - (/=*$/.exec(base64)?.[0].length ?? 0);
}

function readMessage(
  { timestamp, toolStatus: status }: ExportedMessage,
  message: NonNullable<ExportedMessage['message']>,
  blobs: readonly ExportedBlob[],
): ReadableMessage {
  const { role, content } = message;
  const files = attachmentsOf(message).map(({ kind: _, ...attachment }) => ({
    ...attachment,
    base64: blobs.find(({ hash }) => hash === attachment.hash)?.base64,
  }));
  const named = { role, timestamp, status, files };
  if (message.role === 'tool') {
    return { ...named, who: `Tool: ${message.toolName}`, parts: [{ kind: 'result', text: content }] };
  }
  const text: MessagePart[] = content.trim() === '' ? [] : [{ kind: 'text', text: content }];
  if (message.role === 'user') return { ...named, who: 'User', parts: text };
  const thinking = message.reasoning?.trim() ? [{ kind: 'thinking' as const, text: message.reasoning }] : [];
  const calls = (message.toolCalls ?? []).map((call): MessagePart => {
    const pretty = prettyJson(call.arguments);
    return { kind: 'call', name: call.name, text: pretty ?? call.arguments, isJson: pretty !== undefined };
  });
  return { ...named, who: 'Assistant', parts: [...thinking, ...text, ...calls] };
}

/** Formats arguments on several lines; undefined if they are not JSON, since a model may write anything. */
function prettyJson(text: string): string | undefined {
  const parsed = parseJson(text);
  return parsed === undefined ? undefined : JSON.stringify(parsed, undefined, 2);
}
