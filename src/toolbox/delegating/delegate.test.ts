import { describe, expect, it, onTestFinished } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import type { JsonObject } from '../../base/index.ts';
import type { Delegation, SubagentReport } from '../../contracts/index.ts';
import { createLocalEnvironment } from '../../environments/index.ts';
import { createToolSet } from '../../tools/index.ts';
import { builtInTools } from '../index.ts';
import { createWorkshop, errorOf } from '../workshop.fixture.ts';

const DONE: SubagentReport = {
  ...{ sessionId: 's1', ended: 'completed', text: 'done', error: undefined },
  ...{ apiCalls: 1, toolCalls: 0, durationMs: 1000 },
};

async function open(delegation: Delegation) {
  const shop = await createWorkshop({ set: { services: { delegation } } });
  onTestFinished(() => shop[Symbol.asyncDispose]());
  return shop;
}

const args: JsonObject = {
  tasks: [
    { goal: 'a', output_schema: { type: 'array' } },
    { goal: 'b', toolsets: ['file'], model: 'm' },
  ],
};
const handedOver = [
  { goal: 'a', outputSchema: { type: 'array' } },
  { goal: 'b', toolsets: ['file'], model: 'm' },
];

describe('delegate_task', () => {
  it('hands over the tasks, and tells whoever watches what is going on', async () => {
    const { run, progress } = await open({
      async run(tasks, { tell, sessionId }) {
        expect([tasks, sessionId]).toEqual([handedOver, 's']);
        tell({
          task: 1,
          sessionId: 's1',
          event: { type: 'started', sessionId: 's1', taskId: 't', model: 'm', provider: 'p' },
        });
        tell({
          task: 2,
          sessionId: 's2',
          event: { type: 'tool-started', callId: 'c', name: 'terminal', arguments: '{"command":"ls"}' },
        });
        tell({ task: 2, sessionId: 's2', event: { type: 'thinking-started' } });
        return tasks.map(() => DONE);
      },
    });
    expect((await run('delegate_task', args)).status).toBe('ok');
    expect(progress.join('')).toBe('[1] begins: a\n[2] terminal ls\n');
  });

  it('is a failure only where nothing was completed', async () => {
    const failed: SubagentReport = { ...DONE, ended: 'failed', text: '', error: 'no key' };
    const outcomes = [
      [failed, DONE],
      [failed, failed],
    ];
    const { run } = await open({ run: async () => outcomes.shift() ?? [] });
    expect(await run('delegate_task', args)).toMatchObject({
      status: 'ok',
      content: expect.stringContaining('no key'),
    });
    expect(await run('delegate_task', { tasks: [{ goal: 'c' }, { goal: 'd' }] })).toMatchObject({ status: 'error' });
  });

  it('refuses what is no task', async () => {
    const { run } = await open({ run: () => Promise.reject(new Error('not to be reached')) });
    for (const tasks of [
      [],
      [{ goal: '' }],
      [{}],
      [{ goal: 'x', output_schema: 'list' }],
      Array.from({ length: 11 }, () => ({ goal: 'x' })),
    ]) {
      expect((await run('delegate_task', { tasks })).status).toBe('invalid');
    }
  });

  it('begins so many in one turn and no more', async () => {
    const begun: number[] = [];
    const { run, state } = await open({
      async run(tasks) {
        begun.push(tasks.length);
        return tasks.map(() => DONE);
      },
    });
    for (let number = 0; number < 6; number += 1) {
      const tasks = Array.from({ length: 9 }, (_, index) => ({ goal: `${number} ${index}` }));
      const { status, content } = await run('delegate_task', { tasks });
      expect([status, content]).toEqual([number < 5 ? 'ok' : 'error', expect.any(String)]);
    }
    expect(begun).toEqual([9, 9, 9, 9, 9]);
    expect(errorOf(await run('delegate_task', { tasks: Array.from({ length: 6 }, () => ({ goal: 'x' })) }))).toContain(
      '50 tasks can be handed out, and 45 were',
    );
    // Another turn.
    state.delegated = { taskId: 'earlier', count: 50 };
    expect((await run('delegate_task', args)).status).toBe('ok');
  });

  verifies('TOOLX-5', 'delegate_task needs an agent, and says so where there is none', async () => {
    const environment = createLocalEnvironment({ workingDirectory: '/' });
    const delegation: Delegation = { run: () => Promise.reject(new Error('not to be reached')) };
    const tools = createToolSet({ tools: builtInTools(), environment, services: { delegation } });
    const outcome = await tools.dispatchWithoutAgent('delegate_task', args);
    expect(errorOf(outcome)).toContain('works on the state of an agent');
    await environment.close();
  });

  it('is not there for a subagent', async () => {
    const shop = await createWorkshop();
    onTestFinished(() => shop[Symbol.asyncDispose]());
    expect(await shop.tools.names()).not.toContain('delegate_task');
  });
});
