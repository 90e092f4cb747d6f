import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../base/index.ts';
import { createFakeClock } from '../fake-clock.ts';
import { createProviderServer } from '../provider-server/index.ts';
import {
  anthropicPrices,
  type CacheSimulator,
  costInUsd,
  createCacheSimulator,
  minimumUsage,
  openaiPrices,
} from './index.ts';

/** One token per word, so that the expected figures are easy to count. */
const countTokens = (text: string) => text.match(/w\d+/g)?.length ?? 0;
const MARK = { type: 'ephemeral' };
const MINUTE = 60_000;

/** Words that occur in no other text. */
function words(count: number, from = 0): string {
  return Array.from({ length: count }, (_, index) => `w${from + index}`).join(' ');
}

type Block = { text: string; marked?: boolean | '1h' };

function block({ text, marked }: Block): JsonObject {
  const marker = marked === '1h' ? { ...MARK, ttl: '1h' } : MARK;
  return { type: 'text', text, ...(marked && { cache_control: marker }) };
}

function bodyOf(blocks: readonly Block[], extra: JsonObject = {}): JsonObject {
  return { model: 'claude-sonnet-4-5', messages: [{ role: 'user', content: blocks.map(block) }], ...extra };
}

function claude(options = {}) {
  const simulator = createCacheSimulator({ countTokens, ...options });
  return (body: JsonObject, at = 0) => simulator.serve(simulator.read('anthropic_messages', body), at);
}

