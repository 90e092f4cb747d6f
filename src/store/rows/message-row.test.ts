import fc, { type Arbitrary } from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AssistantMessage, Attachment, JsonValue, Message, ToolCall } from '../../base/index.ts';
import { type MessageRow, messageToRow, rowToMessage } from './message-row.ts';

const text = fc.string({ unit: 'binary' });
// Includes lone surrogates and NUL: the codec must not throw for any text.
const hostileText = fc.oneof(
  text,
  fc.array(fc.integer({ min: 0, max: 0xffff })).map((units) => String.fromCharCode(...units)),
);
// JSON has no negative zero.
const json = fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)) as JsonValue);

function attachment(name: Arbitrary<string>): Arbitrary<Attachment> {
  return fc.record(
    {
      kind: fc.constantFrom('image' as const, 'document' as const),
      mediaType: fc.constantFrom('image/png', 'application/pdf', 'image/svg+xml'),
      name,
      hash: fc.stringMatching(/^[0-9a-f]{64}$/),
      size: fc.nat(),
      description: name,
    },
    { requiredKeys: ['kind', 'mediaType', 'name', 'hash', 'size'], noNullPrototype: true },
  );
}

function message(content: Arbitrary<string>): Arbitrary<Message> {
  const call: Arbitrary<ToolCall> = fc.record(
    { id: content, name: content, arguments: content, itemId: content, extraContent: json },
    { requiredKeys: ['id', 'name', 'arguments'], noNullPrototype: true },
  );
  const assistant: Arbitrary<AssistantMessage> = fc.record(
    {
      role: fc.constant('assistant' as const),
      content,
      toolCalls: fc.array(call, { maxLength: 3 }),
      finishReason: fc.constantFrom(
        'stop' as const,
        'tool_calls' as const,
        'length' as const,
        'content_filter' as const,
      ),
      reasoning: content,
      reasoningDetails: fc.array(json, { maxLength: 3 }),
      codexReasoningItems: fc.array(json, { maxLength: 3 }),
      producer: content,
    },
    { requiredKeys: ['role', 'content'], noNullPrototype: true },
  );
  const user = fc.record(
    {
      role: fc.constant('user' as const),
      content,
      sentContent: content,
      attachments: fc.array(attachment(content), { maxLength: 3 }),
    },
    { requiredKeys: ['role', 'content'], noNullPrototype: true },
  );
  const tool = fc.record(
    {
      role: fc.constant('tool' as const),
      toolCallId: content,
      toolName: content,
      content,
      attachments: fc.array(attachment(content), { maxLength: 3 }),
    },
    { requiredKeys: ['role', 'toolCallId', 'toolName', 'content'], noNullPrototype: true },
  );
  return fc.oneof(user, assistant, tool);
}

const OLD_ROW: MessageRow = { ...messageToRow({ role: 'user', content: 'x' }), role: 'assistant' };

describe('the codec of stored messages', () => {
  it('returns every message unchanged', () => {
    fc.assert(
      fc.property(message(hostileText), (original) => {
        expect(rowToMessage(messageToRow(original))).toStrictEqual(original);
      }),
      { numRuns: 500 },
    );
  });

  it('writes tool calls in the format of the original', () => {
    const row = messageToRow({
      role: 'assistant',
      content: '',
      toolCalls: [
        { id: 'call_1', name: 'terminal', arguments: '{}' },
        { id: 'call_2', name: 'todo', arguments: '{', itemId: 'fc_2', extraContent: { signature: 'abc' } },
      ],
    });
    expect(JSON.parse(row.tool_calls ?? '')).toEqual([
      { id: 'call_1', call_id: 'call_1', type: 'function', function: { name: 'terminal', arguments: '{}' } },
      {
        id: 'fc_2',
        call_id: 'call_2',
        type: 'function',
        function: { name: 'todo', arguments: '{' },
        extra_content: { signature: 'abc' },
      },
    ]);
  });

  it('reads tool calls that only have an id, and arguments that are not a string', () => {
    const toolCalls = [{ id: 'call_1', function: { name: 'terminal', arguments: { command: 'ls' } } }];
    expect(rowToMessage({ ...OLD_ROW, tool_calls: JSON.stringify(toolCalls) })).toEqual({
      role: 'assistant',
      content: 'x',
      toolCalls: [{ id: 'call_1', name: 'terminal', arguments: '{"command":"ls"}' }],
    });
  });

  it('ignores a column with invalid content', () => {
    for (const tool_calls of ['', '{', 'null', '7', '{"id":1}']) {
      expect(rowToMessage({ ...OLD_ROW, tool_calls })).toEqual({ role: 'assistant', content: 'x' });
    }
    const row = { ...OLD_ROW, content: null, finish_reason: 'end_turn', reasoning_details: 'x', tool_calls: '[1, {}]' };
    expect(rowToMessage(row)).toEqual({ role: 'assistant', content: '', toolCalls: [] });
  });

  it('reads the original’s block lists as text', () => {
    const row = {
      ...OLD_ROW,
      role: 'user',
      content: '\0json:[{"type":"text","text":"Look"},{"type":"image_url"},"x",7]',
    };
    expect(rowToMessage(row)).toEqual({ role: 'user', content: 'Look\n[image_url]\nx\n' });
    expect(rowToMessage({ ...row, content: '\0json:{"a":1}' })).toMatchObject({ content: '{"a":1}' });
    expect(rowToMessage({ ...row, content: '\0json:nothing' })).toMatchObject({ content: '\0json:nothing' });
  });

  it('skips invalid attachments, so that only blobs are ever referenced', () => {
    const good = { kind: 'image', mediaType: 'image/png', name: 'a', hash: 'a'.repeat(64), size: 1 };
    const bad = [
      ...[null, 7, [], {}, { ...good, kind: 'video' }, { ...good, hash: '../../etc/passwd' }],
      ...[
        { ...good, mediaType: 'image/png;base64,x" onload="' },
        { ...good, name: 1 },
        { ...good, size: '1' },
      ],
    ];
    const row = { ...OLD_ROW, role: 'user', attachments: JSON.stringify([...bad, { ...good, more: 1 }]) };
    expect(rowToMessage(row)).toEqual({ role: 'user', content: 'x', attachments: [good] });
    for (const attachments of ['', '{}', 'null', '[']) {
      expect(rowToMessage({ ...row, attachments })).toEqual({ role: 'user', content: 'x' });
    }
  });

  it('returns no message for an unknown role', () => {
    for (const role of ['system', 'session_meta', '']) expect(rowToMessage({ ...OLD_ROW, role })).toBeUndefined();
  });
});
