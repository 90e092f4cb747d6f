import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { verifies } from '../../test/spec/verifies.ts';
import {
  calling,
  echoTool,
  failing,
  readEvents,
  routeTo,
  typesOf,
  withAgent,
  withRoutes,
} from '../../test/support/agent-fixture.ts';
import { createPlainEngine, createPlainMeter } from '../../test/support/plain-engine.ts';
import { createContextEngine, createTokenMeter } from '../context/index.ts';
import { canonicalJson, type JsonValue, type Message } from '../base/index.ts';
import { type Logger, type ModelClient, type ModelRequest, silentLogger } from '../contracts/index.ts';
import { createFakeClock, createScriptedModel, type ModelScript } from '../testing/index.ts';
import { builtInTools } from '../toolbox/index.ts';
import { defineTool } from '../tools/index.ts';

const WINDOW = 4_000;
const inWindow = (client: ModelClient, contextLength = WINDOW) => routeTo(client, { contextLength });

const bytesOf = (request: ModelRequest | undefined) => canonicalJson((request?.messages ?? []) as unknown as JsonValue);

/** Requests this many tool results of about a hundred tokens each, then reports how many messages it received. */
function working(steps: number): ModelScript {
  let step = 0;
  return (request) => {
    step += 1;
    if (step > steps) step = 0;
    return step === 0
      ? { text: `${request.messages.length}` }
      : calling('echo', { text: `${step} ${'x'.repeat(450)}` });
  };
}

function collectingLogger() {
  const records: { message: string; fields: Record<string, unknown> }[] = [];
  const write = (message: string, fields = {}) => void records.push({ message, fields });
  const logger: Logger = { debug: write, info: write, warn: write, error: write };
  return { logger, records };
}

