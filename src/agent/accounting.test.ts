import { describe, expect } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import { calling, failing, readEvents, typesOf, withAgent } from '../../test/support/agent-fixture.ts';
import { totalTokens, type Usage } from '../base/index.ts';
import type { AuxiliarySpending, CallRecord, Logger } from '../contracts/index.ts';
import { createSpendingTracker } from '../runtime/auxiliary/open-auxiliary.ts';

const used = (input: number): Usage => ({ input, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 });

const callOf = (usd: number, startedAt: number): CallRecord => ({
  taskId: 't',
  provider: 'p',
  model: 'm',
  baseUrl: 'b',
  startedAt,
  durationMs: 1,
  usage: used(1),
  cost: { usd, status: 'actual' },
  outcome: 'ok',
});

describe('usage accounting', () => {
  verifies('CALL-11', 'counts every answer: used, discarded and continued ones', async () => {
    const script = [
      { ...calling('echo', 'no json'), usage: used(10) },
      { ...calling('echo', { text: 'x' }), usage: used(100) },
      { text: 'one ', finishReason: 'length' as const, usage: used(1_000) },
      { text: 'two', usage: used(10_000) },
    ];
    await withAgent(script, async ({ agent, store }) => {
      const result = await agent.runConversation({ userMessage: 'go' });
      expect(totalTokens(result.usage)).toBe(11_110);
      expect((await store.sessionSpending(agent.sessionId)).tokens).toBe(11_110);
      expect(result.apiCalls).toBe(4);
    });
  });

  verifies(
    'CALL-11',
    'includes the auxiliary calls of a turn in its result and lists them separately, but not those of other turns',
    async () => {
      const spending = createSpendingTracker();
      const ended: string[] = [];
      const follow: AuxiliarySpending['follow'] = (taskId, onSpent) => {
        const end = spending.follow(taskId, onSpent);
        return () => {
          ended.push(taskId);
          end();
        };
      };
      const spend = (taskId: string, input: number) =>
        spending.report(taskId, { usage: used(input), cost: { usd: 0.5, status: 'actual' } });
      const script = () => {
        spend('one', 100);
        spend('two', 1_000);
        return { text: 'done', usage: used(1) };
      };
      await withAgent(
        script,
        async ({ agent }) => {
          const first = await agent.runConversation({ userMessage: 'go', taskId: 'one' });
          expect(totalTokens(first.usage)).toBe(101);
          expect(first).toMatchObject({ apiCalls: 1, auxiliary: { calls: 1, usage: used(100), cost: { usd: 0.5 } } });
          spend('one', 7);
          const second = await agent.runConversation({ userMessage: 'go', taskId: 'two' });
          expect(totalTokens(second.usage)).toBe(1_001);
          const third = await agent.runConversation({ userMessage: 'go', taskId: 'three' });
          expect([totalTokens(third.usage), third.auxiliary]).toEqual([1, undefined]);
          expect(ended).toEqual(['one', 'two', 'three']);
        },
        { auxiliarySpending: { follow } },
      );
    },
  );

  verifies('CALL-9', 'keeps the reasoning of all parts of a continued answer', async () => {
    const script = [
      { text: 'a', reasoning: 'first ', finishReason: 'length' as const },
      { text: 'b', reasoning: 'second' },
    ];
    await withAgent(script, async ({ agent, store }) => {
      expect((await agent.runConversation({ userMessage: 'go' })).lastReasoning).toBe('first second');
      expect((await store.getConversation(agent.sessionId))[1]).toMatchObject({ reasoning: 'first second' });
    });
  });

  verifies('LOOP-4', 'logs how each turn ended', async () => {
    const lines: unknown[] = [];
    const log = (message: string, fields?: object) => void lines.push({ message, ...fields });
    const logger: Logger = { debug: log, info: log, warn: log, error: log };
    await withAgent(
      [{ text: 'done' }],
      async ({ agent }) => {
        await agent.chat('go');
        expect(lines).toContainEqual(expect.objectContaining({ message: 'turn finished', exitReason: 'completed' }));
      },
      { logger },
    );
  });
});

