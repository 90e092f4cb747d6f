import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import { isJsonObject, type JsonObject, type JsonValue, type Message } from '../base/index.ts';
import type { ApiMode, CacheTtl, ModelRequest } from '../contracts/index.ts';
import { cacheTtlOf } from './cache-markers.ts';
import { createModelClient } from './model-client.ts';
import type { ModelQuirks } from './model-quirks.ts';

const GATEWAY: ModelQuirks = { cacheMarkers: 'claude' };
const TOOLS = ['first', 'last'].map((name) => ({ name, description: 'Does it.', parameters: { type: 'object' } }));

type Options = { model?: string; quirks?: ModelQuirks; cacheTtl?: CacheTtl };

function clientOf(apiMode: ApiMode, { model = 'claude-sonnet-5', quirks, cacheTtl }: Options = {}) {
  const endpoint = { apiMode, baseUrl: 'https://api.example.com/v1', model, stallTimeoutMs: 1000 };
  return createModelClient({
    ...endpoint,
    quirks: quirks ?? (apiMode === 'chat_completions' ? GATEWAY : {}),
    cacheTtl,
  });
}

function requestOf(messages: readonly Message[], extra: Partial<ModelRequest> = {}): ModelRequest {
  const rest = { tools: TOOLS, toolChoice: 'auto', stream: true, cacheKey: 'session' } as const;
  return { system: 'Be good.', messages, ...rest, ...extra };
}

const user = (content: string): Message => ({ role: 'user', content });
const says = (content: string, ...calls: string[]): Message => ({
  role: 'assistant',
  content,
  ...(calls.length > 0 && { toolCalls: calls.map((id) => ({ id, name: 'first', arguments: '{}' })) }),
});
const result = (id: string): Message => ({ role: 'tool', toolCallId: id, toolName: 'first', content: `result ${id}` });

/** The positions of the cache markers in a body, in order. */
function marksIn(value: JsonValue, location = ''): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const own = isJsonObject(value) && value.cache_control !== undefined ? [location] : [];
  return [
    ...own,
    ...Object.entries(value).flatMap(([key, child]) => marksIn(child, location ? `${location}.${key}` : key)),
  ];
}

function marksOf(apiMode: ApiMode, request: ModelRequest, options: Options = {}): string[] {
  return marksIn(JSON.parse(clientOf(apiMode, options).prepare(request).body) as JsonObject);
}

const LOOP = [user('go'), says('', 'a', 'b'), result('a'), result('b'), says('', 'c'), result('c')];

describe('cache markers in Anthropic messages', () => {
  verifies('CACHE-1', 'are on the last block of the system prompt and of the last three messages', () => {
    const places = ['system.0', 'messages.2.content.1', 'messages.3.content.0', 'messages.4.content.0'];
    expect(marksOf('anthropic_messages', requestOf(LOOP))).toEqual(places);
  });

  verifies('CACHE-1', 'are put on the tools if one is left, and there are never more than four', () => {
    expect(marksOf('anthropic_messages', requestOf([user('go')]))).toEqual([
      'tools.1',
      'system.0',
      'messages.0.content.0',
    ]);
    const long = [...LOOP, says('Done.'), user('more'), says('', 'd'), result('d')];
    expect(marksOf('anthropic_messages', requestOf(long))).toHaveLength(4);
    expect(marksOf('anthropic_messages', requestOf(long, { system: '' }))).toContain('tools.1');
    expect(marksOf('anthropic_messages', requestOf([user('go')], { tools: [], system: '' }))).toHaveLength(1);
  });

  verifies('CACHE-1', 'are never on reasoning', () => {
    const thinking = { type: 'thinking', thinking: 'hm', signature: 's' };
    const alone: Message = { role: 'assistant', content: '', reasoningDetails: [thinking] };
    const before: Message = { ...says('So.'), reasoningDetails: [thinking] } as Message;
    const places = marksOf('anthropic_messages', requestOf([user('go'), before, user('on'), alone]));
    expect(places.slice(1)).toEqual(['messages.0.content.0', 'messages.1.content.1', 'messages.2.content.0']);
  });

  it('mark the last message that the model has read if others responded since', () => {
    const [, , , known] = LOOP;
    const others = ['x', 'y', 'z'].flatMap((id) => [says('', id), result(id)]);
    const request = requestOf([...LOOP.slice(0, 4), ...others], { readUpTo: known });
    const places = marksOf('anthropic_messages', request);
    expect(places.slice(1)).toEqual(['messages.2.content.1', 'messages.7.content.0', 'messages.8.content.0']);
    const gone = marksOf('anthropic_messages', { ...request, readUpTo: user('elsewhere') });
    expect(gone[1]).toBe('messages.6.content.0');
  });

  it('are on no message of a request that forbids tools, because later requests could not use its cache entry', () => {
    expect(marksOf('anthropic_messages', requestOf(LOOP, { toolChoice: 'none' }))).toEqual(['tools.1', 'system.0']);
  });
});

