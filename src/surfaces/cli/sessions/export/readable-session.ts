import { parseJson, type ToolStatus, totalTokens } from '../../../../base/index.ts';
import type { ExportedBlob, ExportedMessage, SessionExport } from '../../../../contracts/index.ts';
import { localTime } from '../local-time.ts';
import { counted } from '../counted.ts';

/** What a person reads of a message, whatever page it stands on. */
export type ReadableMessage = {
  /** `User`, `Assistant`, `Tool: terminal`. */
  who: string;
  role: 'user' | 'assistant' | 'tool';
  timestamp: number;
  status: ToolStatus | undefined;
  parts: MessagePart[];
  /** Files that its text refers to by their hash. */
  blobs: ExportedBlob[];
};

export type MessagePart =
  | { kind: 'text' | 'thinking' | 'result'; text: string }
  | { kind: 'call'; name: string; text: string; isJson: boolean };

/** Messages that are shown in another session of the same export already. */
export type Elsewhere = { elsewhere: string; messages: number };

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
    [session.isBranch ? 'branch of' : 'continues', session.parentSessionId],
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

/** The messages in order; those that stand elsewhere as one entry per row of them. */
export function* readMessages(record: SessionExport): Generator<ReadableMessage | Elsewhere> {
  let away: Elsewhere | undefined;
  for (const exported of record.messages) {
    if (exported.message === undefined) {
      const elsewhere = exported.copyOf?.sessionId ?? '';
      if (away !== undefined && away.elsewhere !== elsewhere) yield away;
      away = { elsewhere, messages: (away?.elsewhere === elsewhere ? away.messages : 0) + 1 };
      continue;
    }
    if (away !== undefined) yield away;
    away = undefined;
    yield readMessage(exported, exported.message, record.blobs);
  }
  if (away !== undefined) yield away;
}

export function describeElsewhere({ messages, elsewhere }: Elsewhere): string {
  return `${counted(messages, 'message')} from session ${elsewhere}, shown there.`;
}

/** Files that no message names, which are shown behind the last one. */
export function unplacedBlobs({ messages, blobs }: SessionExport): ExportedBlob[] {
  return blobs.filter(({ hash }) => !messages.some(({ message }) => message?.content.includes(hash)));
}

export function sizeOf({ base64 }: ExportedBlob): number {
  return Math.floor((base64.length * 3) / 4) - (/=*$/.exec(base64)?.[0].length ?? 0);
}

function readMessage(
  { timestamp, toolStatus: status }: ExportedMessage,
  message: NonNullable<ExportedMessage['message']>,
  blobs: readonly ExportedBlob[],
): ReadableMessage {
  const { role, content } = message;
  const named = { role, timestamp, status, blobs: blobs.filter(({ hash }) => content.includes(hash)) };
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
