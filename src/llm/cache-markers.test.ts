import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import { isJsonObject, type JsonObject, type JsonValue, type Message } from '../base/index.ts';
import {
  type ApiMode,
  type CacheTtl,
  type CacheTtlSetting,
  type CachingMode,
  MARKER_LEVELS,
  type MarkerLevel,
  type ModelRequest,
} from '../contracts/index.ts';
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

const MARK = /,"cache_control":\{"type":"ephemeral"\}/g;

describe('cache markers at a gateway', () => {
  const at = (level: MarkerLevel, isTrial = false) => ({ cacheMarkers: { level, isTrial, ttl: '5m' } as const });
  const spoken = [user('go'), says('I look.', 'a'), result('a'), says('', 'b'), result('b'), says('Done.'), user('on')];

  verifies('CACHE-1', 'are on the last result of a tool batch, and move from empty messages to the one before', () => {
    const batches = ['messages.0', 'messages.1', 'messages.4', 'messages.6'].map((each) => `${each}.content.0`);
    expect(marksOf('chat_completions', requestOf(LOOP))).toEqual(batches);
    const last = ['messages.0', 'messages.5', 'messages.6', 'messages.7'].map((each) => `${each}.content.0`);
    expect(marksOf('chat_completions', requestOf(spoken))).toEqual(last);
  });

  verifies('CACHE-1', 'are on tool calls without text if results cannot carry any, and then on text only', () => {
    const calls = marksOf('chat_completions', requestOf(LOOP, at('calls')));
    expect(calls.slice(1)).toEqual(['messages.1.content.0', 'messages.2.tool_calls.1', 'messages.5.tool_calls.0']);
    expect(marksOf('chat_completions', requestOf(LOOP, at('text')))).toEqual([
      'messages.0.content.0',
      'messages.1.content.0',
    ]);
    const texts = ['messages.0', 'messages.2', 'messages.6', 'messages.7'].map((each) => `${each}.content.0`);
    expect(marksOf('chat_completions', requestOf(spoken, at('text')))).toEqual(texts);
    expect(marksOf('chat_completions', requestOf(LOOP, at('none')))).toEqual([]);
  });

  verifies('CACHE-1', 'stay on the last text while it is not known whether others have an effect', () => {
    const long = [...LOOP, says('', 'd'), result('d'), says('', 'e'), result('e')];
    const places = ['messages.0', 'messages.1', 'messages.8', 'messages.10'].map((each) => `${each}.content.0`);
    expect(marksOf('chat_completions', requestOf(long, at('results', true)))).toEqual(places);
    const calls = marksOf('chat_completions', requestOf(long, at('calls', true)));
    expect(calls.slice(1)).toEqual(['messages.1.content.0', 'messages.7.tool_calls.0', 'messages.9.tool_calls.0']);
    const withText = marksOf('chat_completions', requestOf(spoken, at('results', true)));
    expect(withText.slice(1)).toEqual(['messages.5.content.0', 'messages.6.content.0', 'messages.7.content.0']);
  });

  it('are only on the system prompt of a request that forbids tools', () => {
    expect(marksOf('chat_completions', requestOf(LOOP, { toolChoice: 'none' }))).toEqual(['messages.0.content.0']);
  });

  verifies('REQ-6', 'use lists of parts for what can carry markers, and plain strings for the rest', () => {
    const bodyOf = (model: string, extra: Partial<ModelRequest> = {}) => {
      const { body } = clientOf('chat_completions', { model }).prepare(requestOf(LOOP, extra));
      return (JSON.parse(body) as { messages: JsonObject[] }).messages.map(({ content }) => content ?? null);
    };
    const text = (words: string) => [{ type: 'text', text: words }];
    const unmarked = (content: JsonValue) => JSON.parse(JSON.stringify(content).replace(MARK, ''));
    const plain = ['Be good.', 'go', '', 'result a', 'result b', '', 'result c'];
    const parts = plain.map((words) => words && text(words));
    const claude = 'anthropic/claude-sonnet-5';
    expect(unmarked(bodyOf(claude))).toEqual(parts);
    const texts = plain.map((words) => (words && !words.startsWith('result') ? text(words) : words));
    expect(unmarked(bodyOf(claude, at('text')))).toEqual(texts);
    expect(unmarked(bodyOf(claude, at('calls')))).toEqual(texts);
    for (const without of [at('none'), { cacheKey: undefined }]) expect(bodyOf(claude, without)).toEqual(plain);
    expect(bodyOf('openai/gpt-5')).toEqual(plain);
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
  const ttl = (
    apiMode: ApiMode,
    model: string,
    quirks?: ModelQuirks,
    other: { cacheTtl?: CacheTtlSetting; cachingMode?: CachingMode } = {},
  ) => cacheTtlOf({ apiMode, model, quirks, ...other });

  verifies(
    'CACHE-2',
    'is automatic for Claude, with the configured lifetime, and for Qwen where it is supported',
    () => {
      const qwen: ModelQuirks = { cacheMarkers: 'qwen', shortCacheOnly: true };
      expect(ttl('anthropic_messages', 'claude-opus-4-6')).toBe('5m');
      expect(ttl('anthropic_messages', 'claude-opus-4-6', {}, { cacheTtl: '1h' })).toBe('1h');
      expect(ttl('anthropic_messages', 'claude-opus-4-6', {}, { cacheTtl: 'auto' })).toBe('auto');
      expect(ttl('anthropic_messages', 'MiniMax-M3')).toBeUndefined();
      expect(ttl('chat_completions', 'anthropic/Claude-Sonnet-5', GATEWAY)).toBe('5m');
      expect(ttl('chat_completions', 'openai/gpt-5', GATEWAY)).toBeUndefined();
      // Any other endpoint may be a gateway in front of Claude, under a name of its own.
      for (const model of ['claude-sonnet-5', 'bedrock/us.anthropic.claude-opus-4-6', 'team/sonnet-5', 'Opus-4.6'])
        expect(ttl('chat_completions', model), model).toBe('5m');
      for (const model of ['gpt-5', 'opus-mt-de', 'qwen3-coder'])
        expect(ttl('chat_completions', model), model).toBeUndefined();
      expect(ttl('chat_completions', 'claude-distilled', { cacheMarkers: false })).toBeUndefined();
      expect(ttl('codex_responses', 'anthropic/claude-sonnet-5', GATEWAY)).toBeUndefined();
      expect(ttl('chat_completions', 'qwen3-coder', qwen, { cacheTtl: '1h' })).toBe('5m');
      expect(ttl('chat_completions', 'qwen3-coder', qwen, { cacheTtl: 'auto' })).toBe('5m');
    },
  );

  verifies('CACHE-2', 'can be switched on for any model, and off', () => {
    expect(ttl('chat_completions', 'prod-large', {}, { cachingMode: 'on' })).toBe('5m');
    expect(ttl('chat_completions', 'prod-large', { cacheMarkers: false }, { cachingMode: 'on' })).toBe('5m');
    expect(ttl('codex_responses', 'prod-large', {}, { cachingMode: 'on' })).toBeUndefined();
    for (const apiMode of ['anthropic_messages', 'chat_completions'] as const)
      expect(ttl(apiMode, 'claude-sonnet-5', GATEWAY, { cachingMode: 'off' })).toBeUndefined();
  });

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

verifies(['CACHE-1', 'REQ-6'], 'changes no other byte of the request, and is only where it is allowed', () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 12 });
  const step = fc.record({ said: text, results: fc.array(text, { maxLength: 4 }), asked: text });
  const where = fc.record({ level: fc.constantFrom(...MARKER_LEVELS), isTrial: fc.boolean() });
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 6 }), text, where, (steps, system, { level, isTrial }) => {
      const messages = steps.flatMap(({ said, results, asked }, index): Message[] => {
        const ids = results.map((_, position) => `call_${index}_${position}`);
        const answers = results.map((content, position) => ({ ...result(ids[position] as string), content }));
        return [user(asked), says(said, ...ids), ...answers];
      });
      // Frozen, so that an encoder that modifies a message for its marker throws.
      for (const message of messages) Object.freeze(message);
      for (const apiMode of ['anthropic_messages', 'chat_completions'] as const) {
        const client = clientOf(apiMode);
        const cacheMarkers = { level, isTrial, ttl: '5m' } as const;
        const marked = JSON.parse(client.prepare(requestOf(messages, { system, cacheMarkers })).body) as JsonObject;
        const plain = JSON.parse(client.prepare(requestOf(messages, { system, cacheKey: undefined })).body);
        expect(asPlain(marked)).toEqual(asPlain(plain));
        const places = marksIn(marked);
        expect(places.length).toBeLessThanOrEqual(level === 'none' ? 0 : 4);
        for (const place of places) expect(place).toMatch(apiMode === 'chat_completions' ? ALLOWED[level] : /./);
        const roles = (marked.messages as { role: string }[]).map(({ role }) => role);
        const markedRoles = places.map((place) => roles[Number(place.split('.')[1])]);
        if (apiMode === 'chat_completions' && level !== 'results') expect(markedRoles).not.toContain('tool');
      }
    }),
  );
});

const ALLOWED: Readonly<Record<MarkerLevel, RegExp>> = {
  results: /^messages\.\d+\.content\.\d+$/,
  calls: /^messages\.\d+\.(?:content|tool_calls)\.\d+$/,
  text: /^messages\.\d+\.content\.\d+$/,
  none: /^$/,
};

/** A body without markers, in which a text is a string whether or not it is in a list of parts. */
function asPlain(value: JsonValue): JsonValue {
  if (Array.isArray(value)) {
    const [part] = value;
    const isText = value.length === 1 && isJsonObject(part) && part.type === 'text';
    return isText ? (part.text ?? null) : value.map(asPlain);
  }
  if (!isJsonObject(value)) return value;
  const fields = Object.entries(value).filter(([name]) => name !== 'cache_control');
  return Object.fromEntries(fields.map(([name, inner]) => [name, asPlain(inner ?? null)]));
}
