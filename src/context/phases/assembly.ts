import type { Message } from '../../base/index.ts';
import type { CompressedMessage } from '../../contracts/index.ts';
import type { NumberedMessage } from '../conversation.ts';
import { putBefore } from '../replacement.ts';

const NO_RESULT = 'No result was recorded for this call.';

/** A message as it will stand: one of the given ones, or a new one. */
type Placed = { source?: NumberedMessage; message: Message };

/**
 * Head, what stands for the middle, tail. The replacement gets a role that neither neighbour has; where there is none it
 * goes before the text of the first tail message. Pairs of calls and results that were broken before are mended.
 */
export function assemble(
  head: readonly NumberedMessage[],
  replacement: string | undefined,
  tail: readonly NumberedMessage[],
): Placed[] {
  const [before, after] = [mendPairs(head), mendPairs(tail)];
  if (replacement === undefined) return [...before, ...after];
  const role = freeRole(before.at(-1)?.message.role, after[0]?.message.role);
  if (role !== undefined) return [...before, { message: { role, content: replacement } }, ...after];
  const [first, ...others] = after;
  // Results never begin a tail: they stay with their calls, and those without were taken out.
  if (first === undefined || first.message.role === 'tool') return [...before, ...after];
  return [...before, { ...first, message: putBefore(first.message, replacement) }, ...others];
}

/** By index, and with the message itself only where it is not the given one. */
export function toCompressed(placed: readonly Placed[]): CompressedMessage[] {
  return placed.map(({ source, message }) => {
    if (source === undefined) return { message };
    return source.changed || source.message !== message ? { index: source.index, message } : { index: source.index };
  });
}

/** The user speaks first; after a result either of them may speak. */
function freeRole(
  before: Message['role'] | undefined,
  after: Message['role'] | undefined,
): 'user' | 'assistant' | undefined {
  const canBeUser = before !== 'user' && after !== 'user';
  if (canBeUser) return 'user';
  return before !== undefined && before !== 'assistant' && after !== 'assistant' ? 'assistant' : undefined;
}

/** Results without a call are left out, and calls without a result get one that says so. */
function mendPairs(numbered: readonly NumberedMessage[]): Placed[] {
  const placed: Placed[] = [];
  let open = new Map<string, string>();
  const close = () => {
    for (const [id, name] of open)
      placed.push({ message: { role: 'tool', toolCallId: id, toolName: name, content: NO_RESULT } });
    open = new Map();
  };
  for (const source of numbered) {
    const { message } = source;
    if (message.role === 'tool') {
      if (open.delete(message.toolCallId)) placed.push({ source, message });
      continue;
    }
    close();
    placed.push({ source, message });
    if (message.role === 'assistant') open = new Map((message.toolCalls ?? []).map(({ id, name }) => [id, name]));
  }
  close();
  return placed;
}
