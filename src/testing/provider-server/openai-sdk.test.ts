import OpenAI from 'openai';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Reply } from '../reply.ts';
import { createProviderServer, type ProviderServer } from './provider-server.ts';

const REPLY: Reply = {
  reasoning: 'The file must be read first.',
  text: 'Let me look at 文件 😀 now.',
  toolCalls: [
    { id: 'call_a', name: 'read_file', arguments: { path: 'a.txt' } },
    { id: 'call_b', name: 'read_file', arguments: '{"path": "b.txt"}' },
  ],
  usage: { input: 100, output: 20, cacheRead: 30, cacheWrite: 0, reasoning: 5 },
  chunkSize: 3,
};

const TOOL_NAME = 'read_file';
const PARAMETERS = { type: 'object', properties: { path: { type: 'string' } } };

let server: ProviderServer;
let client: OpenAI;

beforeEach(async () => {
  server = await createProviderServer({ script: [REPLY] });
  client = new OpenAI({ apiKey: 'test', baseURL: server.baseUrl('chat_completions'), maxRetries: 0 });
});

afterEach(async () => {
  await server.close();
});

describe('the OpenAI SDK and chat completions', () => {
  const body = {
    model: 'gpt-test',
    messages: [
      { role: 'system' as const, content: 'Be brief.' },
      { role: 'user' as const, content: 'Look.' },
    ],
    tools: [{ type: 'function' as const, function: { name: TOOL_NAME, parameters: PARAMETERS } }],
  };

  function expectScripted(completion: OpenAI.ChatCompletion): void {
    const choice = completion.choices[0];
    expect(choice?.finish_reason).toBe('tool_calls');
    expect(choice?.message.content).toBe(REPLY.text);
    expect(choice?.message).toMatchObject({ reasoning_content: REPLY.reasoning });
    expect(choice?.message.tool_calls).toMatchObject([
      { id: 'call_a', type: 'function', function: { name: TOOL_NAME, arguments: '{"path":"a.txt"}' } },
      { id: 'call_b', type: 'function', function: { name: TOOL_NAME, arguments: '{"path": "b.txt"}' } },
    ]);
    expect(completion.usage).toMatchObject({
      prompt_tokens: 130,
      completion_tokens: 20,
      total_tokens: 150,
      prompt_tokens_details: { cached_tokens: 30 },
      completion_tokens_details: { reasoning_tokens: 5 },
    });
  }

  it('parses a response', async () => {
    expectScripted(await client.chat.completions.create(body));
    expect(server.requests[0]).toMatchObject({
      apiMode: 'chat_completions',
      path: '/v1/chat/completions',
      model: 'gpt-test',
      stream: false,
      system: 'Be brief.',
      lastUserText: 'Look.',
      toolNames: [TOOL_NAME],
      faults: [],
    });
  });

  it('parses a stream', async () => {
    const stream = client.chat.completions.stream({ ...body, stream_options: { include_usage: true } });
    const reasoning: string[] = [];
    stream.on('chunk', (chunk) => {
      const delta = chunk.choices[0]?.delta as { reasoning_content?: string } | undefined;
      reasoning.push(delta?.reasoning_content ?? '');
    });
    const completion = await stream.finalChatCompletion();
    expect(reasoning.join('')).toBe(REPLY.reasoning);
    Object.assign(completion.choices[0]?.message ?? {}, { reasoning_content: reasoning.join('') });
    expectScripted(completion);
  });

  it.each([
    ['length', 'length'],
    ['content_filter', 'content_filter'],
    ['stop', 'stop'],
  ] as const)('sees the finish reason %s', async (finishReason, expected) => {
    server.setScript([{ text: 'Half', finishReason }]);
    const completion = await client.chat.completions.create(body);
    expect(completion.choices[0]?.finish_reason).toBe(expected);
  });

  it('sees a refusal', async () => {
    server.setScript([{ text: 'I will not.', finishReason: 'refusal' }], { repeatLast: true });
    const whole = await client.chat.completions.create(body);
    const streamed = await client.chat.completions.stream(body).finalChatCompletion();
    for (const { choices } of [whole, streamed]) {
      expect(choices[0]).toMatchObject({ finish_reason: 'stop', message: { refusal: 'I will not.', content: null } });
    }
  });

  it.each([
    [401, OpenAI.AuthenticationError, 'invalid_api_key'],
    [404, OpenAI.NotFoundError, 'model_not_found'],
    [429, OpenAI.RateLimitError, 'rate_limit_exceeded'],
    [500, OpenAI.InternalServerError, null],
  ] as const)('throws its own error for %i', async (status, type, code) => {
    server.setScript([{ fault: { type: 'status', status, retryAfter: 7 } }]);
    const error: unknown = await client.chat.completions.create(body).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(type);
    expect(error).toMatchObject({ status, code });
    expect((error as InstanceType<typeof OpenAI.APIError>).headers?.get('retry-after')).toBe('7');
  });

  it('throws for an error inside a stream', async () => {
    server.setScript([{ text: 'Half', fault: { type: 'error-event', message: 'Lost.' } }]);
    await expect(client.chat.completions.stream(body).finalChatCompletion()).rejects.toThrow('Lost.');
  });

  it('lists the models', async () => {
    const ids = (await client.models.list()).data.map(({ id }) => id);
    expect(ids).toEqual(['test-model']);
  });
});

