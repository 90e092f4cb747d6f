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
import { EXIT_REASONS, exitFacts, type Message } from '../base/index.ts';
import { createScriptedModel } from '../testing/index.ts';
import { defineTool } from '../tools/index.ts';

const roles = (messages: readonly Message[]) => messages.map((message) => message.role);

describe('the cache key', () => {
  it('is the oldest session of the lineage, before and after a split', async () => {
    const first = createScriptedModel(() => ({ text: 'ok' }));
    await withRoutes([routeTo(first)], async (fixture) => {
      await fixture.agent.chat('one');
      await fixture.agent.chat('two');
      const parent = fixture.agent.sessionId;
      const child = { id: `${parent}-child`, source: 'test', startedAt: 5, systemPrompt: 'p' };
      await fixture.store.splitSession(parent, child, []);
      const { agent, model } = fixture.restart([{ text: 'ok' }], { sessionId: child.id });
      const stale = fixture.restart([], { sessionId: parent }).agent.runConversation({ userMessage: 'concurrent' });
      expect(await stale).toMatchObject({
        failed: true,
        error: { message: expect.stringContaining(`continues as session ${child.id}`) },
      });
      expect(await fixture.store.getConversation(parent)).toHaveLength(4);
      await agent.chat('three');
      expect([...first.requests, ...model.requests].map(({ cacheKey }) => cacheKey)).toEqual([parent, parent, parent]);
    });
  });
});

describe('entry points', () => {
  verifies('LOOP-1', 'chat returns the final text, runConversation the whole result', async () => {
    await withAgent([{ text: 'one' }, { text: 'two', reasoning: 'because' }], async ({ agent }) => {
      expect(await agent.chat('first')).toBe('one');
      const result = await agent.runConversation({ userMessage: 'second', taskId: 'task_x' });
      expect(result).toMatchObject({
        finalResponse: 'two',
        lastReasoning: 'because',
        apiCalls: 1,
        sessionId: agent.sessionId,
        taskId: 'task_x',
        model: 'model-1',
        provider: 'scripted',
        exitReason: 'completed',
        completed: true,
        partial: false,
        interrupted: false,
        failed: false,
      });
      expect(result.usage.output).toBeGreaterThan(0);
      expect(roles(result.messages)).toEqual(['user', 'assistant', 'user', 'assistant']);
    });
  });

  verifies('LOOP-1', 'run provides events and the same result; a task id is generated if none is given', async () => {
    await withAgent([{ text: 'hello there' }], async ({ agent }) => {
      const run = agent.run({ userMessage: 'hi' });
      const { events, result } = await readEvents(run);
      expect(events.at(-1)).toEqual({ type: 'finished', result });
      expect(result.taskId).toMatch(/^task_/);
      expect(() => {
        agent.run({ userMessage: 'a' });
        agent.run({ userMessage: 'b' });
      }).toThrow(/already running/);
    });
  });

  verifies('LOOP-1', 'loads a stored session, and uses a given history instead', async () => {
    await withAgent([{ text: 'blue' }], async ({ agent, restart }) => {
      await agent.chat('my colour is blue');
      const again = restart([{ text: 'blue again' }, { text: 'other' }]);
      await again.agent.chat('which colour?');
      expect(roles(again.model.requests[0]?.messages ?? [])).toEqual(['user', 'assistant', 'user']);
      const history: Message[] = [
        { role: 'user', content: 'a' },
        { role: 'assistant', content: 'b' },
      ];
      await again.agent.runConversation({ userMessage: 'c', history });
      expect(again.model.requests[1]?.messages.map((message) => message.content)).toEqual(['a', 'b', 'c']);
    });
  });

  verifies(
    'LOOP-1',
    'treats a system message as a prompt layer: a new one rebuilds the stored prompt, the same one does not',
    async () => {
      await withAgent([{ text: '1' }, { text: '2' }, { text: '3' }], async ({ agent, model, store }) => {
        await agent.runConversation({ userMessage: 'x' });
        await agent.runConversation({ userMessage: 'y', systemMessage: 'Be brief.' });
        await agent.runConversation({ userMessage: 'z' });
        expect(model.requests.map((request) => request.system)).toEqual([
          'Prompt for model-1.',
          'Prompt for model-1. Be brief.',
          'Prompt for model-1. Be brief.',
        ]);
        expect((await store.getSession(agent.sessionId))?.systemPrompt).toBe('Prompt for model-1. Be brief.');
      });
    },
  );
});

