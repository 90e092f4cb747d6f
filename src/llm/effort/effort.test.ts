import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import type { JsonObject, Message } from '../../base/index.ts';
import { type ApiMode, type ModelRequest, REASONING_EFFORTS } from '../../contracts/index.ts';
import { createModelClient } from '../model-client.ts';
import type { ModelQuirks } from '../model-quirks.ts';
import { EFFORT_RULES, findEffort } from './effort-rules.ts';

type Endpoint = { apiMode: ApiMode; model: string; quirks?: ModelQuirks };

const REQUEST: ModelRequest = { system: '', messages: [], tools: [], toolChoice: 'auto', stream: true };

function prepare({ apiMode, model, quirks }: Endpoint, extra: Partial<ModelRequest>) {
  const options = { apiMode, model, quirks, baseUrl: 'https://api.example.com/v1', stallTimeoutMs: 1000 };
  return createModelClient(options).prepare({ ...REQUEST, ...extra });
}

/** The parameters that are in the request only because of the effort. */
function added(endpoint: Endpoint, extra: Partial<ModelRequest>): JsonObject {
  const plain = JSON.parse(prepare(endpoint, { ...extra, effort: undefined, speed: undefined }).body) as JsonObject;
  const full = JSON.parse(prepare(endpoint, extra).body) as JsonObject;
  return Object.fromEntries(Object.entries(full).filter(isChange(plain)));
}

const isChange =
  (plain: JsonObject) =>
  ([key, value]: [string, unknown]) =>
    JSON.stringify(value) !== JSON.stringify(plain[key]);

const chat = (model: string, quirks?: ModelQuirks): Endpoint => ({ apiMode: 'chat_completions', model, quirks });
const responses = (model: string, quirks?: ModelQuirks): Endpoint => ({ apiMode: 'codex_responses', model, quirks });
const messages = (model: string): Endpoint => ({ apiMode: 'anthropic_messages', model });

const OLD_CLAUDE = 'claude-sonnet-4-5-20250929';

