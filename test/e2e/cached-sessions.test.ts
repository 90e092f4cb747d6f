import { describe, expect } from 'vitest';
import { createAgent } from '../../src/agent/index.ts';
import type { ApiMode, Logger, RouteSource } from '../../src/contracts/index.ts';
import { silentLogger } from '../../src/contracts/index.ts';
import {
  anthropicPrices,
  addBilled,
  type CachedUsage,
  costInUsd,
  createCacheSimulator,
  createProviderServer,
  minimumUsage,
  NOTHING_BILLED,
  type PricedCall,
  type ProviderServer,
  type Reply,
} from '../../src/testing/index.ts';
import { calling, echoTool, fixtureOptions, readEvents, withRoutes } from '../support/agent-fixture.ts';
import { dose } from '../support/dose.ts';
import { PATIENT_MS, routeToServer } from '../support/provider-fixture.ts';
import { verifies } from '../spec/verifies.ts';

const MARK = /,"cache_control":\{"type":"ephemeral"\}/g;
const CLAUDE = { model: 'claude-sonnet-5' };

function claudeAt(server: ProviderServer, apiMode: ApiMode, model = CLAUDE.model): RouteSource {
  return routeToServer(server, apiMode, 'server', undefined, {
    model,
    quirks: { cacheMarkers: 'claude' },
    stallMs: PATIENT_MS,
  });
}

function expectExtensions(bodies: readonly string[]): void {
  const plain = bodies.map((body) => body.replace(MARK, ''));
  for (const [index, body] of plain.entries()) {
    const before = plain[index - 1];
    // Compares without the closing brackets `]}` of the earlier body.
    if (before !== undefined) expect(body.startsWith(before.slice(0, -2)), `request ${index + 1}`).toBe(true);
  }
}

/** Long enough that every part can be cached. */
const page = (name: string, words = 200) => ({ text: `${name} `.repeat(words) });
const batch = (...names: string[]): Reply => ({
  toolCalls: names.map((name) => ({ id: `call_${name}`, name: 'echo', arguments: JSON.stringify(page(name)) })),
});
const names = (count: number, word: string) => Array.from({ length: count }, (_, index) => `${word}${index}`);

