import { join } from 'node:path';
import { describe, expect, onTestFinished } from 'vitest';
import { createAgent } from '../../src/agent/index.ts';
import type { JsonObject, JsonValue } from '../../src/base/index.ts';
import { isJsonObject } from '../../src/base/index.ts';
import type { CacheTtlSetting, Logger } from '../../src/contracts/index.ts';
import { silentLogger } from '../../src/contracts/index.ts';
import { createModelClient } from '../../src/llm/index.ts';
import { createLearnedMarkers } from '../../src/runtime/learned-limits.ts';
import { openSqliteStore } from '../../src/store/sqlite/index.ts';
import {
  createCacheSimulator,
  createFakeClock,
  createProviderServer,
  createTemporaryHome,
  forwardMarkers,
  type GatewayRules,
  type ProviderServer,
  type Reply,
} from '../../src/testing/index.ts';
import { type AgentFixture, type FixtureOptions, fixtureOptions, withRoutes } from '../support/agent-fixture.ts';
import { verifies } from '../spec/verifies.ts';

const PASSING: GatewayRules = { text: 'passed on', calls: 'passed on', results: 'passed on' };
const MINUTE = 60_000;

/** A gateway in front of Claude that handles markers in this way and answers from a script. */
async function openGateway(rules: GatewayRules, script: readonly Reply[]): Promise<ProviderServer> {
  const simulator = createCacheSimulator({ minimumTokens: 100 });
  let position = 0;
  const server = await createProviderServer({
    script(request) {
      const forwarded = forwardMarkers(request.body, rules);
      if ('fault' in forwarded) return forwarded;
      const { longCacheWrite: _, ...usage } = simulator.serve(
        simulator.read('chat_completions', forwarded.body),
        clock.now(),
      );
      return { ...script[position++], usage };
    },
  });
  onTestFinished(() => server.close());
  return server;
}

let clock = createFakeClock();

function routeTo(server: ProviderServer, cacheTtl: CacheTtlSetting = '5m') {
  const [provider, model, apiMode] = ['lab', 'claude-sonnet-5', 'chat_completions'] as const;
  const baseUrl = server.baseUrl(apiMode);
  const credential = { secret: 'test-secret', hosts: [new URL(server.url).host] };
  const client = createModelClient({ apiMode, baseUrl, model, credential, cacheTtl, stallTimeoutMs: 60_000 });
  const route = { provider, model, baseUrl, apiMode, contextLength: undefined, client };
  return { provider, model, open: async () => route };
}

const page = (name: string) => `${name} `.repeat(1_500);
let calls = 0;
/** An answer that calls a tool with a long result. */
function step(text = ''): Reply {
  calls += 1;
  const id = `call_${calls}`;
  return { text, toolCalls: [{ id, name: 'echo', arguments: JSON.stringify({ text: page(id) }) }] };
}

function messagesOf(request: { body: JsonObject } | undefined): JsonObject[] {
  return (request?.body.messages ?? []) as JsonObject[];
}

/** The carriers of the markers in a body: the role of the message, or `call`. */
function carriersIn(body: JsonObject): string[] {
  return messagesOf({ body }).flatMap(({ role, content, tool_calls }) => [
    ...(isMarked(content) ? [String(role)] : []),
    ...(isMarked(tool_calls) ? ['call'] : []),
  ]);
}

function isMarked(value: JsonValue | undefined): boolean {
  return Array.isArray(value) && value.some((part) => isJsonObject(part) && part.cache_control !== undefined);
}

type Lines = [string, unknown][];
const loggingTo = (lines: Lines): Logger => ({
  ...silentLogger,
  info: (message, fields) => lines.push([message, fields]),
  warn: (message, fields) => lines.push([message, fields]),
});

async function openHome() {
  const home = await createTemporaryHome();
  onTestFinished(() => home.remove());
  // Each call opens the file again, as another process does.
  return () => createLearnedMarkers({ home: home.path, clock: createFakeClock(), logger: silentLogger });
}

const ownerOf = (server: ProviderServer) => ({
  provider: 'lab',
  model: 'claude-sonnet-5',
  baseUrl: server.baseUrl('chat_completions'),
});

