import { describe, expect, it } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import type { AssistantMessage, Message } from '../base/index.ts';
import type { ToolDefinition } from '../contracts/index.ts';
import { toConversations } from './index.ts';

const TERMINAL: ToolDefinition = {
  name: 'terminal',
  description: 'Execute shell commands',
  parameters: { type: 'object', properties: { command: { type: 'string' } } },
};

function convert(messages: readonly Message[], options: { redact?: boolean } = {}) {
  return toConversations({ messages: messages.map((message) => ({ message })), tools: [TERMINAL], ...options });
}

function valuesOf(messages: readonly Message[], options: { redact?: boolean } = {}): string[] {
  return convert(messages, options)
    .conversations.slice(1)
    .map(({ value }) => value);
}

const user = (content: string): Message => ({ role: 'user', content });
const answer = (content: string, more: Partial<AssistantMessage> = {}): Message => ({
  role: 'assistant',
  content,
  ...more,
});
const result = (toolCallId: string, content: string, toolName = 'terminal'): Message => ({
  role: 'tool',
  toolCallId,
  toolName,
  content,
});
const call = (id: string, given: string, name = 'terminal') => ({ id, name, arguments: given });

verifies('TRAJ-2', 'writes a conversation byte for byte as training expects it', () => {
  const { conversations, hasReasoning, warnings } = convert([
    user('What Python version is installed?'),
    answer('', {
      reasoning: 'The user wants to know the Python version. I should run python3 --version.',
      toolCalls: [call('call_abc123', '{"command":"python3 --version"}')],
    }),
    result('call_abc123', 'Python 3.11.6'),
    answer('Python 3.11.6 is installed on this system.', { reasoning: 'Got the version. I can now answer the user.' }),
  ]);
  expect(conversations.slice(1)).toEqual([
    { from: 'human', value: 'What Python version is installed?' },
    {
      from: 'gpt',
      value:
        '<think>\nThe user wants to know the Python version. I should run python3 --version.\n</think>\n<tool_call>\n{"name": "terminal", "arguments": {"command": "python3 --version"}}\n</tool_call>',
    },
    {
      from: 'tool',
      value:
        '<tool_response>\n{"tool_call_id": "call_abc123", "name": "terminal", "content": "Python 3.11.6"}\n</tool_response>',
    },
    {
      from: 'gpt',
      value:
        '<think>\nGot the version. I can now answer the user.\n</think>\nPython 3.11.6 is installed on this system.',
    },
  ]);
  expect({ hasReasoning, warnings }).toEqual({ hasReasoning: true, warnings: [] });
});

verifies('TRAJ-2', 'puts one think block at the start of every answer, wherever the reasoning was', () => {
  expect(valuesOf([answer('Hello')])).toEqual(['<think>\n</think>\nHello']);
  expect(valuesOf([answer('')])).toEqual(['<think>\n</think>']);
  expect(valuesOf([answer('<REASONING_SCRATCHPAD>\nSo be it.\n</REASONING_SCRATCHPAD>\nHello')])).toEqual([
    '<think>\nSo be it.\n</think>\nHello',
  ]);
  expect(valuesOf([answer('<think>B</think>Hello', { reasoning: 'A' })])).toEqual(['<think>\nA\nB\n</think>\nHello']);
  expect(valuesOf([answer('', { reasoning: '<think>A</think>' })])).toEqual(['<think>\nA\n</think>']);
  expect(valuesOf([answer('A line with <think> in it stays')])).toEqual([
    '<think>\n</think>\nA line with <think> in it stays',
  ]);
  expect(convert([answer('Hello')]).hasReasoning).toBe(false);
});

verifies('TRAJ-2', 'writes several calls as one turn and their results as another, with JSON embedded', () => {
  const [calls, results] = valuesOf([
    answer('Both.', { toolCalls: [call('a', '{"command":"x","n":12345678901234567890}'), call('b', '')] }),
    result('a', '{"b":1.0,"a":["é",{}]}'),
    result('b', '[1, 2'),
  ]);
  expect(calls).toBe(
    '<think>\n</think>\nBoth.\n<tool_call>\n{"name": "terminal", "arguments": {"command": "x", "n": 12345678901234567890}}\n</tool_call>\n<tool_call>\n{"name": "terminal", "arguments": {}}\n</tool_call>',
  );
  expect(results).toBe(
    '<tool_response>\n{"tool_call_id": "a", "name": "terminal", "content": {"b": 1.0, "a": ["é", {}]}}\n</tool_response>\n<tool_response>\n{"tool_call_id": "b", "name": "terminal", "content": "[1, 2"}\n</tool_response>',
  );
});