describe('the OpenAI SDK and responses', () => {
  const body = {
    model: 'gpt-test',
    instructions: 'Be brief.',
    input: 'Look.',
    tools: [{ type: 'function' as const, name: TOOL_NAME, parameters: PARAMETERS, strict: false }],
  };

  function expectScripted(response: Pick<OpenAI.Responses.Response, 'status' | 'output' | 'usage'>): void {
    expect(response.status).toBe('completed');
    expect(response.output).toMatchObject([
      { type: 'reasoning', summary: [{ type: 'summary_text', text: REPLY.reasoning }] },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: REPLY.text }] },
      { type: 'function_call', call_id: 'call_a', name: TOOL_NAME, arguments: '{"path":"a.txt"}' },
      { type: 'function_call', call_id: 'call_b', name: TOOL_NAME, arguments: '{"path": "b.txt"}' },
    ]);
    expect(response.output[0]).toHaveProperty('encrypted_content', expect.stringMatching(/.+/));
    expect(response.usage).toMatchObject({
      input_tokens: 130,
      output_tokens: 20,
      input_tokens_details: { cached_tokens: 30 },
      output_tokens_details: { reasoning_tokens: 5 },
    });
  }

  it('parses a response', async () => {
    const response = await client.responses.create(body);
    expectScripted(response);
    expect(response.output_text).toBe(REPLY.text);
    expect(server.requests[0]).toMatchObject({ system: 'Be brief.', lastUserText: 'Look.', toolNames: [TOOL_NAME] });
  });

  it('parses a stream, and the assembled result equals the complete response', async () => {
    const text: string[] = [];
    const numbers: number[] = [];
    const stream = client.responses.stream(body);
    stream.on('response.output_text.delta', ({ delta }) => text.push(delta));
    stream.on('event', ({ sequence_number }) => numbers.push(sequence_number));
    expectScripted(await stream.finalResponse());
    expect(text.length).toBeGreaterThan(3);
    expect(text.join('')).toBe(REPLY.text);
    expect(numbers).toEqual(numbers.map((_number, index) => index));
  });

  it.each([
    ['length', 'max_output_tokens'],
    ['content_filter', 'content_filter'],
  ] as const)('sees a response that is incomplete because of %s', async (finishReason, reason) => {
    server.setScript([{ text: 'Half', finishReason }], { repeatLast: true });
    const whole = await client.responses.create(body);
    const streamed = await client.responses.stream(body).finalResponse();
    for (const response of [whole, streamed]) {
      expect(response).toMatchObject({ status: 'incomplete', incomplete_details: { reason } });
    }
  });

  it('sees a refusal', async () => {
    server.setScript([{ text: 'I will not.', finishReason: 'refusal' }], { repeatLast: true });
    const whole = await client.responses.create(body);
    const streamed = await client.responses.stream(body).finalResponse();
    for (const { output } of [whole, streamed]) {
      expect(output).toMatchObject([{ content: [{ type: 'refusal', refusal: 'I will not.' }] }]);
    }
  });

  it('throws for an error inside a stream', async () => {
    server.setScript([{ text: 'Half', fault: { type: 'error-event', message: 'Lost.', afterEvents: 5 } }]);
    await expect(client.responses.stream(body).finalResponse()).rejects.toThrow('Lost.');
  });
});