/** Another agent for the same session, as after a restart. */
function restart(fixture: AgentFixture, server: ProviderServer, options: FixtureOptions = {}, ttl?: CacheTtlSetting) {
  const { sessionId } = fixture.agent;
  return createAgent(fixtureOptions(fixture, [routeTo(server, ttl)], { sessionId, ...options }));
}

describe('cache markers at an unknown gateway', () => {
  verifies(
    ['CACHE-1', 'CACHE-2'],
    'stay on tool results that are read from the cache, and this is remembered',
    async () => {
      const server = await openGateway(PASSING, [step(), step(), step(), { text: 'Done.' }, { text: 'Again.' }]);
      const open = await openHome();
      const cacheMarkers = open();
      await withRoutes(
        [routeTo(server)],
        async ({ agent }) => {
          expect(await agent.chat(page('go'))).toBe('Done.');
        },
        { cacheMarkers },
      );
      expect(server.requests.map(({ body }) => carriersIn(body))).toEqual([
        ['system', 'user'],
        ['system', 'user', 'tool'],
        // The result of the first request was read from the cache, so the text needs no marker any more.
        ['system', 'user', 'tool', 'tool'],
        ['system', 'tool', 'tool', 'tool'],
      ]);
      await cacheMarkers.settled();
      expect(open().find(ownerOf(server))).toBe('results');
    },
  );

  verifies(['CACHE-1', 'CACHE-2'], 'move to tool calls after results were refused, which is remembered', async () => {
    const rules: GatewayRules = { ...PASSING, results: 'rejected' };
    const server = await openGateway(rules, [step(), step(), { text: 'Done.' }, { text: 'Again.' }]);
    const open = await openHome();
    const cacheMarkers = open();
    await withRoutes(
      [routeTo(server)],
      async (fixture) => {
        expect(await fixture.agent.chat(page('go'))).toBe('Done.');
        await cacheMarkers.settled();
        expect(open().find(ownerOf(server))).toBe('calls');
        // A new process does not try the results again.
        expect(await restart(fixture, server, { cacheMarkers: open() }).chat('on')).toBe('Again.');
      },
      { cacheMarkers },
    );
    expect(server.requests.map(({ body }) => carriersIn(body))).toEqual([
      ['system', 'user'],
      ['system', 'user', 'tool'],
      ['system', 'user', 'call'],
      ['system', 'user', 'call', 'call'],
      ['system', 'call', 'assistant', 'user'],
    ]);
    // A result without markers is a plain string: some gateways accept nothing else there.
    const results = messagesOf(server.requests.at(-1)).filter(({ role }) => role === 'tool');
    expect(results.map(({ content }) => typeof content)).toEqual(['string', 'string']);
  });

  verifies(['CACHE-1', 'CACHE-2'], 'move to tool calls after markers on results had no effect', async () => {
    const rules: GatewayRules = { ...PASSING, results: 'dropped' };
    const server = await openGateway(rules, [...Array.from({ length: 8 }, () => step()), { text: 'Done.' }]);
    const open = await openHome();
    const cacheMarkers = open();
    await withRoutes([routeTo(server)], ({ agent }) => agent.chat(page('go')).then(() => undefined), { cacheMarkers });
    const carriers = server.requests.map(({ body }) => carriersIn(body));
    expect(carriers.slice(1, 3)).toEqual([
      ['system', 'user', 'tool'],
      ['system', 'user', 'tool', 'tool'],
    ]);
    expect(carriers.at(-1)).toEqual(['system', 'call', 'call', 'call']);
    await cacheMarkers.settled();
    expect(open().find(ownerOf(server))).toBe('calls');
  });

  verifies(['CACHE-1', 'CACHE-2'], 'stay on text if neither results nor calls have an effect', async () => {
    const rules: GatewayRules = { text: 'passed on', calls: 'dropped', results: 'rejected' };
    const script = [step('I look.'), ...Array.from({ length: 6 }, () => step()), { text: 'Done.' }];
    const server = await openGateway(rules, script);
    const open = await openHome();
    const cacheMarkers = open();
    await withRoutes([routeTo(server)], ({ agent }) => agent.chat(page('go')).then(() => undefined), { cacheMarkers });
    expect(carriersIn(server.requests.at(-1)?.body ?? {})).toEqual(['system', 'user', 'assistant']);
    await cacheMarkers.settled();
    expect(open().find(ownerOf(server))).toBe('text');
  });

  verifies(
    'CACHE-2',
    'are dropped once if the endpoint rejects all of them, and not sent by another process',
    async () => {
      const rules: GatewayRules = { text: 'rejected', calls: 'rejected', results: 'rejected' };
      const server = await openGateway(rules, [step(), { text: 'Done.' }, { text: 'Again.' }]);
      const open = await openHome();
      const cacheMarkers = open();
      await withRoutes(
        [routeTo(server)],
        async (fixture) => {
          expect(await fixture.agent.chat('go')).toBe('Done.');
          await cacheMarkers.settled();
          expect(await restart(fixture, server, { cacheMarkers: open() }).chat('on')).toBe('Again.');
        },
        { cacheMarkers },
      );
      expect(server.requests.map(({ rawBody }) => rawBody.includes('cache_control'))).toEqual([
        true,
        false,
        false,
        false,
      ]);
      // Nothing is left of the form with markers.
      const contents = messagesOf(server.requests[1]).map(({ content }) => typeof content);
      expect(contents).toEqual(['string', 'string']);
    },
  );

  verifies('CACHE-2', 'are dropped once after a rejection that does not name them, and only then', async () => {
    const wants = { fault: { type: 'status', status: 400, message: 'messages.0.content must be a string' } } as const;
    const other = { fault: { type: 'status', status: 400, message: 'the request is wrong' } } as const;
    const script = [wants, { text: 'Done.' }, other];
    await using server = await createProviderServer({ script });
    await withRoutes([routeTo(server)], async ({ agent }) => {
      expect(await agent.chat('go')).toBe('Done.');
      expect((await agent.runConversation({ userMessage: 'on' })).failed).toBe(true);
    });
    expect(server.requests.map(({ rawBody }) => rawBody.includes('cache_control'))).toEqual([true, false, false]);
  });

  verifies('CACHE-2', 'stay if an error has another cause, and nothing wrong is remembered', async () => {
    const status = (code: number, message: string): Reply => ({ fault: { type: 'status', status: code, message } });
    const [bad, busy] = [status(400, 'bad request'), status(429, 'Rate limited. Use cache_control to save tokens.')];
    const done = { text: 'Done.' };
    const cases: [Reply[], boolean[]][] = [
      // Without markers, the same error comes again.
      [
        [bad, bad, done],
        [true, false, true],
      ],
      // It may have been a coincidence, so the next session tries again.
      [
        [bad, done, done],
        [true, false, false],
      ],
      [
        [busy, done, done],
        [true, true, true],
      ],
    ];
    for (const [script, marked] of cases) {
      await using server = await createProviderServer({ script });
      const open = await openHome();
      const cacheMarkers = open();
      await withRoutes(
        [routeTo(server)],
        async ({ agent }) => {
          await agent.runConversation({ userMessage: 'go' });
          expect(await agent.chat('on')).toBe('Done.');
        },
        { cacheMarkers },
      );
      expect(server.requests.map(({ rawBody }) => rawBody.includes('cache_control'))).toEqual(marked);
      await cacheMarkers.settled();
      expect(open().find(ownerOf(server))).toBeUndefined();
    }
  });

  verifies('CACHE-2', 'are kept without the long lifetime if only that is rejected', async () => {
    const refused = 'cache_control.ttl: Extra inputs are not permitted';
    const script: Reply[] = [{ fault: { type: 'status', status: 400, message: refused } }, { text: 'Done.' }];
    await using server = await createProviderServer({ script });
    await withRoutes([routeTo(server, '1h')], async ({ agent }) => {
      expect(await agent.chat('go')).toBe('Done.');
    });
    expect(server.requests[0]?.rawBody).toContain('"cache_control":{"type":"ephemeral","ttl":"1h"}');
    expect(server.requests[1]?.rawBody).toContain('"cache_control":{"type":"ephemeral"}');
  });

  verifies('CACHE-2', 'that have no effect are reported once, with the setting that turns them off', async () => {
    const rules: GatewayRules = { text: 'dropped', calls: 'dropped', results: 'dropped' };
    const replies = ['One.', 'Two.', 'Three.', 'Four.'].map((text) => ({ text }));
    const server = await openGateway(rules, replies);
    const lines: Lines = [];
    await withRoutes(
      [routeTo(server)],
      async ({ agent }) => {
        await agent.chat(`${page('a')}${page('b')}${page('c')}${page('d')}`.repeat(2));
        expect(agent.unusedMarkers()).toBeUndefined();
        for (const text of ['two', 'three', 'four']) await agent.chat(text);
        expect(agent.unusedMarkers()).toMatchObject({ provider: 'lab', model: 'claude-sonnet-5' });
      },
      { logger: loggingTo(lines) },
    );
    const found = lines.filter(([message]) => message === 'cache markers had no effect');
    expect(found).toMatchObject([[expect.anything(), { setting: 'providers.lab.prompt_caching.mode: off' }]]);
  });

  verifies('CACHE-2', 'that have an effect, or belong to a short prompt, are not reported', async () => {
    const server = await openGateway(
      PASSING,
      ['One.', 'Two.', 'Three.'].map((text) => ({ text })),
    );
    const dropping = await openGateway(
      { ...PASSING, text: 'dropped' },
      ['One.', 'Two.'].map((text) => ({ text })),
    );
    for (const [each, text] of [
      [server, page('a').repeat(8)],
      [dropping, 'short'],
    ] as const) {
      await withRoutes([routeTo(each)], async ({ agent }) => {
        await agent.chat(text);
        await agent.chat('two');
        expect(agent.unusedMarkers()).toBeUndefined();
      });
    }
  });
});