describe('effort', () => {
  it.each<[string, Endpoint, NonNullable<ModelRequest['effort']>, JsonObject]>([
    ['OpenAI, Responses', responses('gpt-5.6-terra'), 'xhigh', { reasoning: { effort: 'xhigh' } }],
    ['the nearest level below', responses('gpt-5.6-terra'), 'max', { reasoning: { effort: 'xhigh' } }],
    ['without "minimal"', responses('gpt-5.1'), 'minimal', { reasoning: { effort: 'low' } }],
    ['without "none"', responses('gpt-5-mini'), 'none', { reasoning: { effort: 'minimal' } }],
    ['older reasoning models', responses('o3'), 'xhigh', { reasoning: { effort: 'high' } }],
    ['models without reasoning', responses('gpt-4.1'), 'high', {}],
    ['chat variants', responses('gpt-5.2-chat-latest'), 'high', {}],
    [
      'Codex',
      responses('gpt-5.6-sol', { reasoningSummary: true }),
      'high',
      { reasoning: { effort: 'high', summary: 'auto' } },
    ],
    ['chat completions', chat('gpt-5.4'), 'low', { reasoning_effort: 'low' }],
    ['open weights anywhere', chat('openai/gpt-oss-120b'), 'minimal', { reasoning_effort: 'low' }],
    ['unknown models', chat('my-model'), 'high', {}],
    ['OpenRouter', chat('any/model', { effort: 'router' }), 'max', { reasoning: { effort: 'xhigh' } }],
    ['OpenRouter, none', chat('any/model', { effort: 'router' }), 'none', { reasoning: { effort: 'none' } }],
    ['Gemini', chat('gemini-3.6-flash', { effort: 'gemini' }), 'minimal', { reasoning_effort: 'low' }],
    ['Gemini, none', chat('gemini-2.5-flash', { effort: 'gemini' }), 'none', { reasoning_effort: 'none' }],
    ['Gemini Pro, none', chat('gemini-3.1-pro-preview', { effort: 'gemini' }), 'none', { reasoning_effort: 'low' }],
    ['older Gemini', chat('gemini-2.0-flash', { effort: 'gemini' }), 'high', {}],
    [
      'DeepSeek',
      chat('deepseek-v4-pro', { effort: 'deepseek' }),
      'medium',
      { thinking: { type: 'enabled' }, reasoning_effort: 'high' },
    ],
    ['DeepSeek, none', chat('deepseek-v4-pro', { effort: 'deepseek' }), 'none', { thinking: { type: 'disabled' } }],
    ['Z.AI', chat('glm-5.2', { effort: 'thinking_switch' }), 'low', { thinking: { type: 'enabled' } }],
    ['Kimi, none', chat('kimi-k2.6', { effort: 'thinking_switch' }), 'none', { thinking: { type: 'disabled' } }],
    ['older Kimi', chat('kimi-k2-0905', { effort: 'thinking_switch' }), 'none', {}],
    ['Qwen', chat('qwen3.8-max', { effort: 'enable_thinking' }), 'high', { enable_thinking: true }],
    ['Qwen, none', chat('qwen-plus', { effort: 'enable_thinking' }), 'none', { enable_thinking: false }],
    ['Qwen coder', chat('qwen3-coder-plus', { effort: 'enable_thinking' }), 'high', {}],
    ['xAI', chat('grok-4.6', { effort: 'xai' }), 'none', { reasoning_effort: 'low' }],
    ['xAI, later', chat('grok-4.7', { effort: 'xai' }), 'max', { reasoning_effort: 'xhigh' }],
    ['xAI, none', chat('grok-4.3', { effort: 'xai' }), 'none', { reasoning_effort: 'none' }],
    ['xAI without levels', chat('grok-4.20-reasoning', { effort: 'xai' }), 'high', {}],
    [
      'Claude',
      messages('claude-opus-5'),
      'max',
      { thinking: { type: 'adaptive', display: 'summarized' }, output_config: { effort: 'max' } },
    ],
    [
      'Claude, minimal',
      messages('claude-opus-4-8'),
      'minimal',
      { thinking: { type: 'adaptive', display: 'summarized' }, output_config: { effort: 'low' } },
    ],
    [
      'Claude 4.6',
      messages('claude-opus-4-6'),
      'xhigh',
      { thinking: { type: 'adaptive' }, output_config: { effort: 'max' } },
    ],
    [
      'Sonnet 4.6',
      messages('claude-sonnet-4-6'),
      'xhigh',
      { thinking: { type: 'adaptive' }, output_config: { effort: 'high' } },
    ],
    ['Claude, none', messages('claude-sonnet-5'), 'none', { thinking: { type: 'disabled' } }],
    ['Claude 4.5', messages(OLD_CLAUDE), 'low', { thinking: { type: 'enabled', budget_tokens: 4096 } }],
    ['Claude 4', messages('claude-opus-4-20250514'), 'max', { thinking: { type: 'enabled', budget_tokens: 23_000 } }],
    ['Claude 3', messages('claude-3-5-haiku-latest'), 'high', {}],
    ['a compatible server', messages('MiniMax-M3'), 'high', {}],
  ])('%s', (_, endpoint, effort, expected) => {
    expect(added(endpoint, { effort })).toEqual(expected);
  });

  it('sends no parameter if no effort is requested', () => {
    for (const endpoint of [
      responses('gpt-5.6-terra'),
      chat('gpt-5.4'),
      messages('claude-opus-5'),
      messages(OLD_CLAUDE),
    ]) {
      expect(added(endpoint, { speed: 'normal' })).toEqual({});
    }
  });

  it('sends supported levels unchanged, and never turns reasoning off if some is requested', () => {
    for (const [style, rules] of Object.entries(EFFORT_RULES)) {
      for (const effort of REASONING_EFFORTS) {
        for (const model of ['gpt-5.6', 'gemini-3-pro', 'glm-5', 'qwen3', 'grok-4.3', 'claude-opus-5', OLD_CLAUDE]) {
          const found = findEffort(effort, model, style as keyof typeof EFFORT_RULES)?.level;
          const levels = rules.find(({ models }) => models?.test(model) ?? true)?.levels ?? [];
          expect(found).toBe(levels.includes(effort) ? effort : found);
          expect(found === 'none' && effort !== 'none').toBe(false);
          expect(found === undefined).toBe(levels.length === 0);
        }
      }
    }
  });

  it('requests reasoning of Qwen only in a stream, where all its models support it', () => {
    const qwen = chat('qwen3-32b', { effort: 'enable_thinking' });
    expect(added(qwen, { effort: 'high', stream: false })).toEqual({});
    expect(added(qwen, { effort: 'none', stream: false })).toEqual({ enable_thinking: false });
  });

  verifies('CALL-7', 'keeps the reasoning budget within the output limit, with room for the answer', () => {
    const sent = (extra: Partial<ModelRequest>) => {
      const { max_tokens: limit, thinking } = JSON.parse(prepare(messages(OLD_CLAUDE), extra).body) as JsonObject;
      return [limit, (thinking as JsonObject | undefined)?.budget_tokens];
    };
    expect(sent({ effort: 'high' })).toEqual([32_000, 16_384]);
    expect(sent({ effort: 'max' })).toEqual([32_000, 23_000]);
    expect(sent({ effort: 'high', maxOutputTokens: 64_000 })).toEqual([64_000, 16_384]);
    expect(sent({ effort: 'high', maxOutputTokens: 20_000 })).toEqual([20_000, 11_808]);
    expect(sent({ effort: 'high', maxOutputTokens: 4_000 })).toEqual([4_000, 2_000]);
    expect(sent({ effort: 'high', maxOutputTokens: 2_000 })).toEqual([2_000, undefined]);
    const refused = { effort: 'high', maxOutputTokens: 90_000, parameterChanges: [{ name: 'max_tokens' }] } as const;
    expect(sent(refused)).toEqual([8_192, 4_096]);
  });

  it('does not turn reasoning on between calls and results that were made without it', () => {
    const call = { id: 'c', name: 'n', arguments: '{}' };
    const thinking = { type: 'thinking', thinking: 't', signature: 's' };
    const history = (details?: JsonObject[]): Message[] => [
      { role: 'user', content: 'go' },
      { role: 'assistant', content: '', toolCalls: [call], reasoningDetails: details },
      { role: 'tool', toolCallId: 'c', toolName: 'n', content: 'r' },
    ];
    const ask = (model: string, list: Message[]) => added(messages(model), { effort: 'low', messages: list });
    expect(ask(OLD_CLAUDE, history())).toEqual({});
    expect(ask(OLD_CLAUDE, history([thinking]))).toHaveProperty('thinking');
    expect(
      ask(OLD_CLAUDE, [...history(), { role: 'assistant', content: 'x' }, { role: 'user', content: 'y' }]),
    ).toHaveProperty('thinking');
    expect(ask('claude-opus-5', history())).toHaveProperty('thinking');
  });
});

