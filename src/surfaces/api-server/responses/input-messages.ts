import type { Message } from '../../../base/index.ts';
import type { ChatMessage } from '../chat/chat-request.ts';

/** Messages of the client in the format of the store. Their files are only named: they were for an earlier answer. */
export function toMessages(said: readonly ChatMessage[]): Message[] {
  const names = new Map(said.flatMap(({ toolCalls }) => toolCalls.map(({ id, name }) => [id, name] as const)));
  return said.map((message): Message => {
    const { role, text: content, toolCalls, toolCallId = '', files } = message;
    if (role === 'user') return { role, content: [content, ...files.map(({ name }) => `[file: ${name}]`)].join('\n') };
    if (role === 'tool') return { role, toolCallId, toolName: names.get(toolCallId) ?? 'tool', content };
    return { role, content, finishReason: 'stop', ...(toolCalls.length > 0 && { toolCalls: [...toolCalls] }) };
  });
}