describe('automatic compression', () => {
  verifies(
    ['CTX-3', 'CTX-11'],
    'after results: continues the turn in a child session and keeps every message',
    async () => {
      const model = createScriptedModel(working(20));
      await withRoutes([inWindow(model)], async ({ agent, store }) => {
        const first = agent.sessionId;
        await store.createSession({ id: 'other', source: 'test', startedAt: 0, title: 'Work' });
        const { events, result } = await readEvents(agent.run({ userMessage: 'go' }));
        expect(result).toMatchObject({ exitReason: 'completed', sessionId: agent.sessionId, toolCalls: 20 });
        const compressedEvents = events.filter((event) => event.type === 'compressed');
        expect(compressedEvents.length).toBeGreaterThan(1);
        expect(new Set(compressedEvents.map(({ reason }) => reason))).toEqual(new Set(['results']));
        expect(compressedEvents.at(-1)).toMatchObject({ sessionId: agent.sessionId, by: 'extract' });
        for (const { tokensBefore, tokensAfter } of compressedEvents) expect(tokensAfter).toBeLessThan(tokensBefore);
        const line = [...(await store.getAncestors(agent.sessionId)), await store.getSession(agent.sessionId)];
        expect(line.map((session) => session?.id)).toEqual([
          first,
          ...compressedEvents.map(({ sessionId }) => sessionId),
        ]);
        expect(line.map((session) => session?.endReason)).toEqual([
          ...compressedEvents.map(() => 'compression'),
          undefined,
        ]);
        // Each result is stored and found once, whichever session contains it.
        expect((await store.statistics()).messages).toMatchObject({ user: 1, tool: 20 });
        for (const { hits } of [await store.searchMessages({ text: '"echo: 7"' })]) expect(hits).toHaveLength(1);
        expect((await store.getTurns(agent.sessionId)).map(({ exitReason }) => exitReason)).toEqual(['completed']);
      });
    },
  );

  verifies(
    ['CTX-11', 'REQ-6'],
    'keeps the prompt and the cache key, and requests in between extend each other',
    async () => {
      const model = createScriptedModel(working(20));
      await withRoutes([inWindow(model)], async ({ agent }) => {
        const { events } = await readEvents(agent.run({ userMessage: 'go' }));
        const compressions = events.filter(({ type }) => type === 'compressed').length;
        expect(new Set(model.requests.map(({ system }) => system)).size).toBe(1);
        expect(new Set(model.requests.map(({ cacheKey }) => cacheKey)).size).toBe(1);
        const bodies = model.requests.map((request) => bytesOf(request).slice(0, -1));
        const breaks = bodies.slice(1).filter((body, index) => !body.startsWith(bodies[index] ?? ''));
        expect(breaks).toHaveLength(compressions);
      });
    },
  );

  verifies('CTX-3', 'preflight: compresses a session that was loaded too large before the first request', async () => {
    const model = createScriptedModel(working(9));
    await withRoutes([inWindow(model, 100_000)], async ({ agent, restart }) => {
      await agent.chat('go');
      const parent = agent.sessionId;
      const later = restart([{ text: 'done' }]);
      later.agent.useRoutes([inWindow(later.model, 2_000)]);
      const { events } = await readEvents(later.agent.run({ userMessage: 'and now?' }));
      expect(typesOf(events).slice(0, 3)).toEqual(['started', 'compression-started', 'compressed']);
      expect(events[2]).toMatchObject({ reason: 'preflight' });
      expect(later.agent.sessionId).not.toBe(parent);
      expect(later.model.requests[0]?.messages.at(-1)?.content).toBe('and now?');
    });
  });

  verifies(['CTX-11', 'REQ-6'], 'continues in the child with identical bytes after a restart', async () => {
    const model = createScriptedModel(working(12));
    await withRoutes([inWindow(model)], async ({ agent, restart }) => {
      await agent.chat('go');
      const later = restart([{ text: 'done' }], { sessionId: agent.sessionId });
      later.agent.useRoutes([inWindow(later.model, 100_000)]);
      await later.agent.chat('more');
      const before = bytesOf(model.requests.at(-1)).slice(0, -1);
      expect(bytesOf(later.model.requests[0]).startsWith(before)).toBe(true);
      expect(later.model.requests[0]?.system).toBe(model.requests[0]?.system);
      expect(later.model.requests[0]?.cacheKey).toBe(model.requests[0]?.cacheKey);
    });
  });

  verifies(['CTX-11', 'APPR-3'], 'numbers the title and keeps approvals and to-dos', async () => {
    const todos = [{ id: '1', content: 'the one thing', status: 'pending' }];
    const allowed: number[] = [];
    const allowingTool = defineTool({
      name: 'echo',
      toolset: 'test',
      description: 'Is allowed something.',
      parameters: z.object({ text: z.string() }),
      concurrency: { mode: 'barrier' },
      async run({ text }, { agent }) {
        allowed.push(agent?.approvedRules.size ?? -1);
        agent?.approvedRules.add(`rule ${allowed.length}`);
        return text;
      },
    });
    const work = working(12);
    let planned = false;
    const script: ModelScript = (request) => {
      if (planned) return typeof work === 'function' ? work(request) : {};
      planned = true;
      return calling('todo', { todos });
    };
    const model = createScriptedModel(script);
    await withRoutes(
      [inWindow(model)],
      async ({ agent, store, restart }) => {
        const run = agent.run({ userMessage: 'go' });
        for await (const event of run) {
          if (event.type === 'started') await store.setSessionTitle(event.sessionId, 'Work');
        }
        expect((await store.getSession(agent.sessionId))?.title).toMatch(/^Work #\d+$/);
        expect(JSON.stringify(await store.getConversation(agent.sessionId))).not.toContain('the one thing');
        const later = restart([calling('todo'), { text: 'done' }], { sessionId: agent.sessionId });
        later.agent.useRoutes([inWindow(later.model)]);
        await later.agent.chat('what is left?');
        expect(later.model.requests[1]?.messages.at(-1)?.content).toContain('the one thing');
      },
      { toolList: [...builtInTools(), allowingTool] },
    );
    expect(allowed).toEqual(allowed.map((_, index) => index));
    expect(allowed).toHaveLength(12);
  });

  verifies('CTX-3', 'does nothing when disabled; an overflow says so, and /compress still works', async () => {
    const script: ModelScript = (request) =>
      request.messages.length > 20 ? failing('context_overflow') : calling('echo', { text: 'x'.repeat(900) });
    const engine = createPlainEngine();
    const model = createScriptedModel(script);
    const options = { autoCompress: false, context: engine };
    await withRoutes(
      [inWindow(model)],
      async ({ agent }) => {
        const result = await agent.runConversation({ userMessage: 'go' });
        expect(result).toMatchObject({ exitReason: 'failed', error: { kind: 'context_overflow' } });
        expect(result.error?.hint).toMatch(/compression\.enabled: false\): type \/compress\. .*\/new/);
        expect(engine.inputs).toEqual([]);
        expect(await agent.compress()).toMatchObject({ messagesBefore: result.messages.length });
        expect(await agent.compress({ reason: 'hygiene' })).toBeUndefined();
      },
      options,
    );
  });
});

