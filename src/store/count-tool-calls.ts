import type { Message } from '../base/index.ts';

export function countToolCalls(messages: readonly Message[]): number {
  let count = 0;
  for (const message of messages) if (message.role === 'assistant') count += message.toolCalls?.length ?? 0;
  return count;
}
