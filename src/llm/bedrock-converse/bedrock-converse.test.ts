import { EventStreamCodec } from '@smithy/eventstream-codec';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import type { JsonObject, Message } from '../../base/index.ts';
import type { ModelRequest } from '../../contracts/index.ts';
import { createModelClient } from '../model-client.ts';
import { bedrockConverse } from './index.ts';
import { createEventStreamReader } from './event-stream.ts';

const CODEC = new EventStreamCodec(
  (bytes) => Buffer.from(bytes as Uint8Array).toString('utf8'),
  (text) => Buffer.from(text, 'utf8'),
);

const client = createModelClient({
  apiMode: 'bedrock_converse',
  format: bedrockConverse,
  baseUrl: 'https://bedrock-runtime.eu-west-1.amazonaws.com',
  model: 'eu.anthropic.claude-sonnet-4-5-20250929-v1:0',
  quirks: { cacheMarkers: 'claude' },
  stallTimeoutMs: 1,
});

const BASE: ModelRequest = {
  system: 'be kind',
  messages: [{ role: 'user', content: 'hi' }],
  tools: [{ name: 'echo', description: 'says it', parameters: { type: 'object' } }],
  toolChoice: 'auto',
  stream: true,
};
const prepare = (changes: Partial<ModelRequest> = {}) => client.prepare({ ...BASE, ...changes });
const bodyOf = (changes: Partial<ModelRequest> = {}) => JSON.parse(prepare(changes).body) as JsonObject;

describe('a request to the Converse API', () => {
  verifies('PROV-3', 'has the encoded model in its path, streamed or not', () => {
    const at = 'https://bedrock-runtime.eu-west-1.amazonaws.com/model/eu.anthropic.claude-sonnet-4-5-20250929-v1%3A0';
    expect(prepare().url).toBe(`${at}/converse-stream`);
    expect(prepare().headers.accept).toBe('application/vnd.amazon.eventstream');
    expect(prepare({ stream: false }).url).toBe(`${at}/converse`);
  });

  it('has the form of the API reference', () => {
    expect(bodyOf({ maxOutputTokens: 900 })).toEqual({
      inferenceConfig: { maxTokens: 900 },
      toolConfig: {
        tools: [{ toolSpec: { name: 'echo', description: 'says it', inputSchema: { json: { type: 'object' } } } }],
      },
      system: [{ text: 'be kind' }],
      messages: [{ role: 'user', content: [{ text: 'hi' }] }],
    });
    expect(bodyOf({ effort: 'low', maxOutputTokens: 20_000 })).toMatchObject({
      additionalModelRequestFields: { thinking: { type: 'enabled', budget_tokens: 4096 } },
    });
  });

  it('contains the history with reasoning, calls, results and files', () => {
    const messages: Message[] = [
      {
        role: 'user',
        content: 'look',
        attachments: [
          { kind: 'image', mediaType: 'image/png', name: 'a.png', hash: 'h1', size: 1 },
          { kind: 'document', mediaType: 'application/pdf', name: 'a_b/c.pdf', hash: 'h2', size: 1 },
        ],
      },
      {
        role: 'assistant',
        content: '',
        producer: client.producer,
        reasoningDetails: [
          { type: 'thinking', thinking: 'Hm.', signature: 'c2ln' },
          { type: 'redacted_thinking', data: 'EmwK' },
        ],
        toolCalls: [
          { id: 'a:1', name: 'echo', arguments: '{"n": 1.0}' },
          { id: 'b', name: 'echo', arguments: 'broken' },
        ],
      },
      { role: 'tool', toolCallId: 'a:1', toolName: 'echo', content: 'one' },
      { role: 'tool', toolCallId: 'b', toolName: 'echo', content: '' },
      { role: 'user', content: 'next' },
    ];
    const blobs = new Map([
      ['h1', 'aW1n'],
      ['h2', 'cGRm'],
    ]);
    const { messages: sent } = bodyOf({ messages, blobs });
    const [asked, said, results] = sent as { role: string; content: JsonObject[] }[];
    expect(asked?.content).toEqual([
      { image: { format: 'png', source: { bytes: 'aW1n' } } },
      { document: { format: 'pdf', name: 'a b c pdf', source: { bytes: 'cGRm' } } },
      { text: 'look' },
    ]);
    const { toolUse } = (said?.content ?? [])[2] as { toolUse: { toolUseId: string } };
    const id = toolUse.toolUseId;
    expect(id).toMatch(/^[\w-]+$/);
    expect(said).toEqual({
      role: 'assistant',
      content: [
        { reasoningContent: { reasoningText: { text: 'Hm.', signature: 'c2ln' } } },
        { reasoningContent: { redactedContent: 'EmwK' } },
        { toolUse: { toolUseId: id, name: 'echo', input: { n: 1 } } },
        { toolUse: { toolUseId: 'b', name: 'echo', input: {} } },
      ],
    });
    expect(results).toEqual({
      role: 'user',
      content: [
        { toolResult: { toolUseId: id, content: [{ text: 'one' }] } },
        { toolResult: { toolUseId: 'b', content: [] } },
        { text: 'next' },
      ],
    });
    expect(prepare({ messages }).body).toContain('"input":{"n": 1.0}');
  });

  it('has cache points for a session, and none for a single request', () => {
    expect(prepare().body).not.toContain('cachePoint');
    const body = bodyOf({ cacheKey: 'session' });
    const point = { cachePoint: { type: 'default' } };
    expect(body.system).toEqual([{ text: 'be kind' }, point]);
    expect(body.messages).toEqual([{ role: 'user', content: [{ text: 'hi' }, point] }]);
    expect((body.toolConfig as { tools: unknown[] }).tools.at(-1)).toEqual(point);
    expect(prepare({ cacheKey: 'session' }).body.match(/cachePoint/g)?.length).toBeLessThanOrEqual(4);
  });
});