describe('the lifetime `auto`', () => {
  const ttlsOf = (server: ProviderServer) =>
    server.requests.map(({ rawBody }) => (rawBody.includes('"ttl":"1h"') ? '1h' : '5m'));
  const long = page('go').repeat(8);

  verifies(
    'CACHE-2',
    'becomes an hour after the first pause in which the cache expired, also after a resume',
    async () => {
      clock = createFakeClock();
      const server = await openGateway(
        PASSING,
        Array.from({ length: 6 }, (_, index) => ({ text: `Answer ${index}.` })),
      );
      await withRoutes([], async ({ folder, environment }) => {
        // A resume finds the pause by the times of the stored messages.
        const store = await openSqliteStore({ file: join(folder, 'other.db'), clock });
        const options = fixtureOptions({ store, folder, environment, clock }, [routeTo(server, 'auto')]);
        const agent = createAgent(options);
        await agent.chat(long);
        clock.advance(4 * MINUTE);
        await agent.chat('soon');
        clock.advance(6 * MINUTE);
        await agent.chat('late');
        await agent.chat('and now');
        await createAgent({ ...options, sessionId: agent.sessionId }).chat('after a restart');
        await store.close();
      });
      expect(ttlsOf(server)).toEqual(['5m', '5m', '5m', '1h', '1h']);
    },
  );

  verifies('CACHE-2', 'notices that the cache expired before a resume', async () => {
    clock = createFakeClock();
    const server = await openGateway(
      PASSING,
      Array.from({ length: 3 }, (_, index) => ({ text: `Answer ${index}.` })),
    );
    await withRoutes([routeTo(server, 'auto')], async (fixture) => {
      clock = fixture.clock;
      await fixture.agent.chat(long);
      fixture.clock.advance(20 * MINUTE);
      const agent = restart(fixture, server, {}, 'auto');
      await agent.chat('the next day');
      await agent.chat('and now');
    });
    expect(ttlsOf(server)).toEqual(['5m', '5m', '1h']);
  });

  verifies('CACHE-2', 'stays at five minutes if the provider kept the cache, or never had one', async () => {
    for (const rules of [PASSING, { ...PASSING, text: 'dropped' as const }]) {
      clock = createFakeClock();
      const server = await openGateway(
        rules,
        Array.from({ length: 3 }, (_, index) => ({ text: `Answer ${index}.` })),
      );
      await withRoutes([routeTo(server, 'auto')], async (fixture) => {
        await fixture.agent.chat(long);
        // The simulated cache has a clock of its own here, which does not advance.
        fixture.clock.advance(rules === PASSING ? 20 * MINUTE : MINUTE);
        await fixture.agent.chat('two');
        await fixture.agent.chat('three');
      });
      expect(ttlsOf(server)).toEqual(['5m', '5m', '5m']);
    }
  });
});
