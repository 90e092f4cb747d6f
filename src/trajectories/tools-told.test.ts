import { expect, it } from 'vitest';
import type { Message } from '../base/index.ts';
import type { ToolDefinition } from '../contracts/index.ts';
import { toolsTold } from './index.ts';

const tool = (name: string): ToolDefinition => ({ name, description: name, parameters: { type: 'object' } });
const calling = (name: string, given: object): { message: Message } => ({
  message: { role: 'assistant', content: '', toolCalls: [{ id: 'a', name, arguments: JSON.stringify(given) }] },
});

it('tools that were found and called are told of, in the place of the way to them', async () => {
  const offered = ['terminal', 'tool_search', 'tool_describe', 'tool_call'].map(tool);
  const asked: string[][] = [];
  const describe = async (names: readonly string[]) => {
    asked.push([...names]);
    return [tool('mcp_look')];
  };
  const messages = [
    calling('terminal', {}),
    calling('tool_call', { name: 'mcp_look', arguments: {} }),
    calling('tool_call', { name: 'gone', arguments: '{}' }),
    calling('tool_call', { name: 'terminal' }),
  ];
  const names = (await toolsTold(messages, offered, describe)).map(({ name }) => name);
  expect(names).toEqual(['terminal', 'tool_search', 'tool_describe', 'mcp_look']);
  expect(asked).toEqual([['gone', 'mcp_look']]);
  expect(await toolsTold([], offered)).toHaveLength(3);
});