describe('a response that was not streamed', () => {
  it('has the same answer as a stream', async () => {
    const decoder = await bedrockConverse.decode();
    const content: JsonObject[] = [
      { reasoningContent: { reasoningText: { text: 'Hm.', signature: 'c2ln' } } },
      { text: 'Yes.' },
      { toolUse: { toolUseId: 't1', name: 'echo', input: { b: 1, a: 2 } } },
    ];
    decoder.pushBody({
      output: { message: { role: 'assistant', content } },
      stopReason: 'tool_use',
      usage: { inputTokens: 3, outputTokens: 4, totalTokens: 7 },
    });
    expect(decoder.finish()).toMatchObject({
      answer: {
        text: 'Yes.',
        reasoning: 'Hm.',
        toolCalls: [{ id: 't1', name: 'echo' }],
        finishReason: 'tool_calls',
        usage: { input: 3, output: 4 },
      },
    });
    expect((await bedrockConverse.decode()).pushBody({ message: 'no' })).toBeUndefined();
  });
});

describe('the binary framing of AWS', () => {
  const encode = (type: string, body: unknown) =>
    CODEC.encode({
      headers: {
        ':event-type': { type: 'string', value: type },
        ':message-type': { type: 'string', value: 'event' },
        flag: { type: 'boolean', value: true },
        count: { type: 'integer', value: 7 },
        raw: { type: 'binary', value: new Uint8Array([1, 2]) },
        at: { type: 'timestamp', value: new Date(0) },
        id: { type: 'uuid', value: '00000000-0000-0000-0000-000000000001' },
      },
      body: Buffer.from(JSON.stringify(body)),
    });

  it("is read like AWS's own package writes it, however the bytes are split", () => {
    const event = fc.record({
      type: fc.string({ minLength: 1, maxLength: 20 }),
      body: fc.dictionary(fc.string(), fc.jsonValue()),
    });
    fc.assert(
      fc.property(fc.array(event, { maxLength: 5 }), fc.integer({ min: 1, max: 64 }), (events, size) => {
        const bytes = Buffer.concat(events.map(({ type, body }) => encode(type, body)));
        const reader = createEventStreamReader();
        const items = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
          reader.feed(bytes.subarray(at * size, (at + 1) * size)),
        ).flat();
        const wanted = events.map(({ type, body }) => {
          const plain = JSON.parse(JSON.stringify(body)) as JsonObject;
          return { event: { ...plain, type } };
        });
        expect([...items, ...reader.end()]).toEqual(wanted);
      }),
    );
  });

  it('is rejected if any byte is damaged, and any bytes are read without an exception', () => {
    const bytes = Buffer.from(encode('contentBlockDelta', { delta: { text: 'hello' } }));
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
        const damaged = Buffer.from(bytes);
        damaged[at] = (damaged[at] as number) ^ change;
        const items = createEventStreamReader().feed(damaged);
        expect(items.filter((item) => 'event' in item)).toEqual([]);
      }),
    );
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 200 })), (chunks) => {
        const reader = createEventStreamReader();
        expect(() => chunks.map((chunk) => reader.feed(chunk))).not.toThrow();
      }),
    );
  });
});
