import { readFile } from 'node:fs/promises';
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
import { canonicalJson, type JsonValue, type Message } from '../base/index.ts';
import { createScriptedModel } from '../testing/index.ts';
import { builtInTools } from '../toolbox/index.ts';
import { AnswerWithImages, defineTool } from '../tools/index.ts';

const lookTool = defineTool({
  name: 'look',
  toolset: 'test',
  description: 'Looks.',
  parameters: z.object({ at: z.string() }),
  concurrency: { mode: 'parallel' },
  readOnly: true,
  run: async ({ at }) => `nothing at ${at}`,
});

const LOOP = {
  toolset: 'test',
  description: 'Repeats.',
  parameters: z.object({}),
  concurrency: { mode: 'parallel' },
  readOnly: true,
} as const;
const PNG = { kind: 'image', mediaType: 'image/png', name: 'a.png' } as const;

const breakTool = defineTool({
  name: 'break',
  toolset: 'test',
  description: 'Breaks.',
  parameters: z.object({}),
  concurrency: { mode: 'barrier' },
  run: () => Promise.reject(new TypeError('broken')),
});

const resultsOf = (messages: readonly Message[]) =>
  messages.filter((message) => message.role === 'tool').map((message) => message.content);

describe('repetition', () => {
  const stopsAfter = (toolCalls: number) => ({ exitReason: 'repetition_stopped', partial: true, toolCalls });

  it.each([
    ['a read', lookTool, () => calling('look', { at: 'x' })],
    ['a change', echoTool, () => calling('echo', { text: 'x' })],
  ])('stops %s that keeps returning the same result', async (_, tool, script) => {
    await withAgent(
      script,
      async ({ agent, store }) => {
        const result = await agent.runConversation({ userMessage: 'go' });
        expect(result).toMatchObject(stopsAfter(8));
        expect(result.error?.message).toContain('8 times with the same result');
        const results = resultsOf(await store.getConversation(agent.sessionId));
        expect(results[1]).not.toContain('Notice');
        expect(results[2]).toContain('returned the same result 3 times');
        expect(results[2]).toContain('after 8 identical calls the turn ends');
      },
      { toolList: [tool], maxIdenticalCalls: 8 },
    );
  });

  verifies('TOOL-12', 'stops the turn after agent.max_identical_calls identical calls of any tool', async () => {
    await withAgent(
      () => calling('echo', { text: 'x' }),
      async ({ agent }) => expect(await agent.runConversation({ userMessage: 'go' })).toMatchObject(stopsAfter(4)),
      { toolList: [echoTool], maxIdenticalCalls: 4 },
    );
  });

  verifies('TOOL-12', 'detects a loop of several calls', async () => {
    let step = 0;
    await withAgent(
      () => calling('look', { at: ['x', 'y'][(step += 1) % 2] ?? '' }),
      async ({ agent }) => expect(await agent.runConversation({ userMessage: 'go' })).toMatchObject(stopsAfter(16)),
      { toolList: [lookTool], maxIdenticalCalls: 8 },
    );
  });

  verifies('TOOL-12', 'does not stop polling whose result changes', async () => {
    let polls = 0;
    const pollTool = defineTool({
      name: 'poll',
      toolset: 'test',
      description: 'Polls.',
      parameters: z.object({}),
      concurrency: { mode: 'parallel' },
      readOnly: true,
      run: async () => `${Math.floor((polls += 1) / 6)} done`,
    });
    const script = [...Array.from({ length: 40 }, () => calling('poll')), { text: 'done' }];
    await withAgent(script, async ({ agent }) => expect(await agent.chat('go')).toBe('done'), {
      toolList: [pollTool],
      maxIdenticalCalls: 8,
    });
  });

  verifies(
    'TOOL-12',
    'compares long results without the file that each is saved to, and images by content',
    async () => {
      let views = 0;
      const longTool = defineTool({ ...LOOP, name: 'long', run: async () => 'line\n'.repeat(30_000) });
      const viewTool = defineTool({
        ...LOOP,
        name: 'view',
        run: async () => new AnswerWithImages('a.png', [{ ...PNG, bytes: new Uint8Array([(views += 1)]) }]),
      });
      const settings = { toolList: [longTool, viewTool], maxIdenticalCalls: 4 };
      await withAgent(
        () => calling('long'),
        async ({ agent }) => expect(await agent.runConversation({ userMessage: 'go' })).toMatchObject(stopsAfter(4)),
        settings,
      );
      const script = [...Array.from({ length: 6 }, () => calling('view')), { text: 'done' }];
      await withAgent(script, async ({ agent }) => expect(await agent.chat('go')).toBe('done'), settings);
    },
  );

  verifies('TOOL-12', 'counts from zero after progress', async () => {
    const look = calling('look', { at: 'x' });
    const round = (index: number) => [look, look, calling('echo', { text: `${index}` })];
    const script = [...Array.from({ length: 10 }, (_, index) => round(index)).flat(), { text: 'done' }];
    await withAgent(
      script,
      async ({ agent, store }) => {
        expect(await agent.chat('go')).toBe('done');
        expect(resultsOf(await store.getConversation(agent.sessionId)).join()).not.toContain('Notice');
      },
      { toolList: [lookTool, echoTool], maxIdenticalCalls: 8 },
    );
  });

  verifies('TOOL-12', 'counts identical calls of one batch once', async () => {
    const calls = Array.from({ length: 9 }, () => calling('look', { at: 'x' }).toolCalls).flat();
    await withAgent(
      [{ toolCalls: calls }, { text: 'done' }],
      async ({ agent }) => expect(await agent.chat('go')).toBe('done'),
      {
        toolList: [lookTool],
        maxIdenticalCalls: 8,
      },
    );
  });

  verifies(
    ['LOOP-12', 'LOOP-4'],
    'adds a notice to the third identical failure and ends the turn at the fifth',
    async () => {
      await withAgent(
        () => calling('break'),
        async ({ agent, store }) => {
          const result = await agent.runConversation({ userMessage: 'go' });
          expect(result).toMatchObject({ exitReason: 'repetition_stopped', partial: true, toolCalls: 5 });
          const results = resultsOf(await store.getConversation(agent.sessionId));
          expect(results[1]).not.toContain('Notice');
          expect(results[2]).toContain('failed 3 times with the same error');
        },
        { toolList: [breakTool] },
      );
    },
  );

  verifies('LOOP-12', 'resets the count of failures after a successful change', async () => {
    const round = (index: number) => [calling('break'), calling('break'), calling('echo', { text: `${index}` })];
    await withAgent(
      [...round(1), ...round(2), ...round(3), { text: 'done' }],
      async ({ agent }) => expect(await agent.chat('go')).toBe('done'),
      { toolList: [breakTool, echoTool] },
    );
  });

  verifies('LOOP-12', 'lets a tool define which calls are identical', async () => {
    const page = defineTool({
      name: 'page',
      toolset: 'test',
      description: 'Reads a page.',
      parameters: z.object({ number: z.number(), note: z.optional(z.string()) }),
      concurrency: { mode: 'parallel' },
      readOnly: true,
      repeatKey: ({ number }) => `page ${number}`,
      run: async ({ number }) => `page ${number}`,
    });
    const script = [1, 2, 3, 4].map((note) => calling('page', { number: 7, note: `${note}` }));
    await withAgent(
      [...script, { text: 'done' }],
      async ({ agent, store }) => {
        await agent.chat('go');
        expect(resultsOf(await store.getConversation(agent.sessionId))[3]).toContain('the same result 4 times');
      },
      { toolList: [page] },
    );
  });
});

