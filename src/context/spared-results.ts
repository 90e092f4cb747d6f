import type { Message } from '../base/index.ts';
import { READ_BACK_TOOL } from '../contracts/index.ts';

/**
 * The indexes of the tool results that must not be shortened: what the model has not seen yet, and what it read back
 * because it had been removed.
 */
export function sparedResults(messages: readonly Message[]): ReadonlySet<number> {
  const first = firstUnseen(messages);
  return new Set(
    messages.flatMap((message, index) =>
      message.role === 'tool' && (index >= first || message.toolName === READ_BACK_TOOL) ? [index] : [],
    ),
  );
}

/** The index after the newest message of the model: it has not seen the results from here on. */
function firstUnseen(messages: readonly Message[]): number {
  return messages.findLastIndex(({ role }) => role === 'assistant') + 1;
}

/** How many messages at the end include all results that the model has not seen, with their calls; 0 if it saw all. */
export function unseenTail(messages: readonly Message[]): number {
  const first = firstUnseen(messages);
  const isUnseen = messages.slice(first).some(({ role }) => role === 'tool');
  return isUnseen ? messages.length - Math.max(first - 1, 0) : 0;
}
