import type { Message } from '../../../base/index.ts';
import { itemIds } from '../responses/items.ts';

/** A message without one of its items; undefined if nothing is left of it. */
export function withoutItem(message: Message, itemId: string): Message | undefined {
  if (message.role !== 'assistant') return undefined;
  // What the provider wants back belongs to the whole message.
  const { toolCalls = [], reasoning, reasoningDetails: _, codexReasoningItems: __, ...rest } = message;
  const calls = toolCalls.filter(({ id }) => itemIds.call(id) !== itemId);
  const isCall = calls.length < toolCalls.length;
  const isReasoning = itemId.startsWith('rs_');
  const content = isCall || isReasoning ? message.content : '';
  if (content.trim() === '' && calls.length === 0) return undefined;
  return {
    ...rest,
    content,
    ...(calls.length > 0 && { toolCalls: calls }),
    ...(!isReasoning && reasoning !== undefined && { reasoning }),
  };
}