describe('limits', () => {
  const spending = (tokens: number) => ({
    ...calling('echo', { text: `${tokens}` }),
    usage: { input: tokens, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 },
  });

  verifies(['LOOP-13', 'LOOP-4'], 'session tokens: warns at 80 % and stops cleanly at 100 %', async () => {
    await withAgent(
      [spending(850), spending(200), { text: 'never asked' }],
      async ({ agent, model }) => {
        const { events, result } = await readEvents(agent.run({ userMessage: 'go' }));
        expect(result).toMatchObject({ exitReason: 'limit_reached', partial: true });
        expect(result.error?.message).toContain('limits.session_tokens');
        expect(typesOf(events).filter((type) => type === 'warning')).toHaveLength(1);
        expect(model.requests).toHaveLength(2);
        expect(await agent.runConversation({ userMessage: 'more' })).toMatchObject({ exitReason: 'limit_reached' });
      },
      { limits: { sessionTokens: 1_000 } },
    );
  });

  verifies('LOOP-13', 'counts the dollars of the day over all sessions and processes', async () => {
    await withAgent(
      [{ text: 'never asked' }],
      async ({ agent, store, clock, model }) => {
        await store.createSession({ id: 'other', source: 'test', startedAt: clock.now() });
        await store.recordCall('other', {
          taskId: 't',
          provider: 'p',
          model: 'm',
          baseUrl: 'b',
          startedAt: clock.now(),
          durationMs: 1,
          usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, reasoning: 0 },
          cost: { usd: 2.5, status: 'actual' },
          outcome: 'ok',
        });
        const result = await agent.runConversation({ userMessage: 'go' });
        expect(result).toMatchObject({ exitReason: 'limit_reached' });
        expect(model.requests).toHaveLength(0);
      },
      { limits: { dayUsd: 2 } },
    );
  });

  verifies('LOOP-13', 'turn seconds: aborts what is running and leaves the session consistent', async () => {
    const endless = defineTool({
      name: 'endless',
      toolset: 'test',
      description: 'Never ends.',
      parameters: z.object({}),
      concurrency: { mode: 'barrier' },
      run: (_args, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
        }),
    });
    await withAgent(
      [calling('endless')],
      async ({ agent, clock, store }) => {
        let timeUp = () => {};
        const real = clock.sleep;
        clock.sleep = (ms, signal) => (ms > 1_000 ? new Promise((resolve) => (timeUp = resolve)) : real(ms, signal));
        const run = agent.run({ userMessage: 'go' });
        const events = [];
        for await (const event of run) {
          events.push(event);
          if (event.type === 'tool-started' || event.type === 'warning') timeUp();
          await new Promise((resolve) => setImmediate(resolve));
          if (event.type === 'warning') timeUp();
        }
        const result = await run.result;
        expect(result).toMatchObject({ exitReason: 'limit_reached', partial: true });
        expect(result.error?.message).toContain('limits.turn_seconds');
        expect(result.error?.hint).toContain('limits.turn_seconds');
        expect(typesOf(events)).toContain('warning');
        expect((await store.getConversation(agent.sessionId)).map((message) => message.role)).toEqual([
          'user',
          'assistant',
          'tool',
        ]);
      },
      { limits: { turnSeconds: 60 }, toolList: [endless] },
    );
  });
});