describe('exact limits', () => {
  const warnings = async (tokens: number) => {
    let types: string[] = [];
    const step = (text: string, input: number) => ({ ...calling('echo', { text }), usage: used(input) });
    await withAgent(
      [step('a', tokens), step('b', 0), { text: 'done', usage: used(0) }],
      async ({ agent }) => {
        const { events, result } = await readEvents(agent.run({ userMessage: 'go' }));
        types = [...typesOf(events).filter((type) => type === 'warning'), result.exitReason];
      },
      { limits: { sessionTokens: 1_000 } },
    );
    return types;
  };

  verifies('LOOP-13', 'warns once from 80 % on and stops exactly at 100 %', async () => {
    expect(await warnings(799)).toEqual(['completed']);
    expect(await warnings(800)).toEqual(['warning', 'completed']);
    expect(await warnings(999)).toEqual(['warning', 'completed']);
    expect(await warnings(1_000)).toEqual(['limit_reached']);
  });

  verifies('LOOP-13', 'starts a new day at midnight', async () => {
    await withAgent(
      [{ text: 'fine' }],
      async ({ agent, store, clock }) => {
        const midnight = new Date(clock.now()).setHours(0, 0, 0, 0);
        await store.createSession({ id: 'other', source: 'test', startedAt: midnight - 10 });
        await store.recordCall('other', callOf(100, midnight - 1));
        expect(await agent.chat('go')).toBe('fine');
        await store.recordCall('other', callOf(2, midnight));
        expect(await agent.runConversation({ userMessage: 'go' })).toMatchObject({ exitReason: 'limit_reached' });
      },
      { limits: { dayUsd: 2 } },
    );
  });
});

describe('exact numbers of recoveries', () => {
  verifies(
    'CALL-8',
    'nudges once, sends reasoning back twice, repeats three times, and starts each from the plain history',
    async () => {
      const thinking = { reasoning: 'hm' };
      await withAgent([calling('echo', { text: 'x' }), {}, {}, {}, {}, { text: 'done' }], async ({ agent, model }) => {
        expect(await agent.chat('go')).toBe('done');
        const lengths = model.requests.map((request) => request.messages.length);
        expect(lengths).toEqual([1, 3, 5, 3, 3, 3]);
      });
      await withAgent(
        [thinking, thinking, thinking, thinking, thinking, { text: 'done' }],
        async ({ agent, model }) => {
          expect(await agent.chat('go')).toBe('done');
          expect(model.requests.map((request) => request.messages.length)).toEqual([1, 3, 3, 1, 1, 1]);
        },
      );
    },
  );

  verifies('TOOLX-2', 'requests invalid arguments three more times, then returns one error', async () => {
    const bad = calling('echo', 'no json', 'c1');
    await withAgent([bad, bad, bad, bad, { text: 'done' }], async ({ agent, store }) => {
      expect(await agent.runConversation({ userMessage: 'go' })).toMatchObject({ toolCalls: 1, apiCalls: 5 });
      expect(await store.getConversation(agent.sessionId)).toHaveLength(4);
    });
  });

  verifies('TOOLX-1', 'resets the count of invalid batches after a batch with a valid call', async () => {
    const unknown = calling('no_such_tool_at_all');
    const valid = (text: string) => calling('echo', { text });
    const script = [unknown, unknown, valid('1'), unknown, unknown, valid('2'), { text: 'done' }];
    await withAgent(script, async ({ agent }) => expect(await agent.chat('go')).toBe('done'));
  });

  verifies('LOOP-4', 'stores a grace answer without the tool calls it contains', async () => {
    await withAgent(
      (request) => ({ ...calling('echo', { text: 'x' }), text: request.toolChoice === 'none' ? 'summary' : '' }),
      async ({ agent, store }) => {
        const result = await agent.runConversation({ userMessage: 'go' });
        expect(result).toMatchObject({ exitReason: 'max_iterations', finalResponse: 'summary', toolCalls: 1 });
        expect((await store.getConversation(agent.sessionId)).at(-1)).not.toHaveProperty('toolCalls');
      },
      { maxIterations: 1 },
    );
  });

  verifies('CALL-7', 'ends the text when a continuation is empty', async () => {
    const script = [{ text: 'all there is', finishReason: 'length' as const }, {}];
    await withAgent(script, async ({ agent }) => expect(await agent.chat('go')).toBe('all there is'));
  });

  verifies('CALL-5', 'remembers a learned limit: the next turn is compressed before it is sent', async () => {
    const large = { input: 5_000, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 };
    const history = Array.from({ length: 15 }, (_, index) => calling('echo', { text: `${index} ${'x'.repeat(400)}` }));
    const overflow = failing('context_overflow', { contextLimit: 4_000 });
    const script = [...history, overflow, { text: 'fits' }, { text: 'grew', usage: large }, { text: 'small' }];
    await withAgent(script, async ({ agent }) => {
      await agent.chat('one');
      await agent.chat('two');
      const { events } = await readEvents(agent.run({ userMessage: 'three' }));
      expect(events).toContainEqual(expect.objectContaining({ type: 'compressed', reason: 'preflight' }));
    });
  });
});