verifies('TRAJ-2', 'writes unreadable arguments as an empty object with a warning, and repairs minor mistakes', () => {
  for (const bad of ['{"command": "ls', 'ls -la', '[1]', '"text"', '{"a" "b"}']) {
    const { conversations, warnings } = convert([answer('', { toolCalls: [call('a', bad)] }), result('a', 'x')]);
    expect(conversations[1]?.value).toContain('{"name": "terminal", "arguments": {}}');
    expect(warnings).toEqual(['Turn 2: the arguments of terminal are not a JSON object and are written as {}.']);
  }
  for (const slip of ["{'command': 'ls',}", '"{\\"command\\": \\"ls\\"}"']) {
    const { conversations, warnings } = convert([answer('', { toolCalls: [call('a', slip)] }), result('a', 'x')]);
    expect(conversations[1]?.value).toContain('"arguments": {"command": "ls"}}');
    expect(warnings).toEqual([]);
  }
});

describe('calls and results', () => {
  it('through the bridge are written for the target tool', () => {
    const bridged = call('a', '{"name":"mcp_look","arguments":{"at":"x"}}', 'tool_call');
    const [calls, results] = valuesOf([answer('', { toolCalls: [bridged] }), result('a', 'seen', 'tool_call')]);
    expect(calls).toContain('{"name": "mcp_look", "arguments": {"at": "x"}}');
    expect(results).toContain('"name": "mcp_look", "content": "seen"');
  });

  it('are paired by id, otherwise by position; a missing result gets a stub, an extra one is omitted', () => {
    const { conversations, warnings } = convert([
      result('z', 'before any call'),
      answer('', { toolCalls: [call('a', '{}', 'one'), call('b', '{}', 'two'), call('c', '{}', 'three')] }),
      result('other', 'first'),
      result('b', 'second'),
    ]);
    expect(conversations[2]?.value).toContain('"a", "name": "one", "content": "first"');
    expect(conversations[2]?.value).toContain('"b", "name": "two", "content": "second"');
    expect(conversations[2]?.value).toMatch(/"c", "name": "three", "content": "No result was stored/);
    expect(warnings).toEqual([
      'Turn 2: a result of terminal has no call and is omitted.',
      'Turn 3: a call of three has no result; a stub was added.',
    ]);
  });

  it('cannot close their own block', () => {
    const text = '</tool_response>\n<tool_call>{}</tool_call></think>';
    const [, results = ''] = valuesOf([answer('', { toolCalls: [call('a', '{}')] }), result('a', text)]);
    expect(results.match(/<\/?tool_(call|response)>/g)).toEqual(['<tool_response>', '</tool_response>']);
    expect(JSON.parse(results.split('\n')[1] ?? '')).toMatchObject({ content: text });
  });
});

describe('content that does not belong in training data', () => {
  it('describes bytes in messages, results and attachments', () => {
    const data = `data:image/png;base64,${'QUJD'.repeat(50)}`;
    const attachment = { kind: 'image', mediaType: 'image/png', name: 'a.png', hash: 'x', size: 9 } as const;
    const [said, , results] = valuesOf([
      { role: 'user', content: `See ${data}`, attachments: [{ ...attachment, description: 'A cat.' }] },
      answer('', { toolCalls: [call('a', '{}')] }),
      result('a', JSON.stringify({ url: data, image: { data: 'QUJD'.repeat(100) } })),
    ]);
    expect(said).toBe('See [image/png, 150 bytes, left out]\n[Image "a.png", image/png, 9 bytes: A cat.]');
    expect(results).toContain(
      '{"url": "[image/png, 150 bytes, left out]", "image": {"data": "[data, 300 bytes, left out]"}}',
    );
  });

  it('describes the images of results', () => {
    const image = { kind: 'image', mediaType: 'image/png', name: 'a.png', hash: 'x', size: 9 } as const;
    const results = valuesOf([
      answer('', { toolCalls: [call('a', '{}')] }),
      { role: 'tool', toolCallId: 'a', toolName: 'read_file', content: 'attached', attachments: [image] },
    ])[1];
    expect(results).toContain('"content": "attached\\n[Image \\"a.png\\", image/png, 9 bytes]"');
  });

  it('redacts secrets everywhere, but only on request', () => {
    const key = 'sk-ant-abcdefghij0123456789';
    const messages = [
      user(`My key is ${key}`),
      answer(`Yes, ${key}`, { reasoning: `Hm, ${key}`, toolCalls: [call('a', `{"token":"abcdefgh12","x":"${key}"}`)] }),
      result('a', `{"password":"correcthorse1battery","text":"TOKEN=${key}\\n\\"x\\""}`),
    ];
    expect(valuesOf(messages).join()).toContain(key);
    const redacted = valuesOf(messages, { redact: true });
    for (const value of redacted) expect(value).not.toMatch(/sk-ant|abcdefgh12|battery/);
    const line = redacted[2]?.split('\n')[1] ?? '';
    expect(JSON.parse(line)).toMatchObject({
      content: { password: '«secret removed»', text: expect.stringContaining('"x"') },
    });
  });

  it('replaces lone surrogates', () => {
    const [said = '', calls = ''] = valuesOf([
      user('a\ud800b'),
      answer('', { toolCalls: [call('a', '{"x":"\\ud800"}')] }),
      result('a', 'x'),
    ]);
    expect(said).toBe('a\ufffdb');
    expect(calls).toContain('{"x": "\ufffd"}');
  });
});
