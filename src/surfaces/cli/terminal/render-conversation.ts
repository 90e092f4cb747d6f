import type { Message, ToolCall } from '../../../base/index.ts';
import type { StoredMessage } from '../../../contracts/index.ts';
import { renderToolEnd } from '../render/index.ts';
import { type Style, printable } from '../style.ts';

/** A part of a conversation as a chat shows it. */
export type ConversationPart = { kind: 'message' | 'prose' | 'activity' | 'output'; lines: readonly string[] };

export type ConversationView = {
  width: number;
  style: Style;
  /** The largest number of lines; older lines are omitted. */
  maxLines: number;
  renderMessage(text: string): readonly string[];
  renderProse(markdown: string): readonly string[];
};

/** Renders stored messages like the turns in which they were written. */
export function renderConversation(messages: readonly StoredMessage[], view: ConversationView): ConversationPart[] {
  const calls = new Map<string, ToolCall>();
  const parts = messages.flatMap((stored) => renderStored(stored, calls, view));
  return keepEnd(parts, view);
}

function renderStored(
  { message, toolStatus = 'ok' }: StoredMessage,
  calls: Map<string, ToolCall>,
  { width, style, renderMessage, renderProse }: ConversationView,
): ConversationPart[] {
  if (message.role === 'user') return [{ kind: 'message', lines: renderMessage(textOf(message)) }];
  if (message.role === 'tool') {
    const call = calls.get(message.toolCallId);
    calls.delete(message.toolCallId);
    const ended = { name: message.toolName, arguments: call?.arguments ?? '{}', status: toolStatus };
    return [{ kind: 'activity', lines: renderToolEnd({ ...ended, content: message.content }, width, style) }];
  }
  for (const call of message.toolCalls ?? []) calls.set(call.id, call);
  return message.content.trim() === '' ? [] : [{ kind: 'prose', lines: renderProse(message.content) }];
}

/** The text of a message, followed by the names of its attachments. */
function textOf(message: Extract<Message, { role: 'user' }>): string {
  const names = (message.attachments ?? []).map(({ name }) => `[${printable(name)}]`).join(' ');
  return [message.content, names].filter(Boolean).join('\n');
}

function keepEnd(parts: readonly ConversationPart[], { maxLines, style }: ConversationView): ConversationPart[] {
  let room = maxLines;
  const kept: ConversationPart[] = [];
  for (const part of parts.toReversed()) {
    if (room <= 0) break;
    kept.unshift({ ...part, lines: part.lines.slice(-room) });
    room -= part.lines.length;
  }
  const isCut = kept.length < parts.length || room < 0;
  return isCut ? [{ kind: 'output', lines: [style.dim('… /history shows earlier messages')] }, ...kept] : kept;
}