describe('safety of compression', () => {
  verifies('CTX-11', 'leaves everything unchanged when interrupted', async () => {
    const asked = Promise.withResolvers<void>();
    const engine = createPlainEngine({
      compress: ({ signal }) =>
        new Promise((_resolve, reject) => {
          asked.resolve();
          signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
        }),
    });
    const model = createScriptedModel(working(12));
    await withRoutes(
      [inWindow(model)],
      async ({ agent, store }) => {
        const { sessionId } = agent;
        const run = agent.run({ userMessage: 'go' });
        await asked.promise;
        run.interrupt();
        expect(await run.result).toMatchObject({ exitReason: 'interrupted', sessionId });
        expect(await store.getDescendants(sessionId)).toEqual([]);
        expect((await store.getSession(sessionId))?.endedAt).toBeUndefined();
        expect(await store.getConversation(sessionId)).toEqual((await run.result).messages);
      },
      { context: engine },
    );
  });

  verifies('CTX-11', "does not split if the interrupt arrives together with the engine's answer", async () => {
    const plain = createPlainEngine();
    let stop = () => {};
    const engine = createPlainEngine({
      async compress(input) {
        const compression = await plain.compress(input);
        stop();
        return compression;
      },
    });
    const model = createScriptedModel(working(12));
    await withRoutes(
      [inWindow(model)],
      async ({ agent, store }) => {
        const { sessionId } = agent;
        const run = agent.run({ userMessage: 'go' });
        stop = () => run.interrupt();
        expect(await run.result).toMatchObject({ exitReason: 'interrupted', sessionId });
        expect(await store.getDescendants(sessionId)).toEqual([]);
      },
      { context: engine },
    );
  });

  verifies('CTX-11', 'delivers a message that arrives during compression afterwards', async () => {
    const plain = createPlainEngine();
    let steer = (): boolean => false;
    const engine = createPlainEngine({
      compress(input) {
        steer();
        return plain.compress(input);
      },
    });
    const model = createScriptedModel(working(12));
    await withRoutes(
      [inWindow(model)],
      async ({ agent }) => {
        const run = agent.run({ userMessage: 'go' });
        let said = 0;
        steer = () => (said++ === 0 ? run.steer('mind the gap') : false);
        const { events, result } = await readEvents(run);
        expect(result).toMatchObject({ exitReason: 'completed', undelivered: undefined });
        const types = typesOf(events);
        expect(types.indexOf('steered')).toBeGreaterThan(types.indexOf('compressed'));
        const reached = model.requests.filter(({ messages }) =>
          JSON.stringify(messages.at(-1)).includes('mind the gap'),
        );
        expect(reached).toHaveLength(1);
      },
      { context: engine },
    );
  });

  it('does not stop the turn if nothing can be saved or the engine returns more than it got', async () => {
    const larger = async (input: { messages: readonly Message[]; tokens: number }) => ({
      messages: input.messages.map((_message, index) => ({ index })),
      summary: { by: 'none' as const },
      tokensBefore: input.tokens,
      tokensAfter: input.tokens,
    });
    for (const compress of [async () => undefined, larger]) {
      const engine = createPlainEngine({ compress });
      const model = createScriptedModel(working(12));
      await withRoutes(
        [inWindow(model)],
        async ({ agent, store }) => {
          const { events, result } = await readEvents(agent.run({ userMessage: 'go' }));
          expect(result.exitReason).toBe('completed');
          expect(typesOf(events)).toContain('compression-skipped');
          expect(engine.inputs.length).toBeLessThanOrEqual(13);
          expect(await store.getDescendants(agent.sessionId)).toEqual([]);
        },
        { context: engine },
      );
    }
  });

  it('asks the engine once per step, regardless of retries', async () => {
    const engine = createPlainEngine({ compress: async () => undefined });
    const replies = [1, 2, 3, 4, 5].map((step) => calling('echo', { text: `${step} ${'x'.repeat(900)}` }));
    const model = createScriptedModel([...replies, failing('server_error'), failing('server_error'), { text: 'end' }]);
    await withRoutes(
      [inWindow(model, 3_000)],
      async ({ agent }) => {
        expect(await agent.chat('go')).toBe('end');
        const sizes = engine.inputs.map(({ messages }) => messages.length);
        expect(sizes.length).toBeGreaterThan(0);
        expect(new Set(sizes).size).toBe(sizes.length);
      },
      { context: engine },
    );
  });

  verifies('CALL-10', 'keeps call ids unique when positions occur again', async () => {
    let step = 0;
    const model = createScriptedModel(() => {
      step += 1;
      return step === 80 ? { text: 'end' } : calling('echo', { text: 'x'.repeat(450) }, 'call_0');
    });
    await withRoutes([inWindow(model)], async ({ agent }) => {
      await agent.runConversation({ userMessage: 'go' });
      for (const { messages } of model.requests) {
        const ids = messages.flatMap((message) =>
          message.role === 'assistant' ? (message.toolCalls ?? []).map(({ id }) => id) : [],
        );
        expect(new Set(ids).size).toBe(ids.length);
      }
    });
  });

  it('ends the turn and keeps the session unchanged when the store fails to split', async () => {
    const model = createScriptedModel(working(12));
    await withRoutes([inWindow(model)], async ({ agent, store }) => {
      const { sessionId } = agent;
      const split = store.splitSession.bind(store);
      store.splitSession = () => Promise.reject(new Error('disk full'));
      expect(await agent.runConversation({ userMessage: 'go' })).toMatchObject({ exitReason: 'failed', sessionId });
      store.splitSession = split;
      expect((await agent.runConversation({ userMessage: 'go on' })).exitReason).toBe('completed');
    });
  });

  it('stores messages that were not stored before as new ones', async () => {
    const model = createScriptedModel([{ text: 'one' }, { text: 'two' }]);
    await withRoutes([inWindow(model, 800)], async ({ agent, store }) => {
      await agent.chat('hello');
      const history: Message[] = Array.from({ length: 12 }, (_, index) => ({
        role: index % 2 === 0 ? 'user' : 'assistant',
        content: `${index} ${'y'.repeat(300)}`,
      }));
      const result = await agent.runConversation({ userMessage: 'and?', history });
      expect(result.exitReason).toBe('completed');
      const stored = await store.getMessages(agent.sessionId);
      expect(stored.map(({ message }) => message)).toEqual(result.messages);
      expect(stored.every(({ copyOf }) => copyOf === undefined)).toBe(true);
      // A replacement written by the engine is not counted as a message.
      const written = stored.filter(({ isReplacement }) => isReplacement).map(({ message }) => message.content);
      expect(written).toEqual([expect.not.stringMatching(/^\d+ y/)]);
    });
  });
});