describe('speed', () => {
  it.each<[string, Endpoint, JsonObject]>([
    ['OpenAI', responses('gpt-5.6-sol'), { service_tier: 'priority' }],
    ['chat completions of OpenAI', chat('gpt-5.4', { speed: 'openai' }), { service_tier: 'priority' }],
    ['OpenRouter', chat('any/model', { speed: 'router' }), { service_tier: 'fast' }],
    ['AI Gateway', chat('any/model', { speed: 'gateway' }), { providerOptions: { gateway: { speed: 'fast' } } }],
    ['Claude Opus', messages('claude-opus-4-8'), { speed: 'fast' }],
    ['Claude Sonnet', messages('claude-sonnet-5'), {}],
    ['providers without the parameter', chat('deepseek-v4-pro'), {}],
  ])('%s', (_, endpoint, expected) => {
    expect(added(endpoint, { speed: 'fast' })).toEqual(expected);
    expect(added(endpoint, { speed: 'normal' })).toEqual({});
  });

  it('sends the beta feature to Anthropic next to others, but not after it was rejected', () => {
    const beta = (extra: Partial<ModelRequest>, headers = {}) => {
      const base = { baseUrl: 'https://api.anthropic.com', stallTimeoutMs: 1000, headers } as const;
      const client = createModelClient({ ...base, apiMode: 'anthropic_messages', model: 'claude-opus-5' });
      return client.prepare({ ...REQUEST, ...extra }).headers['anthropic-beta'];
    };
    expect(beta({})).toBeUndefined();
    expect(beta({ speed: 'fast' })).toBe('fast-mode-2026-02-01');
    expect(beta({ speed: 'fast' }, { 'Anthropic-Beta': 'own' })).toBe('own,fast-mode-2026-02-01');
    expect(beta({ speed: 'fast', parameterChanges: [{ name: 'speed' }] })).toBeUndefined();
  });
});
