import fc from 'fast-check';
import { expect } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import type { AssistantMessage, Message, ToolCall } from '../base/index.ts';
import { repairHistory } from './repair-history.ts';

const call = (id: string): ToolCall => ({ id, name: 'terminal', arguments: '{}' });
const user = (content: string): Message => ({ role: 'user', content });
const assistant = (content: string, ...ids: string[]): Message =>
  ids.length === 0
    ? { role: 'assistant', content }
    : { role: 'assistant', content, toolCalls: ids.map((id) => call(id)) };
const result = (toolCallId: string, content = 'ok'): Message => ({
  role: 'tool',
  toolCallId,
  toolName: 'terminal',
  content,
});

/** Finds violations of the rules that all providers share. */
function faults(messages: readonly Message[]): string[] {
  const found: string[] = [];
  let open: string[] = [];
  messages.forEach((message, index) => {
    const previous = messages[index - 1];
    if (index === 0 && message.role !== 'user') found.push('does not begin with a user message');
    if (message.role !== 'tool' && open.length > 0) found.push(`call ${open.join()} has no result`);
    if (message.role === 'tool') {
      if (open.shift() !== message.toolCallId) found.push(`result ${message.toolCallId} out of place`);
    } else if (previous?.role === message.role) found.push(`two ${message.role} messages in a row`);
    if (message.role === 'assistant') open = (message.toolCalls ?? []).map(({ id }) => id);
    if (message.content === '' && !(message.role === 'assistant' && message.toolCalls)) found.push('empty message');
    if (!message.content.isWellFormed()) found.push('broken characters');
  });
  if (open.length > 0) found.push('ends with open calls');
  return found;
}

const anyMessage: fc.Arbitrary<Message> = fc.oneof(
  fc.string({ unit: 'binary' }).map((text) => user(text)),
  fc
    .tuple(fc.constantFrom('', ' ', 'text', '\ud800'), fc.array(fc.constantFrom('a', 'b', 'c')))
    .map(([text, ids]) => assistant(text, ...ids)),
  fc
    .tuple(fc.constantFrom('a', 'b', 'c', 'd'), fc.constantFrom('', 'out', '\udfff'))
    .map(([id, text]) => result(id, text)),
);

verifies('LOOP-6', 'makes any history follow the rules of all providers', () => {
  fc.assert(
    fc.property(fc.array(anyMessage, { maxLength: 12 }), (history) => {
      expect(faults(repairHistory(history))).toEqual([]);
    }),
    { numRuns: 2_000 },
  );
});

verifies('LOOP-6', 'is idempotent', () => {
  fc.assert(
    fc.property(fc.array(anyMessage, { maxLength: 12 }), (history) => {
      const once = repairHistory(history);
      expect(repairHistory(once)).toEqual(once);
    }),
  );
});

verifies('REQ-1', 'never changes the history itself, and returns valid messages as the same objects', () => {
  const history = [user('hi'), assistant('', 'a'), result('a'), assistant('done')];
  const frozen = history.map((message) => Object.freeze(message));
  const copy = repairHistory(frozen);
  expect(copy).toEqual(history);
  copy.forEach((message, index) => expect(message).toBe(frozen[index]));
});

verifies('REQ-5', 'drops orphaned results, adds stubs for missing ones, and puts results in call order', () => {
  const repaired = repairHistory([user('x'), result('z'), assistant('', 'a', 'b'), result('b', 'B')]);
  expect(repaired.map((message) => message.role)).toEqual(['user', 'assistant', 'tool', 'tool']);
  expect(repaired[2]).toMatchObject({ toolCallId: 'a', content: expect.stringContaining('No result') });
  expect(repaired[3]).toMatchObject({ toolCallId: 'b', content: 'B' });
});

verifies('REQ-5', 'trims text and replaces broken characters in the copy', () => {
  const repaired = repairHistory([user('  hi\ud800 \n'), assistant(' yes ')]);
  expect(repaired.map((message) => message.content)).toEqual(['hi\ufffd', 'yes']);
});

verifies(['LOOP-6', 'REQ-6'], 'keeps an unanswered message as it was sent and adds a stub answer', () => {
  const sent: Message = { role: 'user', content: 'one', sentContent: 'one + memory' };
  const repaired = repairHistory([sent, user('two')]);
  expect(repaired.map((message) => message.role)).toEqual(['user', 'assistant', 'user']);
  expect(repaired[0]).toBe(sent);
  expect(repairHistory([sent, user('two')])[1]).toBe(repaired[1]);
});

verifies('REQ-5', 'replaces broken characters in arguments in the copy', () => {
  const broken: Message = {
    role: 'assistant',
    content: '',
    toolCalls: [{ ...call('a'), arguments: '{"x":"\ud800"}' }],
  };
  const [, copy] = repairHistory([user('x'), broken, result('a')]);
  expect(copy).toMatchObject({ toolCalls: [{ arguments: '{"x":"\ufffd"}' }] });
});

verifies(['LOOP-6', 'TOOLX-1'], 'replaces a tool name that providers would reject', () => {
  const named = (name: string): Message => ({ role: 'assistant', content: '', toolCalls: [{ ...call('a'), name }] });
  const sent = (name: string) =>
    (repairHistory([user('x'), named(name), result('a')])[1] as AssistantMessage).toolCalls;
  expect(sent('')?.[0]?.name).toBe('unnamed');
  expect(sent('read file/now')?.[0]?.name).toBe('read_file_now');
  expect(sent('x'.repeat(100))?.[0]?.name).toHaveLength(64);
  expect(sent('terminal')?.[0]?.name).toBe('terminal');
});