describe('a cache with markers', () => {
  it('caches up to a marker and reads it if the prefix is identical', () => {
    const serve = claude();
    const first = [{ text: words(2000), marked: true }];
    expect(serve(bodyOf(first))).toEqual({ input: 0, cacheRead: 0, cacheWrite: 2000, longCacheWrite: 0 });
    const longer = [{ text: words(2000) }, { text: words(100, 5000), marked: true }, { text: words(7, 9000) }];
    expect(serve(bodyOf(longer), MINUTE)).toEqual({ input: 7, cacheRead: 2000, cacheWrite: 100, longCacheWrite: 0 });
    const other = [{ text: words(2000, 1) }, { text: words(10, 5000), marked: true }];
    expect(serve(bodyOf(other), MINUTE)).toMatchObject({ cacheRead: 0, cacheWrite: 2010 });
  });

  it('reads tools, then the system prompt, then messages', () => {
    const serve = claude();
    const tools = [{ name: words(1500), cache_control: MARK }];
    const system = [{ type: 'text', text: words(50, 3000), cache_control: MARK }];
    expect(serve(bodyOf([{ text: 'w9' }], { tools, system }))).toMatchObject({ cacheWrite: 1550, input: 1 });
    const changed = [{ type: 'text', text: words(60, 4000), cache_control: MARK }];
    expect(serve(bodyOf([{ text: 'w9' }], { tools, system: changed }))).toMatchObject({
      cacheRead: 1500,
      cacheWrite: 60,
    });
    expect(serve(bodyOf([{ text: 'w9' }], { tools: [{ name: words(9) }], system }))).toMatchObject({ cacheRead: 0 });
  });

  it('caches nothing below the minimum size, which depends on the model', () => {
    const sizes = [1024, 2048, 4096];
    const models = ['claude-sonnet-4-5', 'claude-sonnet-4-6', 'anthropic/claude-haiku-4.5'];
    for (const [index, model] of models.entries()) {
      const least = sizes[index] as number;
      const serve = claude();
      expect(serve(bodyOf([{ text: words(least - 1), marked: true }], { model })).cacheWrite).toBe(0);
      expect(serve(bodyOf([{ text: words(least), marked: true }], { model })).cacheWrite).toBe(least);
    }
  });

  it('expires after five minutes or an hour since the last use', () => {
    const serve = claude();
    const short = bodyOf([{ text: words(2000), marked: true }]);
    serve(short, 0);
    expect(serve(short, 4 * MINUTE).cacheRead).toBe(2000);
    expect(serve(short, 8 * MINUTE).cacheRead).toBe(2000);
    expect(serve(short, 14 * MINUTE)).toMatchObject({ cacheRead: 0, cacheWrite: 2000 });
    const long = bodyOf([{ text: words(2000, 7000), marked: '1h' }]);
    expect(serve(long, 20 * MINUTE)).toMatchObject({ cacheWrite: 2000, longCacheWrite: 2000 });
    expect(serve(long, 79 * MINUTE).cacheRead).toBe(2000);
  });

  it('looks back at most twenty blocks from a marker', () => {
    const blocks = (count: number): Block[] =>
      Array.from({ length: count }, (_, index) => ({
        text: words(10, 3000 + index * 10),
        marked: index === count - 1,
      }));
    const begin: Block = { text: words(2000), marked: true };
    for (const [added, read] of [
      [19, 2000],
      [20, 0],
    ] as const) {
      const serve = claude();
      serve(bodyOf([begin]));
      expect(serve(bodyOf([{ text: begin.text }, ...blocks(added)])).cacheRead).toBe(read);
    }
  });

  it('is separate for each model and depends on parameters that affect messages', () => {
    const serve = claude();
    const blocks = [{ text: words(2000), marked: true }];
    serve(bodyOf(blocks));
    expect(serve(bodyOf(blocks, { model: 'claude-opus-4-1' })).cacheRead).toBe(0);
    expect(serve(bodyOf(blocks, { tool_choice: { type: 'none' } })).cacheRead).toBe(0);
    expect(serve(bodyOf(blocks)).cacheRead).toBe(2000);
  });

  it('rejects more than four markers', () => {
    const blocks = Array.from({ length: 5 }, (_, index) => ({ text: `w${index}`, marked: true }));
    expect(() => claude()(bodyOf(blocks))).toThrow('5 cache markers');
  });

  it('treats a marker inside a tool result of chat completions as a marker on the whole result', () => {
    const simulator = createCacheSimulator({ countTokens, minimumTokens: 1 });
    const text = (value: string, marked = false) => [
      { type: 'text', text: value, ...(marked && { cache_control: MARK }) },
    ];
    const body: JsonObject = {
      model: 'anthropic/claude-sonnet-5',
      messages: [
        { role: 'system', content: text('w1 w2', true) },
        { role: 'user', content: text('w3') },
        { role: 'assistant', tool_calls: [{ id: 'a', function: { name: 'w4' } }], content: text('w5', true) },
        { role: 'tool', tool_call_id: 'a', content: text('w6', true) },
      ],
    };
    const prompt = simulator.read('chat_completions', body);
    const marked = prompt.parts.map(({ section, mark }) => `${section}${mark === undefined ? '' : '!'}`);
    expect(marked).toEqual(['system!', 'messages', 'messages!', 'messages', 'messages!']);
    expect(simulator.serve(prompt, 0).cacheWrite).toBe(6);
  });
});

describe('an automatic cache', () => {
  const bodyFor = (text: string, key?: string) => ({
    model: 'gpt-5',
    instructions: words(1000),
    input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text }] }],
    ...(key && { prompt_cache_key: key }),
  });
  const serving =
    (simulator: CacheSimulator) =>
    (text: string, key?: string, at = 0) =>
      simulator.serve(simulator.read('codex_responses', bodyFor(text, key)), at).cacheRead;

  it('caches every prompt in steps of 128 tokens from 1,024 on', () => {
    const serve = serving(createCacheSimulator({ countTokens }));
    expect(serve(words(300, 2000))).toBe(0);
    // 1,300 tokens are identical; the last full step ends at 1,280.
    expect(serve(`${words(300, 2000)} w1 w2`)).toBe(1280);
    expect(serve(`${words(20, 2000)} w7`)).toBe(0);
    expect(serve(`${words(30, 2000)} w7`)).toBe(1024);
  });

  it('expires, and groups requests by their key', () => {
    const serve = serving(createCacheSimulator({ countTokens }));
    serve(words(300, 2000), 'a');
    expect(serve(words(300, 2000), 'a', 4 * MINUTE)).toBe(1280);
    expect(serve(words(300, 2000), 'b', 4 * MINUTE)).toBe(0);
    expect(serve(words(300, 2000), 'a', 10 * MINUTE)).toBe(0);
  });

  it('does not exist for a local server', () => {
    const simulator = createCacheSimulator();
    const body = { model: 'qwen3', messages: [{ role: 'user', content: words(3000) }] };
    const prompt = simulator.read('ollama_chat', JSON.stringify(body));
    expect([simulator.serve(prompt), simulator.serve(prompt)].map(({ cacheRead }) => cacheRead)).toEqual([0, 0]);
  });
});