describe('exactly one result for every failure', () => {
  it.each(['appendMessages', 'createSession'] as const)('a failing %s gives one failed result', async (method) => {
    await withAgent([{ text: 'x' }], async ({ agent, store }) => {
      store[method] = () => Promise.reject(new Error('disk on fire'));
      const { events, result } = await readEvents(agent.run({ userMessage: 'go' }));
      expect(result).toMatchObject({ exitReason: 'failed', failed: true, error: { message: 'disk on fire' } });
      expect(typesOf(events).filter((type) => type === 'finished')).toHaveLength(1);
    });
  });

  it('a logger that throws changes nothing', async () => {
    const fail = () => {
      throw new Error('no log');
    };
    const logger = { debug: fail, info: fail, warn: fail, error: fail };
    await withAgent(
      [failing('server_error'), calling('break'), { text: 'done' }],
      async ({ agent }) => {
        const { events, result } = await readEvents(agent.run({ userMessage: 'go' }));
        expect(result).toMatchObject({ completed: true });
        expect(typesOf(events).filter((type) => type === 'finished')).toHaveLength(1);
      },
      { logger, toolList: [breakTool] },
    );
  });

  verifies('LOOP-2', 'rejects a message that is empty after cleaning, and does not store it', async () => {
    await withAgent([{ text: 'never' }], async ({ agent, store, model }) => {
      const userMessage = '<memory-context>x</memory-context>';
      const result = await agent.runConversation({ userMessage });
      expect(result).toMatchObject({ exitReason: 'failed', error: { message: 'The message is empty.' } });
      expect(await store.getSession(agent.sessionId)).toBeUndefined();
      expect(model.requests).toHaveLength(0);
    });
  });

  it('a model client that throws a non-error gives one failed result', async () => {
    const model = createScriptedModel([{ text: 'x' }]);
    model.stream = () => Promise.reject(new RangeError('odd'));
    await withRoutes([routeTo(model)], async ({ agent }) => {
      const { events, result } = await readEvents(agent.run({ userMessage: 'go' }));
      expect(result.error?.message).toBe('odd');
      expect(typesOf(events).filter((type) => type === 'finished')).toHaveLength(1);
    });
  });

  it('a reader that stops or throws does not stop the turn', async () => {
    await withAgent([calling('echo', { text: 'x' }), { text: 'done' }], async ({ agent }) => {
      const run = agent.run({ userMessage: 'go' });
      await expect(async () => {
        for await (const _event of run) throw new Error('reader failed');
      }).rejects.toThrow('reader failed');
      expect(await run.result).toMatchObject({ finalResponse: 'done', completed: true });
      const rest = [];
      for await (const event of run) rest.push(event.type);
      expect(rest).toEqual(['finished']);
    });
  });
});

