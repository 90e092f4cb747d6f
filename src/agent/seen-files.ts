import type { Message } from '../base/index.ts';
import type { AgentToolState } from '../contracts/index.ts';

/**
 * Forgets the text of files that was shown in results which have left the context or were shortened, so that the next
 * read returns it again. `unchanged` are the messages that the model still sees as they were.
 */
export function forgetShownText({ seenFiles }: AgentToolState, unchanged: readonly Message[]): void {
  if (seenFiles === undefined) return;
  const visible = new Set(unchanged.flatMap((message) => (message.role === 'tool' ? [message.toolCallId] : [])));
  for (const { shown } of seenFiles.values()) {
    for (const [range, { callIds }] of shown) {
      if (!callIds.every((id) => visible.has(id))) shown.delete(range);
    }
  }
}