describe('requests with cache markers', () => {
  for (const apiMode of ['anthropic_messages', 'chat_completions'] as const) {
    verifies(
      ['REQ-6', 'CACHE-1'],
      `${apiMode}: without markers, each request extends the previous one, across turns, a restart and rejections`,
      async () => {
        const message = "Unsupported parameter: 'stream_options' is not supported with this model.";
        const refused: Reply = { fault: { type: 'status', status: 400, message, code: 'unsupported_parameter' } };
        const script: Reply[] = [
          { text: 'I look.', ...calling('echo', '{"text":"x",  "n": 1.0}', 'call_1') },
          { fault: { type: 'status', status: 529 } },
          batch('a', 'b'),
          { text: '' },
          { text: 'One.' },
          ...(apiMode === 'chat_completions' ? [refused] : []),
          { text: 'Two.' },
          { text: 'Three.' },
        ];
        await using server = await createProviderServer({ script });
        const route = claudeAt(server, apiMode);
        await withRoutes([route], async (fixture) => {
          await fixture.agent.chat('first');
          expect(await fixture.agent.chat('second')).toBe('Two.');
          const options = fixtureOptions(fixture, [route], { sessionId: fixture.agent.sessionId });
          expect(await createAgent(options).chat('third')).toBe('Three.');
        });
        const bodies = server.requests.map((request) => request.rawBody);
        expect(bodies).toHaveLength(script.length);
        expect(bodies.every((body) => body.includes('cache_control'))).toBe(true);
        expect(server.requests.flatMap(({ faults }) => faults)).toEqual([]);
        // A parameter that the provider rejected comes before the tools and messages, and is not part of the prompt.
        const prompts = bodies.map((body) => body.slice(body.indexOf('"tools":')));
        // The nudge after an empty answer is sent only once, so the request that contains it is skipped.
        expectExtensions(
          prompts.filter((body) => !body.includes('Your message after the tool results above was empty')),
        );
      },
    );
  }

  verifies('REQ-6', 'extend the earlier prefix after a fallback and after a truncated history', async () => {
    const tooLong: Reply = {
      fault: { type: 'status', status: 400, message: 'prompt is too long: 210000 tokens > 200000 maximum' },
    };
    const refused: Reply = { fault: { type: 'status', status: 401 } };
    const script = [
      batch(...names(6, 'a')),
      { text: 'One.' },
      refused,
      { text: 'Three.' },
      tooLong,
      batch('b'),
      { text: 'Four.' },
      { text: 'Five.' },
    ];
    await using first = await createProviderServer({ script });
    await using second = await createProviderServer({ script: [batch('c'), { text: 'Two.' }] });
    const lines: string[] = [];
    const logger: Logger = { ...silentLogger, warn: (message) => lines.push(message) };
    const routes = [first, second].map((server) => claudeAt(server, 'anthropic_messages'));
    await withRoutes(
      routes,
      async ({ agent }) => {
        const answers: string[] = [];
        for (const text of ['one', 'two', 'three', 'four', 'five'])
          answers.push(await agent.chat(page(text, 900).text));
        expect(answers).toEqual(['One.', 'Two.', 'Three.', 'Four.', 'Five.']);
      },
      { logger },
    );
    const bodies = first.requests.map(({ rawBody }) => rawBody);
    expect(bodies).toHaveLength(script.length);
    const cut = 5;
    expectExtensions(bodies.slice(0, cut));
    expect(bodies[cut]?.length).toBeLessThan(bodies[cut - 1]?.length ?? 0);
    expectExtensions(bodies.slice(cut));
    expectExtensions(second.requests.map(({ rawBody }) => rawBody));
    expect(lines).not.toContain('prefix break');
  });

  verifies('CACHE-1', 'hit the cache with any number of results in one step', async () => {
    const cache = createCacheSimulator();
    const script = [batch('first'), batch(...names(30, 'many')), batch(...names(30, 'more')), { text: 'Done.' }];
    await using server = await createProviderServer({ script, cache });
    await withRoutes([claudeAt(server, 'anthropic_messages')], async ({ agent }) => {
      const { events } = await readEvents(agent.run({ userMessage: page('go', 2000).text }));
      const calls = events.filter((event) => event.type === 'usage');
      expect(calls).toHaveLength(4);
      for (const [index, { usage, cacheHitRate }] of calls.entries()) {
        const before = calls[index - 1]?.usage;
        // Nothing that the previous call read or wrote is billed as input again.
        if (before) expect(usage.cacheRead).toBe(before.cacheRead + before.cacheWrite);
        expect(usage.input).toBe(0);
        expect(usage.cacheWrite).toBeGreaterThan(0);
        expect(cacheHitRate).toBeCloseTo(usage.cacheRead / (usage.cacheRead + usage.cacheWrite + usage.input));
      }
    });
  });

  verifies('CACHE-1', 'reuse the cached tools in a session with another system prompt', async () => {
    const cache = createCacheSimulator();
    await using server = await createProviderServer({ cache });
    const definition = async () => ({ ...(await echoTool.definition()), description: 'Echoes it. '.repeat(500) });
    const toolList = [{ ...echoTool, definition }];
    for (const [index, words] of ['Be kind.', 'Be quick.'].entries()) {
      const prompt = { build: async () => words };
      await withRoutes(
        [claudeAt(server, 'anthropic_messages')],
        async ({ agent }) => {
          const { usage } = await agent.runConversation({ userMessage: 'go' });
          expect(usage.cacheRead > 1024).toBe(index === 1);
        },
        { prompt, toolList },
      );
    }
  });

  verifies(['CACHE-1', 'REQ-6'], 'hit the cache of a model again after fallbacks were used', async () => {
    const cache = createCacheSimulator();
    const script = [
      batch(...names(5, 'a')),
      { text: 'Done.' },
      ...names(14, 's').map((name) => batch(name)),
      { text: 'Done.' },
      { text: 'Back.' },
    ];
    await using server = await createProviderServer({ script, cache });
    const [own, other] = [
      claudeAt(server, 'anthropic_messages'),
      claudeAt(server, 'anthropic_messages', 'claude-opus-4-1'),
    ];
    const prompt = { build: async () => 'The same for both.' };
    await withRoutes(
      [own],
      async ({ agent }) => {
        await agent.chat(page('go', 2000).text);
        agent.useRoutes([other]);
        await agent.chat('and you?');
        agent.useRoutes([own]);
        const before = server.requests.length;
        const { events } = await readEvents(agent.run({ userMessage: 'and again?' }));
        const [call] = events.filter((event) => event.type === 'usage');
        const read = cache.read('anthropic_messages', server.requests[1]?.body ?? {});
        const tokens = read.parts.reduce((sum, { block }) => sum + block.tokens, 0);
        expect(call?.usage.cacheRead).toBe(tokens);
        expect(server.requests).toHaveLength(before + 1);
      },
      { prompt },
    );
  });
});