describe('separation', () => {
  verifies('LOOP-9', 'two agents in one process share no state', async () => {
    await withAgent([failing('stream_refused'), { text: 'one' }], async (first) => {
      await withAgent([{ text: 'two' }], async (second) => {
        first.agent.run({ userMessage: 'a' });
        expect(await second.agent.chat('b')).toBe('two');
        expect(second.model.requests[0]?.stream).toBe(true);
        expect(second.model.requests[0]?.messages).toHaveLength(1);
        expect(await second.store.getSession(first.agent.sessionId)).toBeUndefined();
      });
    });
  });

  verifies('LOOP-9', 'loop.ts fits on one screen', async () => {
    const text = await readFile(new URL('./loop.ts', import.meta.url), 'utf8');
    expect(text.split('\n').length).toBeLessThan(100);
  });
});

describe('crashes', () => {
  verifies(
    'LOOP-11',
    'stores closing results for calls that a crash left open, and does not run finished ones again',
    async () => {
      await withAgent([{ text: 'never' }], async ({ agent, store, restart }) => {
        const id = agent.sessionId;
        await store.createSession({ id, source: 'test', startedAt: 1, systemPrompt: 'stored prompt' });
        await store.appendMessages(id, [
          { role: 'user', content: 'go' },
          {
            role: 'assistant',
            content: '',
            toolCalls: ['a', 'b'].map((callId) => ({ id: callId, name: 'echo', arguments: '{}' })),
          },
          { role: 'tool', toolCallId: 'a', toolName: 'echo', content: 'finished' },
        ]);
        const next = restart([{ text: 'going on' }]);
        expect(await next.agent.chat('continue')).toBe('going on');
        const stored = await store.getConversation(id);
        expect(stored.map((message) => message.role)).toEqual([
          'user',
          'assistant',
          'tool',
          'tool',
          'user',
          'assistant',
        ]);
        expect(stored[2]?.content).toBe('finished');
        expect(stored[3]).toMatchObject({
          toolCallId: 'b',
          content: expect.stringContaining('check before you repeat it'),
        });
        expect(next.model.requests[0]?.system).toBe('stored prompt');
      });
    },
  );

  verifies('LOOP-11', 'continues with the next message after a crash in the middle of an answer', async () => {
    await withAgent([{ text: 'never' }], async ({ agent, store, restart }) => {
      await store.createSession({ id: agent.sessionId, source: 'test', startedAt: 1, systemPrompt: 'p' });
      await store.appendMessages(agent.sessionId, [{ role: 'user', content: 'first' }]);
      const next = restart([{ text: 'ok' }]);
      await next.agent.chat('second');
      const [first, stub, second] = next.model.requests[0]?.messages ?? [];
      expect([first?.content, second?.content]).toEqual(['first', 'second']);
      expect(stub).toMatchObject({ role: 'assistant', content: expect.stringContaining('not answered') });
      expect((await store.getConversation(agent.sessionId))[0]?.content).toBe('first');
    });
  });
});

describe('a session used by two processes', () => {
  verifies(
    'STORE-7',
    'is read again when the other process continued it, without missing or duplicate messages',
    async () => {
      await withAgent([{ text: 'one' }, { text: 'three' }, { text: 'four' }], async ({ agent, model, restart }) => {
        await agent.chat('first');
        await restart([{ text: 'two' }]).agent.chat('second');
        const { messages } = await agent.runConversation({ userMessage: 'third', storedChanged: true });
        expect(messages.map(({ content }) => content)).toEqual(['first', 'one', 'second', 'two', 'third', 'three']);
        expect(model.requests[1]?.messages).toHaveLength(5);
        await agent.runConversation({ userMessage: 'fourth', storedChanged: true });
        expect(model.requests[2]?.messages).toHaveLength(7);
      });
    },
  );
});

