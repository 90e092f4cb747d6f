import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { verifies } from '../../test/spec/verifies.ts';
import type { Clock } from '../base/index.ts';
import { call, noEnvironment, recordedContext, runCalls } from './batch.fixture.ts';
import type { ToolSpecification } from './define-tool.ts';
import { createToolSet, defineTool, type Tool } from './index.ts';

const parameters = z.object({ text: z._default(z.string(), '') });
function make(name: string, more: Partial<ToolSpecification<typeof parameters>> = {}): Tool {
  const base = { name, toolset: 'test', description: '', parameters, concurrency: { mode: 'parallel' } as const };
  return defineTool({ ...base, run: async ({ text }) => text, ...more });
}

/** A manual clock: sleeps end when it is advanced past them. */
function handClock(): Clock & { move(milliseconds: number): Promise<void>; waiting(): number } {
  let now = 0;
  let waits: { until: number; resolve: () => void }[] = [];
  return {
    now: () => now,
    waiting: () => waits.length,
    sleep(milliseconds, signal) {
      return new Promise((resolve, reject) => {
        const wait = { until: now + milliseconds, resolve };
        waits.push(wait);
        signal?.addEventListener('abort', () => {
          waits = waits.filter((other) => other !== wait);
          reject(signal.reason as Error);
        });
      });
    },
    async move(milliseconds) {
      now += milliseconds;
      const due = waits.filter(({ until }) => until <= now);
      waits = waits.filter(({ until }) => until > now);
      for (const { resolve } of due) resolve();
      await new Promise(setImmediate);
    },
  };
}

/** Calls start some event loop turns later; how many is not defined. */
async function untilSo(check: () => boolean): Promise<void> {
  while (!check()) await new Promise(setImmediate);
}

const stuck = make('stuck', {
  run: (_args, { signal }) =>
    new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error))),
});
const statuses = (delivered: { outcome: { status: string } }[]) => delivered.map(({ outcome }) => outcome.status);

describe('the deadline of a batch', () => {
  verifies('TOOLX-3', 'is 420 s: running calls are stopped, waiting ones not started, finished ones kept', async () => {
    const clock = handClock();
    const tools = createToolSet({ tools: [stuck, make('quick')], environment: noEnvironment, clock });
    const context = recordedContext();
    const stuckCalls = Array.from({ length: 9 }, (_, index) => call(`s${index}`, 'stuck', { text: String(index) }));
    const running = runCalls(tools, [call('q', 'quick', { text: 'done' }), ...stuckCalls], context);
    await untilSo(() => context.delivered.length === 1 && context.started.length === 9);
    await clock.move(419_999);
    expect(context.delivered).toHaveLength(1);
    await clock.move(1);
    const delivered = await running;
    expect(statuses(delivered)).toEqual(['ok', ...Array.from({ length: 9 }, () => 'error')]);
    expect(delivered[1]?.outcome.content).toContain('420 s in total');
    expect(delivered[9]?.outcome.content).toContain('Not run');
    expect(context.started).toHaveLength(9);
    expect(clock.waiting()).toBe(0);
  });

  verifies('TOOLX-3', 'also ends a tool that ignores its signal', async () => {
    const clock = handClock();
    const deaf = make('deaf', { run: () => new Promise(() => undefined) });
    const tools = createToolSet({ tools: [deaf, make('quick')], environment: noEnvironment, clock });
    const running = runCalls(tools, [call('1', 'deaf'), call('2', 'quick')]);
    await untilSo(() => clock.waiting() === 1);
    await clock.move(420_000);
    await untilSo(() => clock.waiting() === 1);
    await clock.move(5000);
    const [delivered] = await running;
    expect(delivered?.outcome).toMatchObject({
      status: 'error',
      content: expect.stringContaining('outcome is unknown'),
    });
  });

  verifies('TOOLX-3', 'pauses while the user is asked', async () => {
    const clock = handClock();
    const answer = Promise.withResolvers<'once'>();
    let asked = false;
    const asks = make('asks', {
      async run(_args, { interaction }) {
        const said = await interaction.approve({ toolName: 'asks', subject: '', reasons: [] });
        return said === 'once' ? 'allowed once' : 'denied';
      },
    });
    const release = Promise.withResolvers<string>();
    let waiting = false;
    const waits = make('waits', {
      run() {
        waiting = true;
        return release.promise;
      },
    });
    const tools = createToolSet({ tools: [asks, waits], environment: noEnvironment, clock });
    const context = recordedContext({
      interaction: {
        approve() {
          asked = true;
          return answer.promise;
        },
        clarify: async () => undefined,
      },
    });
    const running = runCalls(tools, [call('1', 'asks'), call('2', 'waits')], context);
    await untilSo(() => asked && waiting);
    await clock.move(1_000_000);
    answer.resolve('once');
    await untilSo(() => context.delivered.length === 1 && clock.waiting() === 1);
    await clock.move(419_000);
    release.resolve('in time');
    expect((await running).map(({ outcome }) => outcome.content)).toEqual(['allowed once', 'in time']);
  });

  it('does not apply to a call that runs alone', async () => {
    const clock = handClock();
    const release = Promise.withResolvers<string>();
    const alone = make('alone', { concurrency: { mode: 'barrier' }, run: () => release.promise });
    const tools = createToolSet({ tools: [alone, make('quick')], environment: noEnvironment, clock });
    const running = runCalls(tools, [call('1', 'alone'), call('2', 'quick')]);
    await clock.move(0);
    await clock.move(10_000_000);
    release.resolve('done');
    expect(statuses(await running)).toEqual(['ok', 'ok']);
    const single = createToolSet({
      tools: [make('one', { run: () => release.promise })],
      environment: noEnvironment,
      clock,
    });
    expect(statuses(await runCalls(single, [call('1', 'one')]))).toEqual(['ok']);
  });

  verifies('LOOP-7', 'is distinguished from an interrupt', async () => {
    const abort = new AbortController();
    const tools = createToolSet({ tools: [stuck], environment: noEnvironment, clock: handClock() });
    const context = recordedContext({ signal: abort.signal, onStarted: () => setImmediate(() => abort.abort()) });
    const delivered = await runCalls(tools, [call('1', 'stuck'), call('2', 'stuck', { text: 'b' })], context);
    expect(statuses(delivered)).toEqual(['interrupted', 'interrupted']);
  });
});