verifies('CACHE-3', 'cost close to the minimum over a long session', async () => {
  const cache = createCacheSimulator();
  const calls: (PricedCall & { usage: CachedUsage })[] = [];
  let step = 0;
  await using server = await createProviderServer({
    script({ body }) {
      const prompt = cache.read('anthropic_messages', body);
      const usage = cache.serve(prompt);
      calls.push({ prompt, usage, output: 50 });
      step += 1;
      const reply =
        step % 8 === 0 ? { text: 'Done.' } : batch(`s${step}`, ...names(step % 5 === 0 ? 25 : 1, `p${step}_`));
      return { ...reply, usage: { ...usage, output: 50 } };
    },
  });
  await withRoutes([claudeAt(server, 'anthropic_messages')], async ({ agent, store }) => {
    for (const turn of names(dose(3, 6), 'turn')) await agent.chat(turn);
    const stored = await store.getSession(agent.sessionId);
    const billed = calls.reduce((sum, { usage, output }) => addBilled(sum, { ...usage, output }), NOTHING_BILLED);
    const { longCacheWrite: _, ...counts } = billed;
    expect(stored?.usage).toMatchObject(counts);
    const prices = anthropicPrices(3, 15);
    const ratio = costInUsd(billed, prices) / costInUsd(minimumUsage(calls), prices);
    expect(ratio).toBeGreaterThanOrEqual(1);
    expect(ratio).toBeLessThan(1.05);
  });
});

describe('a prefix break', () => {
  const logging = (lines: [string, unknown][]): Logger => ({
    ...silentLogger,
    warn: (message, fields) => lines.push([message, fields]),
  });

  verifies('CACHE-3', 'is logged with its position, but not if the start was changed on purpose', async () => {
    await using server = await createProviderServer();
    const lines: [string, unknown][] = [];
    const route = claudeAt(server, 'anthropic_messages');
    let ephemeral = 'Monday.';
    await withRoutes([route], async (fixture) => {
      const options = fixtureOptions(fixture, [route], { logger: logging(lines) });
      // Simulates a bug of ours: the prompt changes with each request.
      const changing = Object.defineProperty(options, 'ephemeralSystemPrompt', { get: () => ephemeral });
      const agent = createAgent(changing);
      await agent.chat('one');
      await agent.chat('two');
      await agent.runConversation({ userMessage: 'three', systemMessage: 'Speak slowly.' });
      const history = [
        { role: 'user' as const, content: 'other' },
        { role: 'assistant' as const, content: 'words' },
      ];
      await agent.runConversation({ userMessage: 'four', history });
      expect(lines).toEqual([]);
      ephemeral = 'Tuesday.';
      await agent.chat('five');
      expect(lines).toMatchObject([['prefix break', { part: 'system', before: expect.stringContaining('Monday.') }]]);
      expect(lines).toMatchObject([['prefix break', { after: expect.stringContaining('Tuesday.') }]]);
    });
  });
});