describe('a request that is larger than the window', () => {
  const tokensOf = ({ system, tools, messages }: ModelRequest) => {
    const meter = createPlainMeter();
    return meter.ofFixed('', system, tools) + meter.ofMessages('', messages);
  };
  /** Exchanges as another program stores them: only the original's columns are set, and no call is recorded. */
  const foreign = (exchanges: number): Message[] =>
    Array.from({ length: exchanges }, (_, index): Message[] => [
      { role: 'user', content: `question ${index} ${'q'.repeat(150)}` },
      { role: 'assistant', content: `answer ${index} ${'a'.repeat(150)}` },
    ]).flat();

  verifies(
    ['CTX-3', 'CTX-4'],
    'is never sent after another program has inserted rows, whatever the last call reported',
    async () => {
      const usage = { input: 100, output: 10, cacheRead: 0, cacheWrite: 0, reasoning: 0 };
      const model = createScriptedModel([{ text: 'one', usage }]);
      await withRoutes([inWindow(model)], async ({ agent, restart, store }) => {
        await agent.chat('go');
        await store.appendMessages(agent.sessionId, foreign(150));
        const later = restart([{ text: 'done' }]);
        later.agent.useRoutes([inWindow(later.model)]);
        const { events } = await readEvents(later.agent.run({ userMessage: 'and now?' }));
        const [started] = events.filter(({ type }) => type === 'compression-started');
        expect(started).toMatchObject({ reason: 'preflight', messages: 303 });
        expect(started?.type === 'compression-started' && started.tokens).toBeGreaterThan(10_000);
        expect(later.model.requests).toHaveLength(1);
        expect(tokensOf(later.model.requests[0] as ModelRequest)).toBeLessThanOrEqual(WINDOW);
      });
    },
  );

  verifies('CTX-4', 'is not sent if the rows were inserted before our own newest answer', async () => {
    const usage = { input: 100, output: 10, cacheRead: 0, cacheWrite: 0, reasoning: 0 };
    const model = createScriptedModel([
      { text: 'one', usage },
      { text: 'two', usage },
    ]);
    await withRoutes([inWindow(model)], async ({ agent, restart, store }) => {
      await agent.chat('go');
      // The first agent does not read the session again, so its next call does not contain these.
      await store.appendMessages(agent.sessionId, foreign(150));
      await agent.chat('go on');
      const later = restart([{ text: 'done' }]);
      later.agent.useRoutes([inWindow(later.model)]);
      await later.agent.chat('and now?');
      expect(tokensOf(later.model.requests[0] as ModelRequest)).toBeLessThanOrEqual(WINDOW);
    });
  });

  verifies(
    ['CTX-3', 'CTX-13'],
    'is shortened by the preflight if it is the first message, and leaves room for the answer',
    async () => {
      const context = createContextEngine({}, { auxiliary: undefined, logger: silentLogger, clock: createFakeClock() });
      const model = createScriptedModel([{ text: 'one' }, { text: 'two' }]);
      const said = 'word '.repeat(7_900);
      await withRoutes(
        [inWindow(model, 8_000)],
        async ({ agent, store }) => {
          const { events, result } = await readEvents(agent.run({ userMessage: said }));
          expect(result).toMatchObject({ exitReason: 'completed', finalResponse: 'one' });
          const started = events.filter((event) => event.type === 'compression-started');
          expect(started).toMatchObject([{ reason: 'preflight', messages: 1 }]);
          const [request] = model.requests as [ModelRequest];
          const meter = createTokenMeter();
          expect(
            meter.ofFixed('', request.system, request.tools) + meter.ofMessages('', request.messages),
          ).toBeLessThan(7_000);
          // What the user wrote stays complete in the store.
          expect((await store.getConversation(agent.sessionId))[0]).toMatchObject({ role: 'user', content: said });
        },
        { context, meter: createTokenMeter() },
      );
    },
  );

  verifies('CTX-13', 'is sent unchanged if it is a first message that fits', async () => {
    const context = createContextEngine({}, { auxiliary: undefined, logger: silentLogger, clock: createFakeClock() });
    const model = createScriptedModel([{ text: 'one' }]);
    await withRoutes(
      [inWindow(model, 8_000)],
      async ({ agent }) => {
        const { events } = await readEvents(agent.run({ userMessage: 'word '.repeat(6_500) }));
        expect(typesOf(events)).not.toContain('compression-started');
        expect(model.requests[0]?.messages[0]?.content).toBe('word '.repeat(6_500).trim());
      },
      { context, meter: createTokenMeter() },
    );
  });

  verifies('CTX-3', 'is compressed in up to three more attempts, each removing more', async () => {
    // The first pass keeps nearly everything.
    const engine = createPlainEngine({
      async compress({ messages, attempt, fixedTokens, tokensOf: count }) {
        const kept = messages.slice(Math.floor((messages.length * attempt) / 4) - messages.length);
        const tokensAfter = fixedTokens + count(kept);
        const indexes = kept.map((_, offset) => ({ index: messages.length - kept.length + offset }));
        const tokensBefore = fixedTokens + count(messages);
        return { messages: indexes, summary: { by: 'extract' }, tokensBefore, tokensAfter };
      },
    });
    const model = createScriptedModel([{ text: 'done' }]);
    await withRoutes(
      [inWindow(model)],
      async ({ agent }) => {
        const result = await agent.runConversation({ userMessage: 'and now?', history: foreign(150) });
        expect(result.exitReason).toBe('completed');
        expect(engine.inputs.map(({ attempt }) => attempt)).toEqual([1, 1, 2, 3].slice(0, engine.inputs.length));
        expect(engine.inputs.length).toBeGreaterThan(1);
        expect(tokensOf(model.requests[0] as ModelRequest)).toBeLessThanOrEqual(WINDOW);
      },
      { context: engine },
    );
  });

  verifies('CTX-3', 'fails before it is sent if nothing makes it small enough', async () => {
    for (const options of [
      { autoCompress: false },
      { context: createPlainEngine({ compress: async () => undefined }) },
    ]) {
      const model = createScriptedModel([{ text: 'done' }]);
      await withRoutes(
        [inWindow(model)],
        async ({ agent }) => {
          const result = await agent.runConversation({ userMessage: 'and now?', history: foreign(150) });
          expect(result).toMatchObject({ exitReason: 'failed', error: { kind: 'context_overflow' } });
          expect(result.error?.message).toMatch(/has about \d+ tokens, .* context window of model-1 \(4000\)/);
          expect(model.requests).toEqual([]);
        },
        options,
      );
    }
  });

  verifies(['CTX-3', 'CALL-5'], 'fails with a hint if the prompt and the tools alone fill the window', async () => {
    const model = createScriptedModel([failing('context_overflow', { contextLimit: 20 })]);
    await withRoutes(
      [inWindow(model, 20)],
      async ({ agent }) => {
        const { error } = await agent.runConversation({ userMessage: 'hi' });
        expect(error?.hint).toMatch(/^The system prompt and the tools alone have about \d+ tokens, .* has 20\./);
        expect(error?.hint).toContain('--toolsets');
      },
      { meter: createTokenMeter() },
    );
  });
});