describe('the cost', () => {
  it('has a price for each kind of token', () => {
    const usage = { input: 1e6, cacheRead: 2e6, cacheWrite: 3e6, longCacheWrite: 1e6, output: 1e5 };
    expect(costInUsd(usage, anthropicPrices(3, 15))).toBeCloseTo(3 + 0.6 + 2 * 3.75 + 6 + 1.5);
    expect(costInUsd({ ...usage, cacheWrite: 0, longCacheWrite: 0 }, openaiPrices(2, 10, 0.5))).toBeCloseTo(2 + 2 + 1);
  });

  it('is never below the minimum: each block is written once and then read, or plain input if it is used once', () => {
    const simulator = createCacheSimulator({ countTokens });
    const promptOf = (...texts: string[]) =>
      simulator.read('anthropic_messages', bodyOf(texts.map((text) => ({ text }))));
    const [a, b, c] = [words(10), words(20, 100), words(40, 200)] as const;
    const calls = [
      { prompt: promptOf(a), output: 1 },
      { prompt: promptOf(a, b), output: 2 },
      { prompt: promptOf(a, b, c), output: 3 },
      { prompt: promptOf(words(999, 500)), output: 4, auxiliary: true },
    ];
    expect(minimumUsage(calls)).toEqual({ cacheWrite: 30, cacheRead: 40, input: 40, longCacheWrite: 0, output: 10 });
  });
});

it('lets the provider server report the usage of a real one', async () => {
  const clock = createFakeClock();
  await using server = await createProviderServer({ cache: createCacheSimulator({ countTokens, clock }) });
  const ask = async () => {
    const headers = { 'content-type': 'application/json', 'anthropic-version': '2023-06-01' };
    const body = JSON.stringify({ ...bodyOf([{ text: words(2000), marked: true }]), max_tokens: 9 });
    const response = await fetch(`${server.url}/v1/messages`, { method: 'POST', headers, body });
    return ((await response.json()) as { usage: unknown }).usage;
  };
  expect(await ask()).toMatchObject({ input_tokens: 0, cache_creation_input_tokens: 2000, cache_read_input_tokens: 0 });
  expect(await ask()).toMatchObject({ input_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 2000 });
});

it('lets the provider server reject markers that a real one rejects', async () => {
  await using server = await createProviderServer();
  const ask = async (content: unknown[]) => {
    const headers = { 'content-type': 'application/json', 'anthropic-version': '2023-06-01' };
    const body = JSON.stringify({ model: 'claude', max_tokens: 9, messages: [{ role: 'user', content }] });
    const response = await fetch(`${server.url}/v1/messages`, { method: 'POST', headers, body });
    return [response.status, await response.text()] as const;
  };
  const marked = { type: 'text', text: 'hi', cache_control: MARK };
  expect((await ask([marked]))[0]).toBe(200);
  expect((await ask(Array.from({ length: 5 }, () => marked)))[1]).toContain('5 blocks have cache_control');
  expect((await ask([{ ...marked, cache_control: { ...MARK, ttl: '2h' } }]))[1]).toContain('not a cache mark');
});
