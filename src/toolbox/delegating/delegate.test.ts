import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import type { JsonObject } from '../../base/index.ts';
import type { Delegation, SubagentReport } from '../../contracts/index.ts';
import { createLocalEnvironment } from '../../environments/index.ts';
import { createToolSet } from '../../tools/index.ts';
import { builtInTools } from '../index.ts';
import { createToolFixture, errorOf } from '../tools.fixture.ts';
import { fitReports, formatReports } from './delegate.ts';

const DONE: SubagentReport = {
  sessionId: 's1',
  ended: 'completed',
  text: 'done',
  error: undefined,
  apiCalls: 1,
  toolCalls: 0,
  durationMs: 1000,
};

async function open(delegation: Delegation) {
  const fixture = await createToolFixture({ set: { services: { delegation } } });
  onTestFinished(() => fixture[Symbol.asyncDispose]());
  return fixture;
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
  it('passes the tasks on and reports progress', async () => {
    const { run, progress } = await open({
      async run(tasks, { report: tell, sessionId }) {
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

  it('fails only if no task was completed', async () => {
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

  it('rejects invalid tasks', async () => {
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

  it('limits the number of tasks per turn', async () => {
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
      '50 tasks can be delegated per turn; 45 have',
    );
    // The count belongs to an earlier turn, so a new turn starts from zero.
    state.delegated = { taskId: 'earlier', count: 50 };
    expect((await run('delegate_task', args)).status).toBe('ok');
  });

  verifies('TOOLX-5', 'delegate_task reports that it needs an agent', async () => {
    const environment = createLocalEnvironment({ workingDirectory: '/' });
    const delegation: Delegation = { run: () => Promise.reject(new Error('not to be reached')) };
    const tools = createToolSet({ tools: builtInTools(), environment, services: { delegation } });
    const outcome = await tools.dispatchWithoutAgent('delegate_task', args);
    expect(errorOf(outcome)).toContain('needs the state of an agent');
    await environment.close();
  });

  it('is not available to subagents', async () => {
    const fixture = await createToolFixture();
    onTestFinished(() => fixture[Symbol.asyncDispose]());
    expect(await fixture.tools.names()).not.toContain('delegate_task');
  });
});

function report(text: string, more: Partial<SubagentReport> = {}): SubagentReport {
  return {
    sessionId: 's',
    ended: 'completed',
    text,
    error: undefined,
    apiCalls: 1,
    toolCalls: 2,
    durationMs: 1500,
    ...more,
  };
}

it('reports the ending and the text of each task', () => {
  const reports = [report('found'), report('', { ended: 'failed', error: 'no key', sessionId: undefined })];
  expect(formatReports(reports, [{ goal: 'find\nit' }, { goal: 'b' }])).toBe(
    '## Task 1 (find it): completed (2 tool calls, 2 s)\nfound\n\n## Task 2 (b): failed\nReason: no key',
  );
});

it('keeps the limit and the order, and does not truncate short reports', () => {
  const lengths = fc.array(fc.nat(40_000), { minLength: 1, maxLength: 10 });
  fc.assert(
    fc.property(lengths, fc.integer({ min: 6_000, max: 24_000 }), (sizes, limit) => {
      const reports = sizes.map((size, index) => report(`<${index}${'x'.repeat(size)}${index}>`));
      const tasks = sizes.map((_, index) => ({ goal: `goal ${index}` }));
      const fitted = fitReports(reports, tasks, { limit, where: 'All are in /file.txt.' });
      expect(fitted.length).toBeLessThanOrEqual(limit);
      expect(fitted).toContain('/file.txt');
      const heads = sizes.map((_, index) => fitted.indexOf(`## Task ${index + 1} `));
      expect(heads.every((position, index) => position >= 0 && position > (heads[index - 1] ?? -1))).toBe(true);
      const short = reports.filter(({ text }) => text.length < 100);
      expect(short.filter(({ text }) => !fitted.includes(text))).toEqual([]);
    }),
  );
});