describe('the token figure', () => {
  verifies('CTX-4', 'is the last actual usage plus an estimate of what was added, also after a restart', async () => {
    const usage = { input: 1_000, output: 300, cacheRead: 200, cacheWrite: 0, reasoning: 250 };
    const script = [
      calling('echo', { text: 'a' }),
      { ...calling('echo', { text: 'b' }), usage },
      { text: 'end', usage },
    ];
    const [engine, meter] = [createPlainEngine({ threshold: 9 }), createPlainMeter()];
    const model = createScriptedModel(script);
    await withRoutes(
      [inWindow(model)],
      async ({ agent, restart }) => {
        const { messages } = await agent.runConversation({ userMessage: 'go' });
        // Reasoning that is not sent back is not part of the next request.
        const result = meter.ofMessages('', messages.slice(4, 5));
        expect(engine.windows.at(-1)?.tokens).toBe(1_250 + result);
        const later = restart([{ text: 'x' }]);
        later.agent.useRoutes([inWindow(later.model)]);
        await later.agent.chat('more');
        const added = meter.ofMessages('', [{ role: 'user', content: 'more' }]);
        expect(engine.windows.at(-1)?.tokens).toBe(1_250 + added);
      },
      { context: engine, meter },
    );
  });

  verifies('CTX-4', 'matches the estimate that compression plans with after a restart', async () => {
    const usage = { input: 3_000, output: 10, cacheRead: 0, cacheWrite: 0, reasoning: 0 };
    const script = Array.from({ length: 6 }, (_, index) => ({
      ...calling('echo', { text: `${index} ${'one two three '.repeat(40)}` }),
      usage,
    }));
    const model = createScriptedModel([...script, { text: 'end', usage }]);
    await withRoutes([inWindow(model, 100_000)], async ({ agent, restart }) => {
      await agent.chat('go');
      const later = restart([{ text: 'done' }], { meter: createTokenMeter() });
      later.agent.useRoutes([inWindow(later.model, 3_500)]);
      const { events } = await readEvents(later.agent.run({ userMessage: 'and now?' }));
      const started = events.find((event) => event.type === 'compression-started');
      const compressed = events.find((event) => event.type === 'compressed');
      expect(started?.tokens).toBeGreaterThan(3_000);
      expect((compressed?.tokensBefore ?? 0) / (started?.tokens ?? 1)).toBeCloseTo(1, 1);
    });
  });

  verifies('CTX-4', 'calibrates the meter with each call, including tools and prompt', async () => {
    const meter = createPlainMeter();
    const usage = { input: 500, output: 9, cacheRead: 40, cacheWrite: 3, reasoning: 0 };
    const none = { input: 0, output: 9, cacheRead: 0, cacheWrite: 0, reasoning: 0 };
    const script = [
      { ...calling('echo', { text: 'a' }), usage },
      { ...calling('echo', { text: 'b' }), usage: none },
      { text: 'end', usage },
    ];
    await withAgent(
      script,
      async ({ agent, model }) => {
        await agent.chat('go');
        const guesses = model.requests.map(
          ({ system, tools, messages }) => meter.ofFixed('', system, tools) + meter.ofMessages('', messages),
        );
        // A provider that reports no usage does not calibrate the meter.
        expect(meter.learnt).toEqual([
          ['scripted/model-1', guesses[0], 543],
          ['scripted/model-1', guesses[2], 543],
        ]);
      },
      { meter },
    );
  });

  verifies(['CTX-4', 'CTX-3', 'CTX-10'], 'compresses for a fallback with a smaller window', async () => {
    let step = 0;
    const first = createScriptedModel(() => {
      step += 1;
      return step <= 9 ? calling('echo', { text: 'x'.repeat(400) }) : failing('auth');
    });
    const second = createScriptedModel([{ text: 'from the second' }]);
    const engine = createPlainEngine();
    const routes = [inWindow(first, 100_000), routeTo(second, { provider: 'second', contextLength: 2_000 })];
    await withRoutes(
      routes,
      async ({ agent }) => {
        const { events, result } = await readEvents(agent.run({ userMessage: 'go' }));
        expect(result.finalResponse).toBe('from the second');
        const types = typesOf(events);
        expect(types.indexOf('compressed')).toBeGreaterThan(types.indexOf('fallback'));
        expect(engine.inputs).toMatchObject([{ contextLength: 2_000 }]);
        expect(engine.allowed).toEqual(['user-message', 'model-switch']);
        agent.useRoutes([inWindow(second)]);
        expect(engine.allowed.at(-1)).toBe('model-switch');
      },
      { context: engine },
    );
  });
});

