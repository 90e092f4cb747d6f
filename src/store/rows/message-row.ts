import {
  type AssistantMessage,
  type FinishReason,
  type Message,
  readOriginalSummary,
  type ToolMessage,
  type ToolStatus,
  type UserMessage,
} from '../../base/index.ts';
import type { StoredMessage } from '../../contracts/index.ts';
import { plainContent } from './block-content.ts';
import { attachmentsFromJson, listFromJson, toolCallsFromJson, toolCallsToJson } from './json-columns.ts';
import { toMilliseconds } from './values.ts';

/**
 * A message in the columns of the original's table and the columns that we add (`sent_content`, `producer`,
 * `attachments`).
 */
export type MessageRow = {
  role: string;
  content: string | null;
  tool_call_id: string | null;
  tool_calls: string | null;
  tool_name: string | null;
  finish_reason: string | null;
  reasoning: string | null;
  reasoning_details: string | null;
  codex_reasoning_items: string | null;
  sent_content: string | null;
  producer: string | null;
  attachments: string | null;
};

export type StoredRow = MessageRow & {
  id: number;
  timestamp: number;
  tool_status: string | null;
  copy_of: number | null;
};

const EMPTY_ROW: MessageRow = Object.freeze({
  role: '',
  content: null,
  tool_call_id: null,
  tool_calls: null,
  tool_name: null,
  finish_reason: null,
  reasoning: null,
  reasoning_details: null,
  codex_reasoning_items: null,
  sent_content: null,
  producer: null,
  attachments: null,
});

const FINISH_REASONS: readonly string[] = ['stop', 'tool_calls', 'length', 'content_filter'] satisfies FinishReason[];

export function messageToRow(message: Message): MessageRow {
  const base = { ...EMPTY_ROW, role: message.role, content: message.content };
  switch (message.role) {
    case 'user':
      return { ...base, sent_content: message.sentContent ?? null, attachments: jsonOrNull(message.attachments) };
    case 'tool':
      return {
        ...base,
        tool_call_id: message.toolCallId,
        tool_name: message.toolName,
        attachments: jsonOrNull(message.attachments),
      };
    case 'assistant':
      return {
        ...base,
        tool_calls: message.toolCalls === undefined ? null : toolCallsToJson(message.toolCalls),
        finish_reason: message.finishReason ?? null,
        reasoning: message.reasoning ?? null,
        reasoning_details: jsonOrNull(message.reasoningDetails),
        codex_reasoning_items: jsonOrNull(message.codexReasoningItems),
        producer: message.producer ?? null,
      };
  }
}

/** The message of a row; undefined for an unknown role, such as a system row of another program. */
export function rowToMessage(row: MessageRow): Message | undefined {
  const content = plainContent(textOr('', row.content));
  switch (row.role) {
    case 'user':
      return userMessage(row, content);
    case 'tool':
      return toolMessage(row, content);
    case 'assistant':
      return assistantMessage(row, content);
    default:
      return undefined;
  }
}

export function rowToStored(sessionId: string, row: StoredRow): StoredMessage | undefined {
  const message = rowToMessage(row);
  if (message === undefined) return undefined;
  const stored: StoredMessage = { id: row.id, sessionId, timestamp: toMilliseconds(row.timestamp), message };
  if (row.tool_status !== null) stored.toolStatus = row.tool_status as ToolStatus;
  if (row.copy_of === row.id || isOriginalSummary(message)) stored.isReplacement = true;
  else if (row.copy_of !== null) stored.copyOf = row.copy_of;
  return stored;
}

/** Whether the whole message is a summary of the original, which has no mark in its table. */
export function isOriginalSummary({ role, content }: Message): boolean {
  return role !== 'tool' && readOriginalSummary(content)?.rest === '';
}

/** Another program may have stored NULL or bytes in any column. */
function textOr<Absent>(absent: Absent, value: string | null): string | Absent {
  return typeof value === 'string' ? value : absent;
}

function userMessage(row: MessageRow, content: string): UserMessage {
  const sent = textOr(undefined, row.sent_content);
  // The original puts a summary before the words of the user; only the words are shown as theirs.
  const words = sent === undefined ? readOriginalSummary(content)?.rest : undefined;
  const message: UserMessage = { role: 'user', content: words || content };
  setDefined(message, 'sentContent', words ? content : sent);
  setAttachments(message, row);
  return message;
}

function toolMessage(row: MessageRow, content: string): ToolMessage {
  const [toolCallId, toolName] = [textOr('', row.tool_call_id), textOr('', row.tool_name)];
  const message: ToolMessage = { role: 'tool', toolCallId, toolName, content };
  setAttachments(message, row);
  return message;
}

function setAttachments(message: UserMessage | ToolMessage, { attachments }: MessageRow): void {
  if (typeof attachments === 'string') setDefined(message, 'attachments', attachmentsFromJson(attachments));
}

// Absent fields stay absent instead of undefined, and JSON is parsed only if there is any, because long histories are
// read on every resume.
function assistantMessage(row: MessageRow, content: string): AssistantMessage {
  const message: AssistantMessage = { role: 'assistant', content };
  if (row.tool_calls !== null) setDefined(message, 'toolCalls', toolCallsFromJson(row.tool_calls));
  if (row.finish_reason !== null && FINISH_REASONS.includes(row.finish_reason)) {
    message.finishReason = row.finish_reason as FinishReason;
  }
  setDefined(message, 'reasoning', textOr(undefined, row.reasoning));
  if (row.reasoning_details !== null) setDefined(message, 'reasoningDetails', listFromJson(row.reasoning_details));
  if (row.codex_reasoning_items !== null) {
    setDefined(message, 'codexReasoningItems', listFromJson(row.codex_reasoning_items));
  }
  setDefined(message, 'producer', textOr(undefined, row.producer));
  return message;
}

function setDefined<T, K extends keyof T>(target: T, key: K, value: T[K] | undefined): void {
  if (value !== undefined) target[key] = value;
}

function jsonOrNull(value: unknown[] | undefined): string | null {
  return value === undefined ? null : JSON.stringify(value);
}
