import { isJsonObject, type JsonObject, type Message, readOriginalSummary } from '../base/index.ts';
import type { ExportedMessage, SessionExport } from '../contracts/index.ts';
import { readMessage, readSession, type Row, separateCompacted } from './rows/original-rows.ts';
import { messageToRow } from './rows/message-row.ts';
import { toSeconds } from './rows/values.ts';

/** Whether a line is a session as the original exports it: the columns of its table, and a list of messages. */
export function isOriginalExport(value: unknown): value is JsonObject & { id: string; messages: unknown[] } {
  if (!isJsonObject(value) || typeof value['format'] === 'string') return false;
  return typeof value['id'] === 'string' && value['id'] !== '' && Array.isArray(value['messages']);
}

/** Reads a session that the original exported; what it had compacted in place is a session of its own, `before`. */
export function readOriginalExport(value: JsonObject & { messages: unknown[] }): {
  before: SessionExport | undefined;
  session: SessionExport;
} {
  const messages = value.messages.flatMap((message) => (isJsonObject(message) ? readMessage(toRow(message)) : []));
  const session = readSession(toRow(value));
  const { compacted, current } = separateCompacted({ session, messages });
  return { before: compacted, session: current };
}

/** Columns with JSON are parsed in an export, and other values are those of the table. */
function toRow(values: JsonObject): Row {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      if (name === 'content' && typeof value === 'object' && value !== null)
        return [name, `\0json:${JSON.stringify(value)}`];
      return [name, typeof value === 'object' && value !== null ? JSON.stringify(value) : value];
    }),
  );
}

/** A session in the form in which the original exports it. Times are seconds, and ids of messages count from 1. */
export function toOriginalExport({ session, messages }: SessionExport): JsonObject {
  const { usage, cost } = session;
  const rows = messages.flatMap((exported, index) => toMessage(exported, session.id, index + 1) ?? []);
  const isKnown = cost !== undefined && cost.status !== 'unknown';
  return {
    id: session.id,
    source: session.source,
    user_id: session.userId ?? null,
    model: session.model ?? null,
    model_config: session.modelConfig ?? null,
    system_prompt: session.systemPrompt ?? null,
    parent_session_id: session.parentSessionId ?? null,
    started_at: toSeconds(session.startedAt),
    ended_at: session.endedAt === undefined ? null : toSeconds(session.endedAt),
    end_reason: session.endReason ?? null,
    message_count: rows.length,
    tool_call_count: rows.flatMap((row) => row.tool_calls ?? []).length,
    input_tokens: usage.input,
    output_tokens: usage.output,
    cache_read_tokens: usage.cacheRead,
    cache_write_tokens: usage.cacheWrite,
    reasoning_tokens: usage.reasoning,
    estimated_cost_usd: isKnown ? cost.usd : null,
    actual_cost_usd: cost?.status === 'actual' ? cost.usd : null,
    cost_status: cost?.status ?? null,
    cost_source: cost?.source ?? null,
    pricing_version: cost?.pricingVersion ?? null,
    title: session.title ?? null,
    messages: rows,
  };
}

function toMessage({ message, timestamp }: ExportedMessage, sessionId: string, id: number) {
  if (message === undefined) return undefined;
  const { sent_content: _, producer: __, attachments: ___, ...columns } = messageToRow(message);
  const parsed = (text: string | null) => (text === null ? null : (JSON.parse(text) as JsonObject[]));
  return {
    id,
    session_id: sessionId,
    ...columns,
    content: contentOf(message),
    tool_calls: parsed(columns.tool_calls),
    reasoning_details: parsed(columns.reasoning_details),
    codex_reasoning_items: parsed(columns.codex_reasoning_items),
    timestamp: toSeconds(timestamp),
    token_count: null,
  };
}

/** The original has one text for a message, so a summary that it put before the user's words stays there. */
function contentOf(message: Message): string {
  if (message.role !== 'user' || message.sentContent === undefined) return message.content;
  return readOriginalSummary(message.sentContent) === undefined ? message.content : message.sentContent;
}