describe('a context limit in a provider error', () => {
  verifies('CALL-5', 'is saved for the model and used before it is exceeded again', async () => {
    const known = new Map<string, number>();
    const windows = {
      find: ({ model }: { model: string }) => known.get(model),
      learn: ({ model }: { model: string }, tokens: number) => void known.set(model, tokens),
    };
    const engine = createPlainEngine();
    const large = 'x'.repeat(2_000);
    const overflow = failing('context_overflow', { contextLimit: 3_000 });
    const script = [...[1, 2, 3, 4].map((step) => calling('echo', { text: step + large })), overflow, { text: 'fits' }];
    const model = createScriptedModel(script);
    await withRoutes(
      [inWindow(model, 100_000)],
      async ({ agent, restart }) => {
        expect(await agent.chat('go')).toBe('fits');
        expect(known.get('model-1')).toBe(3_000);
        expect(engine.inputs[0]).toMatchObject({ reason: 'overflow', attempt: 1, contextLength: 3_000 });
        const later = restart([{ text: 'x' }], { sessionId: agent.sessionId });
        later.agent.useRoutes([inWindow(later.model, 100_000)]);
        await later.agent.chat('more');
        expect(engine.windows.at(-1)?.contextLength).toBe(3_000);
      },
      { context: engine, windows },
    );
  });

  verifies('CALL-5', 'is taken from the rejected size if the error does not state one', async () => {
    const engine = createPlainEngine();
    const large = 'x'.repeat(2_000);
    const script = [
      ...[1, 2, 3, 4].map((step) => calling('echo', { text: step + large })),
      failing('context_overflow'),
      { text: 'fits' },
    ];
    const model = createScriptedModel(script);
    await withRoutes(
      [inWindow(model, 100_000)],
      async ({ agent }) => {
        await agent.chat('go');
        expect(engine.inputs[0]?.contextLength).toBe(engine.inputs[0]?.tokens);
      },
      { context: engine },
    );
  });
});