describe('order and state', () => {
  verifies('LOOP-8', 'appends a steered message to the last result of a batch', async () => {
    const script = [
      { toolCalls: ['a', 'b'].map((id) => ({ id, name: 'echo', arguments: JSON.stringify({ text: id }) })) },
      { text: 'done' },
    ];
    await withAgent(script, async ({ agent, model }) => {
      const run = agent.run({ userMessage: 'go' });
      run.steer('mind the gap');
      await run.result;
      const results = model.requests[1]?.messages.slice(-2).map((message) => message.content.includes('mind the gap'));
      expect(results).toEqual([false, true]);
    });
  });

  verifies('LOOP-11', 'reopens a closed session when it continues', async () => {
    await withAgent([{ text: 'one' }], async ({ agent, store, restart }) => {
      await agent.chat('go');
      await store.endSession(agent.sessionId, 'user_exit');
      await restart([{ text: 'two' }]).agent.chat('more');
      expect((await store.getSession(agent.sessionId))?.endedAt).toBeUndefined();
    });
  });

  verifies('LOOP-11', 'keeps nothing in memory that is not in the store', async () => {
    await withAgent([{ text: 'never stored' }], async ({ agent, store }) => {
      const append = store.appendMessages.bind(store);
      store.appendMessages = (id, messages, call) =>
        messages[0]?.role === 'assistant' ? Promise.reject(new Error('disk full')) : append(id, messages, call);
      const result = await agent.runConversation({ userMessage: 'go' });
      expect(result.exitReason).toBe('failed');
      expect(result.messages).toEqual(await store.getConversation(agent.sessionId));
    });
  });

  verifies('LOOP-7', 'stores closing results for calls that a failing tool set left without one', async () => {
    await withAgent([calling('echo', { text: 'x' }, 'c1')], async ({ agent, store }) => {
      const append = store.appendMessages.bind(store);
      let failures = 1;
      store.appendMessages = (id, messages, call) =>
        messages[0]?.role === 'tool' && failures-- > 0 ? Promise.reject(new Error('once')) : append(id, messages, call);
      expect(await agent.runConversation({ userMessage: 'go' })).toMatchObject({ exitReason: 'failed' });
      const stored = await store.getConversation(agent.sessionId);
      expect(stored.at(-1)).toMatchObject({
        role: 'tool',
        toolCallId: 'c1',
        content: expect.stringContaining('failed'),
      });
    });
  });
});
