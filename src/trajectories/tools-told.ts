import type { ToolDefinition } from '../contracts/index.ts';
import type { RecordedMessage } from './to-conversations.ts';
import { BRIDGE, readCall } from './tool-blocks.ts';

/**
 * The tools for the system turn: those that the model was told of, and those it found by searching and called. The one
 * that leads to the latter is left out, because calls through it are written as calls of what it leads to.
 */
export async function toolsTold(
  messages: readonly RecordedMessage[],
  offered: readonly ToolDefinition[],
  describe: (names: readonly string[]) => Promise<readonly ToolDefinition[]> = async () => [],
): Promise<ToolDefinition[]> {
  const names = new Set<string>();
  for (const { message } of messages) {
    if (message.role !== 'assistant') continue;
    for (const call of message.toolCalls ?? []) if (call.name === BRIDGE) names.add(readCall(call).name);
  }
  for (const { name } of offered) names.delete(name);
  const found = names.size === 0 ? [] : await describe([...names].sort());
  return [...offered.filter(({ name }) => name !== BRIDGE), ...found];
}