describe('iterations', () => {
  const endless = () => calling('echo', { text: 'again' });

  verifies(['LOOP-3', 'LOOP-4'], 'stops at maxIterations with one grace call without tools', async () => {
    let count = 0;
    const script = () => (count++ < 3 ? calling('echo', { text: `${count}` }) : { text: 'did three things' });
    await withAgent(
      script,
      async ({ agent, model, store }) => {
        const result = await agent.runConversation({ userMessage: 'go' });
        expect(result).toMatchObject({
          exitReason: 'max_iterations',
          partial: true,
          finalResponse: 'did three things',
        });
        expect(model.requests).toHaveLength(4);
        expect(model.requests.map((request) => request.toolChoice)).toEqual(['auto', 'auto', 'auto', 'none']);
        expect(model.requests[3]?.tools).toHaveLength(1);
        const stored = await store.getConversation(agent.sessionId);
        expect(stored.filter((message) => message.role === 'user')).toHaveLength(1);
        expect(stored.at(-1)).toMatchObject({ role: 'assistant', content: 'did three things' });
      },
      { maxIterations: 3 },
    );
  });

  verifies('LOOP-3', 'does not count discarded answers as iterations', async () => {
    const bad = calling('echo', 'no json', 'c1');
    const script = [bad, bad, calling('echo', { text: '1' }), calling('echo', { text: '2' }), { text: 'done' }];
    await withAgent(
      script,
      async ({ agent }) => {
        const result = await agent.runConversation({ userMessage: 'go' });
        expect(result).toMatchObject({ exitReason: 'completed', apiCalls: 5, toolCalls: 2 });
      },
      { maxIterations: 3 },
    );
  });

  verifies('CALL-11', 'counts the cost of a grace call without an answer', async () => {
    await withAgent(
      (request) => (request.toolChoice === 'none' ? {} : endless()),
      async ({ agent, store }) => {
        const { usage } = await agent.runConversation({ userMessage: 'go' });
        expect((await store.sessionSpending(agent.sessionId)).tokens).toBe(usage.input + usage.output);
      },
      { maxIterations: 1 },
    );
  });

  verifies(
    ['LOOP-3', 'LOOP-4'],
    'ends the turn when the budget is used up, and resets it for the next turn',
    async () => {
      await withAgent(
        (request) => (request.toolChoice === 'none' ? { text: 'summary' } : endless()),
        async ({ agent, model }) => {
          const first = await agent.runConversation({ userMessage: 'go' });
          expect(first).toMatchObject({ exitReason: 'budget_exhausted', partial: true });
          expect(model.requests).toHaveLength(3);
          await agent.runConversation({ userMessage: 'go on' });
          expect(model.requests).toHaveLength(6);
        },
        { iterationBudget: 2, toolList: [echoTool] },
      );
    },
  );

  verifies('LOOP-3', 'does not charge a step that ran only free calls', async () => {
    const free = defineTool({
      name: 'free',
      toolset: 'test',
      description: 'Costs nothing.',
      parameters: z.object({ n: z.number() }),
      concurrency: { mode: 'barrier' },
      freeIteration: true,
      run: async ({ n }) => `free ${n}`,
    });
    let count = 0;
    await withAgent(
      () => (count++ < 5 ? calling('free', { n: count }) : { text: 'done' }),
      async ({ agent }) => {
        const result = await agent.runConversation({ userMessage: 'go' });
        expect(result).toMatchObject({ exitReason: 'completed', toolCalls: 5 });
      },
      { iterationBudget: 1, toolList: [free] },
    );
  });

  verifies('LOOP-14', 'sends the history and nothing about budgets before the last request', async () => {
    let count = 0;
    await withAgent(
      () => (count++ < 4 ? calling('echo', { text: `${count}` }, `c${count}`) : { text: 'end' }),
      async ({ agent, model }) => {
        await agent.runConversation({ userMessage: 'go' });
        for (const [index, request] of model.requests.entries()) {
          const results = request.messages.filter((message) => message.role === 'tool');
          expect(results.map((message) => message.content)).toEqual(
            Array.from({ length: index }, (_, position) => `echo: ${position + 1}`),
          );
          expect(request.messages.filter((message) => message.role === 'user')).toHaveLength(1);
          expect(request.system).toBe('Prompt for model-1.');
        }
      },
      { maxIterations: 5 },
    );
  });
});