describe('cache markers at a gateway', () => {
  verifies('CACHE-1', 'move from tool results and empty messages to the message before', () => {
    expect(marksOf('chat_completions', requestOf(LOOP))).toEqual(['messages.0.content.0', 'messages.1.content.0']);
    const spoken = [
      user('go'),
      says('I look.', 'a'),
      result('a'),
      says('', 'b'),
      result('b'),
      says('Done.'),
      user('on'),
    ];
    const places = ['messages.0', 'messages.2', 'messages.6', 'messages.7'].map((location) => `${location}.content.0`);
    expect(marksOf('chat_completions', requestOf(spoken))).toEqual(places);
  });

  verifies('REQ-6', 'use a list of parts for content, which is a plain string without markers', () => {
    const bodyOf = (model: string, cacheKey?: string) => {
      const { body } = clientOf('chat_completions', { model }).prepare(requestOf(LOOP, { cacheKey }));
      return (JSON.parse(body) as { messages: JsonObject[] }).messages.map(({ content }) => content);
    };
    const text = (words: string) => [{ type: 'text', text: words }];
    const parts = ['Be good.', 'go', '', 'result a', 'result b', '', 'result c'].map((words) => words && text(words));
    expect(bodyOf('anthropic/claude-sonnet-5')).toEqual(parts);
    expect(bodyOf('openai/gpt-5')).toEqual(['Be good.', 'go', '', 'result a', 'result b', '', 'result c']);
  });

  it('are not put on a file without text', () => {
    const file = { hash: 'h', kind: 'image', name: 'a.png', mediaType: 'image/png', size: 1 } as const;
    const message: Message = { role: 'user', content: '', attachments: [file] };
    const request = requestOf([user('go'), says('Yes?'), message], { blobs: new Map([['h', 'AAAA']]) });
    expect(marksOf('chat_completions', request)).toEqual([
      'messages.0.content.0',
      'messages.1.content.0',
      'messages.2.content.0',
    ]);
  });
});

describe('the use of cache markers', () => {
  verifies(
    'CACHE-2',
    'is limited to Claude on the native API and to gateways that support it, with the configured lifetime',
    () => {
      const ttl = (apiMode: ApiMode, model: string, quirks?: ModelQuirks, cacheTtl?: CacheTtl) =>
        cacheTtlOf({ apiMode, model, quirks, cacheTtl });
      expect(ttl('anthropic_messages', 'claude-opus-4-6')).toBe('5m');
      expect(ttl('anthropic_messages', 'claude-opus-4-6', {}, '1h')).toBe('1h');
      expect(ttl('anthropic_messages', 'MiniMax-M3')).toBeUndefined();
      expect(ttl('chat_completions', 'anthropic/Claude-Sonnet-5', GATEWAY)).toBe('5m');
      expect(ttl('chat_completions', 'openai/gpt-5', GATEWAY)).toBeUndefined();
      expect(ttl('chat_completions', 'claude-sonnet-5')).toBeUndefined();
      expect(ttl('codex_responses', 'anthropic/claude-sonnet-5', GATEWAY)).toBeUndefined();
      expect(ttl('chat_completions', 'qwen3-coder', { cacheMarkers: 'qwen', shortCacheOnly: true }, '1h')).toBe('5m');
    },
  );

  verifies(['CACHE-1', 'CACHE-2'], 'writes `ephemeral`, and an hour only if configured', () => {
    const bodyFor = (cacheTtl: CacheTtl) =>
      clientOf('anthropic_messages', { cacheTtl }).prepare(requestOf([user('go')])).body;
    expect(bodyFor('5m')).toContain('"cache_control":{"type":"ephemeral"}}');
    expect(bodyFor('5m')).not.toContain('ttl');
    expect(bodyFor('1h')).toContain('"cache_control":{"type":"ephemeral","ttl":"1h"}}');
  });

  it('skips a one-off request, because caching it would cost more than it saves', () => {
    for (const apiMode of ['anthropic_messages', 'chat_completions'] as const) {
      expect(marksOf(apiMode, requestOf(LOOP, { cacheKey: undefined }))).toEqual([]);
    }
  });
});

const MARK = /,"cache_control":\{"type":"ephemeral"\}/g;

verifies(['CACHE-1', 'REQ-6'], 'changes no other byte of the request', () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 12 });
  const step = fc.record({ said: text, results: fc.array(text, { maxLength: 4 }), asked: text });
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 6 }), text, (steps, system) => {
      const messages = steps.flatMap(({ said, results, asked }, index): Message[] => {
        const ids = results.map((_, position) => `call_${index}_${position}`);
        const answers = results.map((content, position) => ({ ...result(ids[position] as string), content }));
        return [user(asked), says(said, ...ids), ...answers];
      });
      // Frozen, so that an encoder that modifies a message for its marker throws.
      for (const message of messages) Object.freeze(message);
      for (const apiMode of ['anthropic_messages', 'chat_completions'] as const) {
        const client = clientOf(apiMode);
        const marked = client.prepare(requestOf(messages, { system })).body;
        const plain = client.prepare(requestOf(messages, { system, cacheKey: undefined })).body;
        expect(marked.replace(MARK, '')).toBe(plain);
        expect(marksIn(JSON.parse(marked) as JsonObject).length).toBeLessThanOrEqual(4);
      }
    }),
  );
});
