import { type Attachment, parseJson, type ToolStatus, totalTokens } from '../../../../base/index.ts';
import {
  type ExportedBlob,
  type ExportedMessage,
  type SessionExport,
  SUBAGENT_SOURCE,
} from '../../../../contracts/index.ts';
import { localTime } from '../../../../util/index.ts';
import { counted } from '../../../text/counted.ts';
import { parentLabel } from '../format-message.ts';

/** What a person reads of a message, whatever page it stands on. */
export type ReadableMessage = {
  /** `User`, `Assistant`, `Tool: terminal`. */
  who: string;
  role: 'user' | 'assistant' | 'tool';
  timestamp: number;
  status: ToolStatus | undefined;
  parts: MessagePart[];
  /** The files that it carries. */
  files: ReadableFile[];
};

/** A file of a message, or one that no message names. Without bytes where someone took them away. */
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

/** Messages that are shown in another session of the same export already. */
type Elsewhere = { elsewhere: string; messages: number };

/** What is known about a session, as names and values. */
export function factsOf({ session, messages }: SessionExport): [string, string][] {
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
 * The messages in order; those that stand elsewhere as one entry per row of them. `rendered` are the sessions that the
 * page has already, and is filled here: a shortened copy of what stands there is nothing new to a reader.
 */
export function* readMessages(record: SessionExport, rendered: Set<string>): Generator<ReadableMessage | Elsewhere> {
  let away: Elsewhere | undefined;
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

export function describeElsewhere({ messages, elsewhere }: Elsewhere): string {
  return `${counted(messages, 'message')} from session ${elsewhere}, shown there.`;
}

/**
 * Files that no message carries, which are shown behind the last one. Those that were shown already belong to messages
 * of another session that this one only refers to; `shown` is filled here.
 */
export function unplacedFiles({ messages, blobs }: SessionExport, shown: Set<string>): ReadableFile[] {
  for (const { message } of messages) for (const { hash } of attachmentsOf(message)) shown.add(hash);
  return blobs.filter(({ hash }) => !shown.has(hash)).map((blob) => ({ name: undefined, size: sizeOf(blob), ...blob }));
}

function attachmentsOf(message: ExportedMessage['message']): readonly Attachment[] {
  return message?.role === 'user' ? (message.attachments ?? []) : [];
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

/** Arguments over several lines; undefined where they are no JSON, as a model may have written them. */
function prettyJson(text: string): string | undefined {
  const parsed = parseJson(text);
  return parsed === undefined ? undefined : JSON.stringify(parsed, undefined, 2);
}
