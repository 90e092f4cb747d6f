import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import type { AssistantMessage, JsonObject } from '../base/index.ts';
import type { ApiMode, ModelAnswer } from '../contracts/index.ts';
import { arrangeBlocks, type LayoutPart, layoutEntry } from './answer-layout.ts';
import { createModelClient } from './model-client.ts';

const BASE_URLS: Partial<Record<ApiMode, string>> = {
  anthropic_messages: 'https://api.anthropic.com',
  codex_responses: 'https://api.openai.com/v1',
  chat_completions: 'https://api.openai.com/v1',
};

/** The recorded answer as a message of the history, and the body of the request that follows it. */
function sendBack(recording: string, apiMode: ApiMode, changes: Partial<AssistantMessage> = {}): JsonObject {
  const file = join(import.meta.dirname, '../../test/recordings', `${recording}.json`);
  const { answer } = JSON.parse(readFileSync(file, 'utf8')) as { answer: ModelAnswer };
  const { text: content, toolCalls, reasoningDetails, codexReasoningItems } = answer;
  const stored = { role: 'assistant' as const, content, toolCalls, reasoningDetails, codexReasoningItems, ...changes };
  const results = toolCalls.map(({ id, name }) => ({
    role: 'tool' as const,
    toolCallId: id,
    toolName: name,
    content: 'done',
  }));
  const client = createModelClient({ apiMode, baseUrl: BASE_URLS[apiMode] as string, model: 'm', stallTimeoutMs: 1 });
  const { body } = client.prepare({
    system: '',
    messages: [{ role: 'user', content: 'hi' }, stored, ...results],
    tools: [],
    toolChoice: 'auto',
    stream: true,
  });
  return JSON.parse(body) as JsonObject;
}

const typesIn = (list: unknown) => (list as { type: string }[]).map(({ type }) => type);

describe('reasoning between the parts of an answer', () => {
  verifies('REQ-3', 'goes back to Anthropic between the same parts', () => {
    const { messages } = sendBack('anthropic-interleaved-calls', 'anthropic_messages');
    const [, assistant] = messages as { content: JsonObject[] }[];
    expect(assistant?.content).toEqual([
      { type: 'thinking', thinking: 'First.', signature: 'c2lnLW9uZQ==' },
      { type: 'text', text: 'Let me look.' },
      { type: 'thinking', thinking: 'Second.', signature: 'c2lnLXR3bw==' },
      { type: 'tool_use', id: 'toolu_1', name: 'read_file', input: { path: 'a' } },
      { type: 'redacted_thinking', data: 'EmwKAhgB' },
      { type: 'tool_use', id: 'toolu_2', name: 'todo', input: {} },
    ]);
  });

  verifies('REQ-3', 'goes back to the Responses API before the item that it led to', () => {
    const { input } = sendBack('responses-codex-calls', 'codex_responses');
    expect(typesIn(input).slice(1)).toEqual([
      'reasoning',
      'message',
      'reasoning',
      'function_call',
      'function_call_output',
    ]);
    expect((input as JsonObject[])[3]).toMatchObject({ id: 'rs_2' });
  });

  it('comes first if the message was changed since, and is not sent to another endpoint', () => {
    const changed = sendBack('anthropic-interleaved-calls', 'anthropic_messages', { content: 'Shorter.' });
    const [, assistant] = changed.messages as { content: JsonObject[] }[];
    expect(typesIn(assistant?.content)).toEqual([
      ...['thinking', 'thinking', 'redacted_thinking'],
      ...['text', 'tool_use', 'tool_use'],
    ]);
    const foreign = sendBack('anthropic-interleaved-calls', 'anthropic_messages', { producer: 'other' });
    const [, plain] = foreign.messages as { content: JsonObject[] }[];
    expect(typesIn(plain?.content)).toEqual(['text', 'tool_use', 'tool_use']);
    const chat = JSON.stringify(sendBack('anthropic-interleaved-calls', 'chat_completions'));
    expect(chat).not.toMatch(/hermes_layout|reasoning_details/);
  });

  it('is stored only if it is interleaved', () => {
    const counts = { reasoning: 1, calls: 1, characters: 3 };
    expect(layoutEntry(['reasoning', 3, 'call'], counts)).toBeUndefined();
    expect(layoutEntry([3, 'reasoning', 'call'], counts)).toEqual({
      type: 'hermes_layout',
      parts: [3, 'reasoning', 'call'],
    });
    expect(layoutEntry([2, 'reasoning', 'call'], counts)).toBeUndefined();
  });

  it('restores every order, and accepts any stored value', () => {
    const part: fc.Arbitrary<LayoutPart> = fc.oneof(fc.constantFrom('reasoning', 'call'), fc.nat(5));
    fc.assert(
      fc.property(fc.array(part), (parts) => {
        const count = (kind: LayoutPart) => parts.filter((one) => one === kind).length;
        const size = parts.reduce<number>((sum, one) => sum + (typeof one === 'number' ? one : 0), 0);
        const text = 'abcdefghij'.repeat(30).slice(0, size);
        const counts = { reasoning: count('reasoning'), calls: count('call'), characters: size };
        const stored = layoutEntry(parts, counts);
        const names = (kind: string, many: number) => Array.from({ length: many }, (_, index) => `${kind}${index}`);
        const blocks = { reasoning: names('r', counts.reasoning), calls: names('c', counts.calls), text };
        const arranged = arrangeBlocks(stored && [stored], blocks, (piece) => [`t${piece}`]) ?? [];
        const texts = arranged.filter((block) => block.startsWith('t')).map((block) => block.slice(1));
        expect(texts.join('')).toBe(stored === undefined ? '' : text);
        expect(arranged.at(-1)?.startsWith('r') ?? false).toBe(false);
        expect(arranged.filter((block) => block.startsWith('c'))).toEqual(stored === undefined ? [] : blocks.calls);
      }),
    );
    fc.assert(
      fc.property(fc.jsonValue(), (parts) => {
        const entry = { type: 'hermes_layout', parts } as JsonObject;
        expect(() => arrangeBlocks([entry], { reasoning: [], calls: [], text: 'x' }, () => [])).not.toThrow();
      }),
    );
  });
});
