import { expect, it } from 'vitest';
import type { Message, ToolStatus } from '../base/index.ts';
import { countToolUse } from './index.ts';

const calls = (...names: string[]): { message: Message } => ({
  message: {
    role: 'assistant',
    content: '',
    toolCalls: names.map((name, index) => ({ id: `c${index}`, name, arguments: '{}' })),
  },
});
const result = (id: string, content: string, toolStatus?: ToolStatus) => ({
  message: { role: 'tool', toolCallId: id, toolName: 'x', content } as const,
  ...(toolStatus && { toolStatus }),
});

it('has a column for every known tool and counts outcomes', () => {
  const messages = [
    calls('terminal', 'Read-File', 'nobody_knows'),
    result('c0', 'fine', 'ok'),
    result('c1', 'no such file', 'error'),
    result('c2', 'There is no tool', 'invalid'),
    calls('terminal', 'terminal'),
    result('c0', '{"error": "no"}', 'ok'),
  ];
  expect(countToolUse(messages, ['write_file', 'terminal', 'read_file', 'terminal'])).toEqual({
    toolStats: {
      read_file: { count: 1, success: 0, failure: 1 },
      terminal: { count: 3, success: 2, failure: 1 },
      write_file: { count: 0, success: 0, failure: 0 },
    },
    toolErrorCounts: { read_file: 1, terminal: 1, write_file: 0 },
  });
});

it('derives the outcome from the content if no status was stored', () => {
  const results = ['{"error": "no"}', '{"error": null}', '{"success": false}', 'Error: no', 'all fine'];
  const messages = results.flatMap((content) => [calls('terminal'), result('c0', content)]);
  expect(countToolUse(messages, ['terminal']).toolStats).toEqual({ terminal: { count: 5, success: 2, failure: 3 } });
});

it('counts a call through the bridge for its target', () => {
  const bridged = { id: 'c0', name: 'tool_call', arguments: '{"name":"mcp_look","arguments":{}}' };
  const message: Message = { role: 'assistant', content: '', toolCalls: [bridged] };
  const messages = [{ message }, result('c0', 'seen', 'ok')];
  expect(countToolUse(messages, ['mcp_look', 'tool_call']).toolErrorCounts).toEqual({ mcp_look: 0, tool_call: 0 });
  expect(countToolUse(messages, ['mcp_look']).toolStats).toEqual({ mcp_look: { count: 1, success: 1, failure: 0 } });
});
