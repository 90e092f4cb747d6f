import Anthropic from '@anthropic-ai/sdk';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Reply } from '../reply.ts';
import { createProviderServer, type ProviderServer } from './provider-server.ts';

const REPLY: Reply = {
  reasoning: 'The file must be read first.',
  text: 'Let me look at 文件 😀 now.',
  toolCalls: [
    { id: 'toolu_a', name: 'read_file', arguments: { path: 'a.txt' } },
    { id: 'toolu_b', name: 'list_files', arguments: '{}' },
  ],
  usage: { input: 100, output: 20, cacheRead: 30, cacheWrite: 4 },
  chunkSize: 3,
};

const BODY = {
  model: 'claude-test',
  max_tokens: 100,
  system: [{ type: 'text' as const, text: 'Be brief.' }],
  messages: [{ role: 'user' as const, content: 'Look.' }],
  tools: [{ name: 'read_file', input_schema: { type: 'object' as const, properties: {} } }],
};

let server: ProviderServer;
let client: Anthropic;

beforeEach(async () => {
  server = await createProviderServer({ script: [REPLY] });
  client = new Anthropic({ apiKey: 'test', baseURL: server.baseUrl('anthropic_messages'), maxRetries: 0 });
});

afterEach(async () => {
  await server.close();
});

function expectScripted(message: Anthropic.Message): void {
  expect(message.stop_reason).toBe('tool_use');
  expect(message.content).toMatchObject([
    { type: 'thinking', thinking: REPLY.reasoning, signature: expect.stringMatching(/.+/) },
    { type: 'text', text: REPLY.text },
    { type: 'tool_use', id: 'toolu_a', name: 'read_file', input: { path: 'a.txt' } },
    { type: 'tool_use', id: 'toolu_b', name: 'list_files', input: {} },
  ]);
  expect(message.usage).toMatchObject({
    input_tokens: 100,
    cache_creation_input_tokens: 4,
    cache_read_input_tokens: 30,
    output_tokens: 20,
  });
}

describe('the Anthropic SDK', () => {
  it('parses a response', async () => {
    expectScripted(await client.messages.create(BODY));
    expect(server.requests[0]).toMatchObject({
      apiMode: 'anthropic_messages',
      path: '/v1/messages',
      system: 'Be brief.',
      lastUserText: 'Look.',
      toolNames: ['read_file'],
      faults: [],
    });
  });

  it('parses a stream', async () => {
    const stream = client.messages.stream(BODY);
    const text: string[] = [];
    const thinking: string[] = [];
    stream.on('text', (delta) => text.push(delta));
    stream.on('thinking', (delta) => thinking.push(delta));
    expectScripted(await stream.finalMessage());
    expect(text.join('')).toBe(REPLY.text);
    expect(thinking.join('')).toBe(REPLY.reasoning);
  });

  it('accepts its own response as history', async () => {
    const { content } = await client.messages.create(BODY);
    server.setScript([{ text: 'Done.' }]);
    const results = ['toolu_a', 'toolu_b'].map((id) => ({
      type: 'tool_result' as const,
      tool_use_id: id,
      content: `result of ${id}`,
    }));
    const messages: Anthropic.MessageParam[] = [
      ...BODY.messages,
      { role: 'assistant', content },
      { role: 'user', content: results },
    ];
    const message = await client.messages.create({ ...BODY, messages });
    expect(message.content).toMatchObject([{ type: 'text', text: 'Done.' }]);
    expect(server.requests[1]?.toolResults).toEqual([
      { id: 'toolu_a', content: 'result of toolu_a' },
      { id: 'toolu_b', content: 'result of toolu_b' },
    ]);
  });

  it.each([
    ['stop', 'end_turn'],
    ['length', 'max_tokens'],
    ['refusal', 'refusal'],
    ['content_filter', 'refusal'],
  ] as const)('sees the finish reason %s', async (finishReason, expected) => {
    server.setScript([{ text: 'Half', finishReason }], { repeatLast: true });
    expect((await client.messages.create(BODY)).stop_reason).toBe(expected);
    expect((await client.messages.stream(BODY).finalMessage()).stop_reason).toBe(expected);
  });

  it.each([
    [401, 'authentication_error'],
    [413, 'request_too_large'],
    [429, 'rate_limit_error'],
    [500, 'api_error'],
    [529, 'overloaded_error'],
  ])('throws its own error for %i', async (status, type) => {
    server.setScript([{ fault: { type: 'status', status } }]);
    const error: unknown = await client.messages.create(BODY).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Anthropic.APIError);
    expect(error).toMatchObject({ status, error: { type: 'error', error: { type } } });
  });

  it('throws for an error inside a stream', async () => {
    server.setScript([{ text: 'Half', fault: { type: 'error-event', message: 'Lost.', afterEvents: 4 } }]);
    await expect(client.messages.stream(BODY).finalMessage()).rejects.toThrow('Lost.');
  });

  it('lists the models', async () => {
    const ids = (await client.models.list()).data.map(({ id }) => id);
    expect(ids).toEqual(['test-model']);
  });
});