describe('agent.compress', () => {
  const talk = { script: () => ({ text: `an answer ${'z'.repeat(400)}` }), turns: 8 };

  async function withTalk(
    test: (fixture: Parameters<Parameters<typeof withRoutes>[1]>[0]) => Promise<void>,
    options: Parameters<typeof withRoutes>[2] = {},
  ): Promise<void> {
    await withRoutes(
      [inWindow(createScriptedModel(talk.script))],
      async (fixture) => {
        for (let turn = 1; turn <= talk.turns; turn += 1) await fixture.agent.chat(`question ${turn}`);
        await test(fixture);
      },
      options,
    );
  }

  verifies('CTX-3', 'previews what it would save without changing anything, then compresses', async () => {
    const engine = createPlainEngine({ threshold: 9 });
    await withTalk(
      async ({ agent, store }) => {
        const { sessionId } = agent;
        const preview = await agent.compress({ previewOnly: true });
        expect(preview).toMatchObject({ sessionId, messagesBefore: 16 });
        expect(agent.sessionId).toBe(sessionId);
        expect(await store.getDescendants(sessionId)).toEqual([]);
        const report = await agent.compress({ topic: 'question 3' });
        expect(report).toMatchObject({ sessionId: agent.sessionId, messagesBefore: 16 });
        expect((await store.getSession(agent.sessionId))?.parentSessionId).toBe(sessionId);
        expect(engine.inputs).toMatchObject([
          { previewOnly: true, reason: 'command' },
          { topic: 'question 3', reason: 'command', lineageId: sessionId },
        ]);
        expect(engine.allowed.filter((why) => why === 'command')).toHaveLength(1);
        expect(await agent.chat('and on')).toContain('an answer');
        const added = createPlainMeter().ofMessages('', [{ role: 'user', content: 'and on' }]);
        expect(engine.windows.at(-1)?.tokens).toBe((report?.tokensAfter ?? 0) + added);
      },
      { context: engine },
    );
  });

  verifies(
    'CTX-3',
    "starts hygiene compression at 85 % of the window, regardless of the engine's settings",
    async () => {
      const engine = createPlainEngine({ threshold: 9 });
      await withTalk(
        async ({ agent }) => {
          const tokens = engine.windows.at(-1)?.tokens ?? 0;
          const tidy = async (contextLength: number) => {
            agent.useRoutes([inWindow(createScriptedModel(talk.script), contextLength)]);
            return (await agent.compress({ reason: 'hygiene' })) !== undefined;
          };
          expect(await tidy(Math.ceil(tokens / 0.7))).toBe(false);
          expect(await tidy(tokens)).toBe(true);
          expect(engine.inputs.map(({ reason }) => reason)).toEqual(['hygiene']);
        },
        { context: engine },
      );
    },
  );

  it('does nothing for an empty session, and rejects a turn while it runs', async () => {
    const begun = Promise.withResolvers<AbortSignal>();
    const engine = createPlainEngine({
      threshold: 9,
      compress: ({ signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
          begun.resolve(signal);
        }),
    });
    await withAgent([{ text: 'one' }], async ({ agent, store }) => {
      expect(await agent.compress()).toBeUndefined();
      expect(await store.getSession(agent.sessionId)).toBeUndefined();
      await agent.chat('hello');
      expect(await agent.compress()).toBeUndefined();
    });
    await withTalk(
      async ({ agent, store }) => {
        const stop = new AbortController();
        const compressing = agent.compress({ signal: stop.signal });
        await begun.promise;
        expect(() => agent.run({ userMessage: 'now' })).toThrow('already running');
        stop.abort(new Error('enough'));
        await expect(compressing).rejects.toThrow('enough');
        expect(await store.getDescendants(agent.sessionId)).toEqual([]);
        expect(await agent.chat('and now')).toContain('an answer');
      },
      { context: engine },
    );
  });

  verifies('CTX-12', 'writes one log record per compression', async () => {
    const { logger, records } = collectingLogger();
    await withTalk(
      async ({ agent }) => {
        await agent.compress({ topic: 'cats' });
        const compressions = records.filter(({ message }) => message === 'compression');
        expect(compressions).toHaveLength(1);
        expect(compressions[0]?.fields).toMatchObject({
          sessionId: agent.sessionId,
          reason: 'command',
          topic: 'cats',
          engine: 'plain',
          by: 'extract',
          attempt: 1,
          messagesBefore: 16,
          messagesAfter: expect.any(Number),
          durationMs: expect.any(Number),
          tokensBefore: expect.any(Number),
          tokensAfter: expect.any(Number),
        });
      },
      { logger, context: createPlainEngine({ threshold: 9 }) },
    );
  });
});

