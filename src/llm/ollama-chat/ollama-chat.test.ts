import { afterEach, describe, expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import type { JsonObject, Message } from '../../base/index.ts';
import type { ModelRequest } from '../../contracts/index.ts';
import { mayBeOllama } from '../api-mode.ts';
import { type Loopback, sendJson, startLoopback } from '../loopback.test-helper.ts';
import { createModelClient } from '../model-client.ts';
import { createLineReader } from '../transport/server-events.ts';
import { probeOllamaWindow, isOllama } from './probe-server.ts';

const servers: Loopback[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

async function answering(status: number, body: unknown): Promise<Loopback> {
  const server = await startLoopback((response) => sendJson(response, status, body));
  servers.push(server);
  return server;
}

const TOOL = { name: 'read_file', description: 'Reads.', parameters: { type: 'object', properties: {} } };
const CALL = { id: 'call_1', name: 'read_file', arguments: '{"path": "a",  "n": 1.0}' };
const HISTORY: Message[] = [
  { role: 'user', content: 'shown', sentContent: 'shown and recalled' },
  { role: 'assistant', content: '', toolCalls: [CALL], reasoning: 'hm' },
  { role: 'tool', toolCallId: 'call_1', toolName: 'read_file', content: 'text' },
  { role: 'assistant', content: 'Done.', reasoning: 'over' },
];

function prepare(extra: Partial<ModelRequest> = {}, model = 'qwen3:8b', contextLength?: number) {
  const options = {
    apiMode: 'ollama_chat',
    baseUrl: 'http://127.0.0.1:11434/v1',
    model,
    stallTimeoutMs: 1000,
  } as const;
  const request = { system: 'Be good.', messages: HISTORY, tools: [TOOL], toolChoice: 'auto', stream: true } as const;
  return createModelClient({ ...options, contextLength }).prepare({ ...request, ...extra });
}

const bodyOf = (...given: Parameters<typeof prepare>) => JSON.parse(prepare(...given).body) as JsonObject;

describe('a request to Ollama', () => {
  verifies('CALL-1', 'ollama_chat: encodes a history in its own API with the context window', () => {
    const { url, headers } = prepare();
    expect([url, headers.accept]).toEqual(['http://127.0.0.1:11434/api/chat', 'application/x-ndjson']);
    expect(bodyOf({ maxOutputTokens: 9 }, 'qwen3:8b', 32_768)).toEqual({
      model: 'qwen3:8b',
      stream: true,
      options: { num_ctx: 32_768, num_predict: 9 },
      tools: [{ type: 'function', function: TOOL }],
      messages: [
        { role: 'system', content: 'Be good.' },
        { role: 'user', content: 'shown and recalled' },
        {
          role: 'assistant',
          content: '',
          thinking: 'hm',
          tool_calls: [{ id: 'call_1', function: { name: 'read_file', arguments: { path: 'a', n: 1 } } }],
        },
        { role: 'tool', tool_name: 'read_file', tool_call_id: 'call_1', content: 'text' },
        { role: 'assistant', content: 'Done.' },
      ],
    });
    expect(prepare().body).toContain('"arguments":{"path": "a",  "n": 1.0}');
  });

  it('turns streaming off explicitly, and omits the tools if they must not be used', () => {
    const body = bodyOf({ stream: false, toolChoice: 'none', system: '' });
    expect(Object.keys(body)).toEqual(['model', 'stream', 'messages']);
    expect(body.stream).toBe(false);
  });

  it('turns reasoning on or off, or sets the level if the model has levels', () => {
    expect(bodyOf({ effort: 'high' }).think).toBe(true);
    expect(bodyOf({ effort: 'none' }).think).toBe(false);
    expect(bodyOf({}).think).toBeUndefined();
    expect(bodyOf({ effort: 'max' }, 'gpt-oss:20b').think).toBe('high');
    expect(bodyOf({ effort: 'none' }, 'gpt-oss:20b').think).toBe('low');
  });
});

describe('a server', () => {
  const options = (server: Loopback) => ({ baseUrl: `${server.url}/v1`, timeoutMs: 5_000 });

  it('is Ollama only if it says so', async () => {
    const ollama = await answering(200, { version: '0.13.1' });
    expect(await isOllama(options(ollama))).toBe(true);
    expect(ollama.seen[0]?.request.url).toBe('/api/version');
    expect(await isOllama(options(await answering(404, { error: 'not found' })))).toBe(false);
    expect(await isOllama(options(await answering(200, ['odd'])))).toBe(false);
    await ollama.close();
    expect(await isOllama(options(ollama))).toBe(false);
  });

  it("is probed only on Ollama's port and without a configured API mode", () => {
    expect(mayBeOllama({ baseUrl: 'http://192.168.1.5:11434/v1' })).toBe(true);
    expect(mayBeOllama({ baseUrl: 'http://192.168.1.5:8080/v1' })).toBe(false);
    expect(mayBeOllama({ baseUrl: 'http://h:11434', explicit: 'chat_completions' })).toBe(false);
    expect(mayBeOllama({ baseUrl: 'nonsense' })).toBe(false);
  });

  it.each<[string, unknown, number | undefined]>([
    ['what it was trained for', { model_info: { 'qwen3.context_length': 40_960, 'general.x': 1 } }, 40_960],
    ['what its owner set', { parameters: 'stop "x"\nnum_ctx                        8192', model_info: {} }, 8192],
    ['nothing', { model_info: { 'general.architecture': 'x' } }, undefined],
    ['nothing readable', { model_info: { 'a.context_length': 'many' }, parameters: 7 }, undefined],
  ])('reports the context window of a model: %s', async (_, facts, expected) => {
    const server = await answering(200, facts);
    expect(await probeOllamaWindow(options(server), 'qwen3:8b')).toBe(expected);
    expect([server.seen[0]?.request.url, server.seen[0]?.body]).toEqual(['/api/show', '{"model":"qwen3:8b"}']);
  });
});

describe('lines', () => {
  const bytes = (text: string) => new TextEncoder().encode(text);
  const read = (text: string) => {
    const reader = createLineReader();
    return [...reader.feed(bytes(text)), ...reader.end()];
  };

  it('become objects, and the last one may lack its line break', () => {
    expect(read('{"a":1}\n\r\n {"b":2}\r\n{"c":3}')).toEqual([
      { event: { a: 1 } },
      { event: { b: 2 } },
      { event: { c: 3 } },
    ]);
    expect(read('{"a":1}\n{"b":')).toEqual([{ event: { a: 1 } }]);
  });

  it('are rejected if they are not objects or never end', () => {
    for (const line of ['{', '1', '[]', 'null', 'hello']) {
      expect(read(`${line}\n`)).toEqual([{ failure: expect.objectContaining({ kind: 'invalid_response' }) }]);
    }
    const reader = createLineReader();
    const chunk = bytes('x'.repeat(9 * 1024 * 1024));
    expect(reader.feed(chunk)).toEqual([]);
    expect(reader.feed(chunk)).toEqual([{ failure: expect.objectContaining({ kind: 'invalid_response' }) }]);
  });
});
