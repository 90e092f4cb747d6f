import { createHash } from 'node:crypto';
import type { ChatMessage, ChatRequest, ChatTool } from './chat-request.ts';

/**
 * The hashes of a conversation, one for each message: each contains the one before it, so equal hashes mean equal
 * conversations of the same owner. `scope` names the owner; two owners never have the same hashes.
 */
export function hashMessages(scope: readonly string[], messages: readonly ChatMessage[]): string[] {
  let last = digest(scope);
  return messages.map((message) => (last = nextHash(last, message)));
}

/** The hash of all that a request contains. */
export function hashRequest(scope: readonly string[], { history, input }: ChatRequest): string {
  return hashMessages(scope, [...history, ...input]).at(-1) ?? '';
}

export function hashTools(tools: readonly ChatTool[]): string {
  return digest([JSON.stringify(tools)]);
}

/** The hash of a conversation that continues with this message. */
export function nextHash(before: string, { role, text, files, toolCalls, toolCallId }: ChatMessage): string {
  const attached = files.map((file) => ('url' in file ? file.url : digest([file.dataUrl])));
  const calls = toolCalls.map((call) => call.id);
  return digest([before, role, normalize(text), ...attached, '', ...calls, '', toolCallId ?? '']);
}

/** The hash of an opening, which also depends on the instructions: a client may start two chats with the same words. */
export function openingHash(scope: readonly string[], system: string, input: readonly ChatMessage[]): string {
  return digest(['opening', normalize(system), ...hashMessages(scope, input)]);
}

/** Front ends trim answers, and change line ends. */
function normalize(text: string): string {
  return text.replaceAll('\r\n', '\n').trim();
}

function digest(parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}