describe('exit reasons', () => {
  verifies('LOOP-4', 'have a flag and an exit code each', () => {
    const table = EXIT_REASONS.map((reason) => [reason, exitFacts(reason).flag, exitFacts(reason).exitCode]);
    expect(table).toEqual([
      ['interrupted', 'interrupted', 130],
      ['failed', 'failed', 1],
      ['limit_reached', 'partial', 4],
      ['repetition_stopped', 'partial', 4],
      ['max_iterations', 'partial', 4],
      ['budget_exhausted', 'partial', 4],
      ['truncated', 'partial', 3],
      ['empty', 'partial', 3],
      ['completed', 'completed', 0],
    ]);
  });

  verifies('LOOP-4', 'are ranked by the table when several apply', async () => {
    const spent = { input: 100, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 };
    const script = () => ({ ...calling('echo', { text: 'x' }), usage: spent });
    const everythingUsedUp = { maxIterations: 1, iterationBudget: 1 };
    await withAgent(
      script,
      async ({ agent }) => {
        expect(await agent.runConversation({ userMessage: 'go' })).toMatchObject({ exitReason: 'limit_reached' });
      },
      { ...everythingUsedUp, limits: { sessionTokens: 50 } },
    );
    await withAgent(
      script,
      async ({ agent }) => {
        const run = agent.run({ userMessage: 'go' });
        for await (const event of run) if (event.type === 'tool-finished') run.interrupt();
        expect(await run.result).toMatchObject({ exitReason: 'interrupted' });
      },
      { ...everythingUsedUp, limits: { sessionTokens: 50 } },
    );
    const unknownTool = () => calling('no_such_tool_at_all');
    for (const answer of [script, unknownTool]) {
      await withAgent(
        (request) => (request.toolChoice === 'none' ? { text: 'summary' } : answer()),
        async ({ agent }) => {
          expect(await agent.runConversation({ userMessage: 'go' })).toMatchObject({ exitReason: 'max_iterations' });
        },
        { maxIterations: 3, iterationBudget: 3 },
      );
    }
  });

  verifies('LOOP-4', 'are in the result and the turn record, not in the end reason of the session', async () => {
    await withAgent([failing('model_not_found'), { text: 'fine' }], async ({ agent, store }) => {
      const failed = await agent.runConversation({ userMessage: 'a' });
      expect(failed).toMatchObject({ exitReason: 'failed', failed: true, error: { kind: 'model_not_found' } });
      await agent.runConversation({ userMessage: 'b' });
      const turns = await store.getTurns(agent.sessionId);
      expect(turns.map((turn) => turn.exitReason)).toEqual(['failed', 'completed']);
      expect((await store.getSession(agent.sessionId))?.endReason).toBeUndefined();
    });
  });
});

describe('events', () => {
  verifies('LOOP-10', 'report thinking, reasoning, text, tools, usage and steps in order', async () => {
    const script = [{ reasoning: 'hmm', ...calling('echo', { text: 'x' }) }, { text: 'done' }];
    await withAgent(script, async ({ agent }) => {
      const { events } = await readEvents(agent.run({ userMessage: 'go' }));
      expect(typesOf(events)).toEqual([
        'started',
        'thinking-started',
        'reasoning-delta',
        'thinking-finished',
        'tool-call-seen',
        'usage',
        'tool-started',
        'tool-finished',
        'step-finished',
        'thinking-started',
        'thinking-finished',
        'text-delta',
        'usage',
        'step-finished',
        'finished',
      ]);
    });
  });

  verifies('LOOP-10', 'are emitted after the message is stored', async () => {
    await withAgent([calling('echo', { text: 'x' }, 'c1'), { text: 'done' }], async ({ agent, store }) => {
      const run = agent.run({ userMessage: 'go' });
      for await (const event of run) {
        const stored = await store.getConversation(agent.sessionId);
        if (event.type === 'tool-started') expect(stored.at(-1)).toMatchObject({ role: 'assistant' });
        if (event.type === 'tool-finished') expect(roles(stored)).toContain('tool');
        if (event.type === 'finished') expect(stored.at(-1)).toMatchObject({ content: 'done' });
      }
    });
  });

  verifies('LOOP-5', 'follow the stored user message and the stored answer', async () => {
    const order: string[] = [];
    await withAgent(
      () => {
        order.push('request');
        return { text: ' the answer ' };
      },
      async ({ agent, store }) => {
        const append = store.appendMessages.bind(store);
        store.appendMessages = async (id, messages, call) => {
          await append(id, messages, call);
          order.push(...messages.map((message) => `${message.role} stored`));
        };
        const result = await agent.runConversation({ userMessage: '<memory-context>x</memory-context>hi' });
        expect(order).toEqual(['user stored', 'request', 'assistant stored']);
        expect(result.messages[0]?.content).toBe('hi');
        expect(result.finalResponse).toBe('the answer');
      },
    );
  });
});