describe('the status of tool calls', () => {
  verifies('STORE-3', 'is stored with their results, including interrupted ones', async () => {
    const script = [calling('echo', {}, 'good'), calling('nothing', {}, 'bad'), { text: 'done' }];
    await withAgent(script, async ({ agent, store }) => {
      await agent.chat('go');
      const statuses = (await store.getMessages(agent.sessionId)).flatMap(({ toolStatus }) => toolStatus ?? []);
      expect(statuses).toEqual(['ok', 'invalid']);
    });
    await withAgent([{ text: 'never' }], async ({ agent, store, restart }) => {
      const id = agent.sessionId;
      await store.createSession({ id, source: 'test', startedAt: 1, systemPrompt: 'p' });
      const toolCalls = [{ id: 'a', name: 'echo', arguments: '{}' }];
      await store.appendMessages(id, [
        { role: 'user', content: 'go' },
        { role: 'assistant', content: '', toolCalls },
      ]);
      await restart([{ text: 'on' }]).agent.chat('continue');
      expect((await store.getMessages(id))[2]).toMatchObject({ toolStatus: 'interrupted' });
    });
  });
});

describe('agent state', () => {
  verifies('TOOLX-5', 'restores the to-do list after a restart, with or without a steered message', async () => {
    const toolList = builtInTools().filter((tool) => tool.name === 'todo');
    const todos = [{ id: '1', content: 'write it', status: 'in_progress' }];
    await withAgent(
      [calling('todo', { todos }), { text: 'noted' }],
      async ({ agent, restart, store }) => {
        const run = agent.run({ userMessage: 'go' });
        run.steer('and hurry');
        await run.result;
        await restart([calling('todo', {}), { text: 'done' }], { toolList }).agent.chat('what is left?');
        const newest = (await store.getConversation(agent.sessionId)).findLast((message) => message.role === 'tool');
        expect(JSON.parse(newest?.content ?? '')).toMatchObject({ todos });
      },
      { toolList },
    );
  });
});

describe('tool-call ids', () => {
  verifies(
    'CALL-10',
    'replaces an id that a provider reuses in a later answer, in this turn and after a restart',
    async () => {
      const again = calling('echo', { text: 'x' }, 'call_0');
      await withAgent([again, again, { text: 'done' }], async ({ agent, restart, store }) => {
        await agent.chat('go');
        await restart([again, { text: 'done' }]).agent.chat('again');
        const stored = await store.getConversation(agent.sessionId);
        const ids = stored
          .flatMap((message) => (message.role === 'assistant' ? (message.toolCalls ?? []) : []))
          .map(({ id }) => id);
        const answered = stored.flatMap((message) => (message.role === 'tool' ? [message.toolCallId] : []));
        expect(ids[0]).toBe('call_0');
        expect(new Set(ids).size).toBe(3);
        expect(answered).toEqual(ids);
      });
    },
  );
});

describe('requests', () => {
  verifies(
    'REQ-2',
    'send prompt, ephemeral prompt, prefill messages and history in this order, and store only the history',
    async () => {
      const prefillMessages: Message[] = [
        { role: 'user', content: 'example question' },
        { role: 'assistant', content: 'example answer' },
      ];
      await withAgent(
        [{ text: 'ok' }],
        async ({ agent, model, store }) => {
          await agent.chat('hi');
          expect(model.requests[0]?.system).toBe('Prompt for model-1.\n\nToday only.');
          expect(model.requests[0]?.messages.map((message) => message.content)).toEqual([
            'example question',
            'example answer',
            'hi',
          ]);
          expect(await store.getConversation(agent.sessionId)).toHaveLength(2);
          expect((await store.getSession(agent.sessionId))?.systemPrompt).toBe('Prompt for model-1.');
        },
        { ephemeralSystemPrompt: 'Today only.', prefillMessages },
      );
    },
  );

  verifies('REQ-6', 'extend the previous one, across steps, turns and a restart', async () => {
    const script = [
      calling('echo', { text: '1' }, 'a'),
      { text: 'one' },
      calling('echo', { text: '2' }, 'b'),
      { text: 'two' },
    ];
    await withAgent(script, async ({ agent, model, restart }) => {
      await agent.chat('first');
      await agent.chat('second');
      const after = restart([{ text: 'three' }]);
      await after.agent.chat('third');
      const bodies = [...model.requests, ...after.model.requests].map((request) =>
        canonicalJson(request.messages as unknown as JsonValue).slice(0, -1),
      );
      for (let index = 1; index < bodies.length; index += 1) {
        expect(bodies[index]?.startsWith(bodies[index - 1] ?? '-')).toBe(true);
      }
      expect(new Set([...model.requests, ...after.model.requests].map((request) => request.system)).size).toBe(1);
    });
  });
});