describe('memory flush before compression', () => {
  const memoryTool = defineTool({
    name: 'memory',
    toolset: 'test',
    description: 'Remembers.',
    parameters: z.object({}),
    concurrency: { mode: 'barrier' },
    run: async () => 'ok',
  });
  const flushing = (save: () => Promise<void>) => {
    const seen: number[] = [];
    const memoryFlush = {
      async beforeCompression(messages: readonly Message[]) {
        seen.push(messages.length);
        await save();
      },
    };
    return { seen, memoryFlush };
  };

  verifies(
    'CTX-11',
    'runs once if the tool is offered and the session is attended; a failure changes nothing',
    async () => {
      const { logger, records } = collectingLogger();
      const { seen, memoryFlush } = flushing(() => Promise.reject(new Error('no model for it')));
      const run = async (options: object) => {
        const model = createScriptedModel(working(12));
        await withRoutes(
          [inWindow(model)],
          async ({ agent }) => {
            const { events } = await readEvents(agent.run({ userMessage: 'go' }));
            expect(typesOf(events)).toContain('compressed');
          },
          { attended: true, memoryFlush, logger, ...options },
        );
      };
      await run({ attended: false, toolList: [echoTool, memoryTool] });
      await run({ toolList: [echoTool] });
      expect(seen).toEqual([]);
      await run({ toolList: [echoTool, memoryTool] });
      expect(seen.length).toBeGreaterThan(0);
      expect(records.filter(({ message }) => message.startsWith('memory flush')).length).toBe(seen.length);
    },
  );

  verifies('CTX-11', 'does not run for a preview', async () => {
    const { seen, memoryFlush } = flushing(async () => undefined);
    const model = createScriptedModel(() => ({ text: 'z'.repeat(300) }));
    await withRoutes(
      [inWindow(model)],
      async ({ agent }) => {
        for (const text of ['one', 'two', 'three', 'four', 'five']) await agent.chat(text);
        await agent.compress({ previewOnly: true });
        expect(seen).toEqual([]);
        await agent.compress();
        expect(seen).toEqual([10]);
      },
      { attended: true, memoryFlush, toolList: [memoryTool], context: createPlainEngine({ threshold: 9 }) },
    );
  });
});
