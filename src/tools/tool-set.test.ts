import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { verifies } from '../../test/spec/verifies.ts';
import { dose } from '../../test/support/dose.ts';
import type { Concurrency, Hooks } from '../contracts/index.ts';
import { call, noEnvironment, recordedContext, runCalls } from './batch.fixture.ts';
import type { ToolSpecification } from './define-tool.ts';
import {
  createToolSet,
  defineTool,
  requireAgent,
  type Tool,
  ToolDenied,
  ToolFailedOutput,
  ToolFailure,
} from './index.ts';

const parameters = z.object({ text: z._default(z.string(), ''), path: z._default(z.string(), 'a') });
type Parameters = typeof parameters;

function make(
  name: string,
  run: ToolSpecification<Parameters>['run'],
  more: Partial<ToolSpecification<Parameters>> = {},
): Tool {
  const base = { name, toolset: 'test', description: '', parameters, concurrency: { mode: 'parallel' } as const };
  return defineTool({ ...base, run, ...more });
}
const set = (tools: Tool[], more = {}) => createToolSet({ tools, environment: noEnvironment, ...more });
const contents = (delivered: { outcome: { content: string } }[]) => delivered.map(({ outcome }) => outcome.content);

/** A tool whose calls wait until all expected ones have started, which proves that they run in parallel. */
function meeting(expected: number, more: Partial<ToolSpecification<Parameters>> = {}) {
  const gate = Promise.withResolvers<void>();
  const seen = { now: 0, most: 0 };
  const tool = make(
    'meet',
    async ({ text }) => {
      seen.now += 1;
      seen.most = Math.max(seen.most, seen.now);
      if (seen.now === expected) gate.resolve();
      await gate.promise;
      seen.now -= 1;
      return text;
    },
    more,
  );
  return { tool, seen };
}

describe('definitions', () => {
  verifies(
    ['TOOL-1', 'TOOL-2'],
    'include only available tools, in a fixed order; a failing check means unavailable',
    async () => {
      const tools = set([
        make('b', async () => ''),
        make('a', async () => '', { isAvailable: () => false }),
        make('c', async () => '', {
          isAvailable: () => {
            throw new Error('no');
          },
        }),
        make('d', async () => '', { isAvailable: () => true }),
      ]);
      expect((await tools.definitions()).map(({ name }) => name)).toEqual(['b', 'd']);
      expect(JSON.stringify(await tools.definitions())).toBe(JSON.stringify(await tools.definitions()));
      expect((await tools.prepare([call('1', 'a')]))[0]).toMatchObject({ status: 'unknown_tool' });
    },
  );

  verifies('TOOL-1', 'use the later of two tools with the same name, with a warning', async () => {
    const warnings: string[] = [];
    const logger = { debug() {}, info() {}, warn: (message: string) => warnings.push(message), error() {} };
    const tools = set([make('x', async () => 'first'), make('x', async () => 'second')], { logger });
    expect(contents(await runCalls(tools, [call('1', 'x')]))).toEqual(['second']);
    expect(warnings).toHaveLength(1);
  });

  it('have a schema without noise', async () => {
    const [definition] = await set([make('x', async () => '')]).definitions();
    expect(JSON.stringify(definition?.parameters)).not.toMatch(/\$schema|additionalProperties|9007199254740991/);
  });
});

describe('a batch', () => {
  verifies('TOOLX-3', 'runs calls in parallel and delivers results in call order', async () => {
    const { tool } = meeting(5);
    const ids = ['1', '2', '3', '4', '5'];
    const delivered = await runCalls(
      set([tool]),
      ids.map((id) => call(id, 'meet', { text: id })),
    );
    expect(delivered.map(({ id }) => id)).toEqual(ids);
    expect(contents(delivered)).toEqual(ids);
  });

  verifies('TOOLX-3', 'runs at most eight calls in parallel', async () => {
    const { tool, seen } = meeting(8);
    const calls = Array.from({ length: 20 }, (_, index) => call(String(index), 'meet', { text: String(index) }));
    expect(await runCalls(set([tool]), calls)).toHaveLength(20);
    expect(seen.most).toBe(8);
  });

  it('delivers a result as soon as it and all before it are ready, and waits for the receiver', async () => {
    const gate = Promise.withResolvers<void>();
    const log: string[] = [];
    const tools = set([make('quick', async () => 'quick'), make('slow', () => gate.promise.then(() => 'slow'))]);
    const context = recordedContext({
      async onResult({ call: { id } }) {
        log.push(`${id} begins`);
        await new Promise(setImmediate);
        log.push(`${id} ends`);
        if (id === '1') gate.resolve();
      },
    });
    await runCalls(tools, [call('1', 'quick'), call('2', 'slow'), call('3', 'quick', { text: 'x' })], context);
    expect(log).toEqual(['1 begins', '1 ends', '2 begins', '2 ends', '3 begins', '3 ends']);
  });

  verifies('TOOLX-3', 'runs in sequence if a tool asks the user', async () => {
    const { tool, seen } = meeting(1);
    const ask = make('ask', async () => 'answer', { asksThePerson: true });
    await runCalls(set([tool, ask]), [
      call('1', 'meet', { text: 'a' }),
      call('2', 'meet', { text: 'b' }),
      call('3', 'ask'),
    ]);
    expect(seen.most).toBe(1);
  });

  verifies('TOOLX-3', 'runs a barrier call alone, in its position', async () => {
    const log: string[] = [];
    const step = async (name: string) => {
      log.push(`${name} begins`);
      await new Promise(setImmediate);
      log.push(`${name} ends`);
      return name;
    };
    const tools = set([
      make('free', ({ text }) => step(text)),
      make('alone', () => step('barrier'), { concurrency: { mode: 'barrier' } }),
    ]);
    await runCalls(tools, [
      call('1', 'free', { text: 'a' }),
      call('2', 'free', { text: 'b' }),
      call('3', 'alone'),
      call('4', 'free', { text: 'c' }),
    ]);
    expect(log).toEqual([
      'a begins',
      'b begins',
      'a ends',
      'b ends',
      'barrier begins',
      'barrier ends',
      'c begins',
      'c ends',
    ]);
  });

  verifies('TOOLX-3', 'runs identical calls once and gives both the result', async () => {
    let runs = 0;
    const other = make('other', async () => 'x', { readOnly: true });
    const tools = set([make('count', async () => String(++runs)), other]);
    const calls = [
      call('1', 'count', '{"text":"a","path":"b"}'),
      call('2', 'other'),
      call('3', 'count', '{"path":"b","text":"a"}'),
    ];
    const delivered = await runCalls(tools, calls);
    expect(delivered.map(({ id, outcome }) => [id, outcome.content])).toEqual([
      ['1', '1'],
      ['2', 'x'],
      ['3', expect.stringMatching(/^1\n/)],
    ]);
    expect(runs).toBe(1);
  });

  verifies('TOOLX-3', 'reports that a duplicate call was not run again, unless the tool is read-only', async () => {
    const tools = set([
      make('act', async () => 'done'),
      make('look', async () => 'seen', { readOnly: true }),
      make('fail', async () => ({ error: 'no' })),
    ]);
    const twice = async (name: string) => contents(await runCalls(tools, [call('1', name), call('2', name)]));
    const notice = /^(?:done|\{"error":"no"\})\n\[Not run again: this is the result of the identical call.*\]$/;
    expect(await twice('act')).toEqual(['done', expect.stringMatching(notice)]);
    expect(await twice('fail')).toEqual(['{"error":"no"}', expect.stringMatching(notice)]);
    expect(await twice('look')).toEqual(['seen', 'seen']);
  });

  verifies('TOOLX-3', 'runs an identical call again if a call between may have changed its result', async () => {
    let value = 'old';
    const alone = { concurrency: { mode: 'barrier' } as const };
    const tools = set([make('show', async () => value, alone), make('set', async () => (value = 'new'), alone)]);
    const calls = ['show', 'show', 'set', 'show', 'show'].map((name, index) => call(String(index), name));
    const context = recordedContext();
    const shown = contents(await runCalls(tools, calls, context)).map((content) => content.split('\n')[0]);
    expect(shown).toEqual(['old', 'old', 'new', 'new', 'new']);
    expect(context.started).toEqual(['0', '2', '3']);
  });

  it('reads again after a call that may have changed the result', async () => {
    let value = 'old';
    const paths = (access: 'read' | 'write') => ({
      concurrency: { mode: 'paths', access, paths: ['a'] } as Concurrency,
    });
    const tools = set([
      make('read', async () => value, { readOnly: true, ...paths('read') }),
      make('write', async () => (value = 'new'), paths('write')),
    ]);
    const delivered = await runCalls(tools, [
      call('1', 'read'),
      call('2', 'write'),
      call('3', 'read'),
      call('4', 'read'),
    ]);
    expect(contents(delivered)).toEqual(['old', 'new', 'new', 'new']);
  });

  verifies(
    'TOOLX-3',
    'never runs a write in parallel with another call on the same path, and keeps their order',
    async () => {
      const pathOf = fc.constantFrom('a', 'a/b', 'a/b/c', 'ab', 'd');
      const operation = fc.record({
        name: fc.constantFrom('read', 'write'),
        path: pathOf,
        ticks: fc.integer({ min: 0, max: 3 }),
      });
      await fc.assert(
        fc.asyncProperty(fc.array(operation, { maxLength: 12 }), async (operations) => {
          const running: { access: string; path: string }[] = [];
          const begun: string[] = [];
          const touches = (a: string, b: string) => a === b || a.startsWith(`${b}/`) || b.startsWith(`${a}/`);
          const work = (access: 'read' | 'write') =>
            make(
              access,
              async ({ path, text }) => {
                for (const other of running) {
                  if (access === 'write' || other.access === 'write') expect(touches(path, other.path)).toBe(false);
                }
                const own = { access, path };
                running.push(own);
                begun.push(text);
                for (let tick = 0; tick < Number(text.split(' ')[1]); tick++) await Promise.resolve();
                running.splice(running.indexOf(own), 1);
                return text;
              },
              { concurrency: ({ path }) => ({ mode: 'paths', access, paths: [path] }) },
            );
          const tools = set([work('read'), work('write')]);
          const calls = operations.map(({ name, path, ticks }, index) =>
            call(String(index), name, { path, text: `${index} ${ticks}` }),
          );
          const delivered = await runCalls(tools, calls);
          expect(delivered.map(({ outcome }) => outcome.status)).toEqual(operations.map(() => 'ok'));
          for (const [later, b] of operations.entries()) {
            for (const [earlier, a] of operations.slice(0, later).entries()) {
              if (!touches(a.path, b.path) || (a.name === 'read' && b.name === 'read')) continue;
              expect(begun.indexOf(`${earlier} ${a.ticks}`)).toBeLessThan(begun.indexOf(`${later} ${b.ticks}`));
            }
          }
        }),
        { numRuns: 60 },
      );
    },
  );

  verifies(['TOOLX-3', 'LOOP-7'], 'runs thousands of calls quickly and yields to the event loop', async () => {
    const count = dose(2_000, 10_000);
    let resolved = 0;
    const environment = { ...noEnvironment, resolvePath: async (path: string) => `/project/${(resolved++, path)}` };
    const read = make('read', async ({ path }) => path, {
      readOnly: true,
      concurrency: ({ path }) => ({ mode: 'paths', access: 'read', paths: [path] }),
    });
    const write = make('write', async ({ path }) => path, {
      concurrency: ({ path }) => ({ mode: 'paths', access: 'write', paths: [path] }),
    });
    const tools = createToolSet({ tools: [read, write], environment });
    const calls = Array.from({ length: count }, (_, index) =>
      call(String(index), index % 100 === 0 ? 'write' : 'read', { path: `a/${index}` }),
    );
    let turns = 0;
    let ended = false;
    const tick = () => {
      turns += 1;
      if (!ended) setImmediate(tick);
    };
    setImmediate(tick);
    const delivered = await runCalls(tools, calls);
    ended = true;
    expect(contents(delivered)).toEqual(calls.map((_, index) => `a/${index}`));
    expect(resolved).toBe(count);
    expect(turns).toBeGreaterThan(count / 100);
  });

  verifies('TOOLX-1', 'runs the valid calls if others are invalid', async () => {
    const tools = set([make('good', async () => 'done')]);
    const prepared = await tools.prepare([
      call('1', 'nope'),
      call('2', 'good', '{"text": "x'),
      call('3', 'good', '{"text": []}'),
      call('4', 'good'),
    ]);
    const refused = { call: call('5', 'good'), status: 'refused', message: 'asked too often' } as const;
    const context = recordedContext();
    await tools.run([...prepared, refused], context);
    expect(context.delivered.map(({ outcome }) => outcome.status)).toEqual([
      'invalid',
      'invalid',
      'invalid',
      'ok',
      'refused',
    ]);
    for (const { outcome } of context.delivered.filter(({ id }) => id !== '4')) {
      expect(JSON.parse(outcome.content)).toHaveProperty('error');
    }
    expect(context.started).toEqual(['4']);
  });

  it('ends early on abort: running calls are signalled, waiting ones never start, each has one result', async () => {
    const abort = new AbortController();
    const tools = set([
      make(
        'long',
        async (_args, { signal }) => {
          queueMicrotask(() => abort.abort());
          await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))));
          return '';
        },
        { concurrency: { mode: 'barrier' } },
      ),
    ]);
    const context = recordedContext({ signal: abort.signal });
    const delivered = await runCalls(
      tools,
      [call('1', 'long'), call('2', 'long', { text: 'x' }), call('3', 'none')],
      context,
    );
    expect(delivered.map(({ id, outcome }) => [id, outcome.status])).toEqual([
      ['1', 'interrupted'],
      ['2', 'interrupted'],
      ['3', 'invalid'],
    ]);
    expect(context.started).toEqual(['1']);
  });

  verifies('LOOP-7', 'does not wait for a tool that ignores its signal, and drops its later output', async () => {
    const abort = new AbortController();
    const slept: number[] = [];
    const clock = { now: () => 0, sleep: async (milliseconds: number) => void slept.push(milliseconds) };
    const late = Promise.withResolvers<string>();
    const deaf = make('deaf', async (_args, { progress }) => {
      queueMicrotask(() => abort.abort());
      const answer = await late.promise;
      progress(answer);
      return answer;
    });
    const context = recordedContext({ signal: abort.signal });
    const delivered = await runCalls(set([deaf], { clock }), [call('1', 'deaf')], context);
    late.resolve('too late');
    await new Promise(setImmediate);
    expect(delivered).toHaveLength(1);
    expect(context.progress).toEqual([]);
    expect(delivered[0]?.outcome).toMatchObject({ status: 'interrupted', content: expect.stringContaining('unknown') });
    expect(slept).toEqual([5000]);
  });

  verifies('LOOP-7', 'also ends if the tool itself caused the abort', async () => {
    const abort = new AbortController();
    const clock = { now: () => 0, sleep: async () => undefined };
    const deaf = make('deaf', () => {
      abort.abort();
      return new Promise(() => undefined);
    });
    const context = recordedContext({ signal: abort.signal });
    const [delivered] = await runCalls(set([deaf], { clock }), [call('1', 'deaf')], context);
    expect(delivered?.outcome.status).toBe('interrupted');
  });

  it('rethrows the error of a receiver after all calls have settled, and starts no new ones', async () => {
    const results: string[] = [];
    const tools = set([make('x', async ({ text }) => text, { concurrency: { mode: 'barrier' } })]);
    const context = recordedContext({
      async onResult({ call: { id } }, { status }) {
        results.push(`${id} ${status}`);
        if (id === '1') throw new Error('disk full');
      },
    });
    const calls = ['1', '2', '3', '4'].map((id) => call(id, 'x', { text: id }));
    await expect(runCalls(tools, calls, context)).rejects.toThrow('disk full');
    expect(results).toHaveLength(4);
    expect(results[0]).toBe('1 ok');
    expect(results[3]).toBe('4 interrupted');
  });
});

describe('a single call', () => {
  verifies('TOOLX-4', 'passes through the hooks in order, which may replace the result', async () => {
    const log: string[] = [];
    const hook = (name: string): Hooks => ({
      name,
      preToolCall: async ({ toolName, args }) => void log.push(`${name} pre ${toolName} ${String(args['text'])}`),
      postToolCall: async (_call, { content }) => void log.push(`${name} post ${content}`),
      transformToolResult: async (_call, content) => `${content}+${name}`,
    });
    const tool = make('x', async () => {
      log.push('handler');
      return 'result';
    });
    const delivered = await runCalls(set([tool], { hooks: [hook('one'), hook('two')] }), [
      call('1', 'x', { text: 't' }),
    ]);
    expect(log).toEqual(['one pre x t', 'two pre x t', 'handler', 'one post result', 'two post result']);
    expect(contents(delivered)).toEqual(['result+one+two']);
  });

  verifies('TOOLX-4', 'can be blocked by a hook with a reason', async () => {
    let ran = false;
    const tool = make('x', async () => String((ran = true)));
    const hooks = [{ name: 'policy', preToolCall: async () => ({ block: 'not on Fridays' }) }];
    const [delivered] = await runCalls(set([tool], { hooks }), [call('1', 'x')]);
    expect(delivered?.outcome).toEqual({ status: 'refused', content: '{"error":"not on Fridays"}' });
    expect(ran).toBe(false);
  });

  verifies('TOOLX-4', 'ignores a hook that throws', async () => {
    const broken = () => Promise.reject(new Error('broken'));
    const hooks = [{ name: 'bad', preToolCall: broken, postToolCall: broken, transformToolResult: broken }];
    expect(contents(await runCalls(set([make('x', async () => 'fine')], { hooks }), [call('1', 'x')]))).toEqual([
      'fine',
    ]);
  });

  verifies('TOOLX-6', 'turns an exception into an error for the model', async () => {
    const tools = set([
      make('late', async () => Promise.reject(new TypeError('bad "thing"'))),
      make('early', () => {
        throw new RangeError('immediate');
      }),
      make('odd', async () => Promise.reject('a string')),
    ]);
    const delivered = await runCalls(tools, [call('1', 'late'), call('2', 'early'), call('3', 'odd')]);
    expect(delivered.map(({ outcome }) => outcome.status)).toEqual(['error', 'error', 'error']);
    expect(contents(delivered).map((content) => JSON.parse(content).error)).toEqual([
      'Tool execution failed: TypeError: bad "thing"',
      'Tool execution failed: RangeError: immediate',
      'Tool execution failed: string: a string',
    ]);
  });

  verifies('TOOLX-6', 'returns the message of a ToolFailure as it is', async () => {
    const tool = make('x', async () => {
      throw new ToolFailure('there is no such file');
    });
    const [delivered] = await runCalls(set([tool]), [call('1', 'x')]);
    expect(delivered?.outcome).toEqual({ status: 'error', content: '{"error":"there is no such file"}' });
  });

  it('may use a synchronous tool', async () => {
    const run = (() => 'immediate') as unknown as ToolSpecification<Parameters>['run'];
    expect(contents(await runCalls(set([make('x', run)]), [call('1', 'x')]))).toEqual(['immediate']);
  });

  it('may return failed output as it is', async () => {
    const tools = set([
      make('fails', async () => {
        throw new ToolFailedOutput('two tests failed');
      }),
    ]);
    expect((await runCalls(tools, [call('1', 'fails')]))[0]?.outcome).toEqual({
      status: 'error',
      content: 'two tests failed',
    });
  });

  it('reports a denial', async () => {
    const tool = make('x', () => Promise.reject(new ToolDenied('not allowed')));
    const [delivered] = await runCalls(set([tool]), [call('1', 'x')]);
    expect(delivered?.outcome).toEqual({ status: 'denied', content: '{"error":"not allowed"}' });
  });

  verifies('TOOLX-6', 'always returns well-formed text', async () => {
    const tools = set([make('x', async () => 'a\ud800b\0'), make('y', async () => ({ text: '\udc00' }))]);
    const delivered = await runCalls(tools, [call('1', 'x'), call('2', 'y')]);
    expect(contents(delivered)).toEqual(['a\ufffdb␀', '{"text":"\\udc00"}']);
    for (const content of contents(delivered)) expect(content.isWellFormed()).toBe(true);
  });

  it('forwards progress, and treats a result with an error field as an error', async () => {
    const tool = make('x', async (_args, { progress }) => {
      progress('half way');
      return { error: 'no luck' };
    });
    const context = recordedContext();
    const [delivered] = await runCalls(set([tool]), [call('1', 'x')], context);
    expect(context.progress.join('')).toBe('half way');
    expect(delivered?.outcome).toEqual({ status: 'error', content: '{"error":"no luck"}' });
  });

  it('ignores a progress receiver that throws', async () => {
    const tool = make('x', async (_args, { progress }) => {
      progress('half way');
      return 'done';
    });
    const fail = () => {
      throw new Error('screen gone');
    };
    const context = recordedContext({ onProgress: fail });
    expect(contents(await runCalls(set([tool]), [call('1', 'x')], context))).toEqual(['done']);
    const worse = recordedContext({ onStarted: fail });
    const [delivered] = await runCalls(set([tool]), [call('1', 'x')], worse);
    expect(delivered?.outcome).toMatchObject({ status: 'error', content: expect.stringContaining('screen gone') });
  });

  verifies('TOOLX-5', 'fails without an agent if the tool needs one', async () => {
    const tools = set([
      make('state', async (_args, context) => ({ todos: requireAgent(context, 'state').todos })),
      make('plain', async ({ text }) => text),
    ]);
    const refused = await tools.dispatchWithoutAgent('state', {});
    expect(refused.status).toBe('error');
    expect(JSON.parse(refused.content)).toEqual({ error: expect.stringContaining('state of an agent') });
    expect(await tools.dispatchWithoutAgent('plain', { text: 'hi' })).toEqual({ status: 'ok', content: 'hi' });
    expect(await tools.dispatchWithoutAgent('none', {})).toMatchObject({ status: 'invalid' });
    expect(contents(await runCalls(tools, [call('1', 'state')]))).toEqual(['{"todos":[]}']);
  });
});

describe('a long result', () => {
  verifies(
    ['TOOLX-6', 'STORE-8'],
    'is truncated with a notice that names a private file with the full text',
    async () => {
      const folder = await mkdtemp(join(tmpdir(), 'hermes-spill-'));
      try {
        const whole = `start ${'x'.repeat(120_000)} end`;
        const spillFolder = join(folder, 'spill');
        const [delivered] = await runCalls(set([make('x', async () => whole)], { spillFolder }), [call('1', 'x')]);
        const content = delivered?.outcome.content ?? '';
        expect(content.length).toBeLessThanOrEqual(100_000);
        expect(content.startsWith('start')).toBe(true);
        expect(content.endsWith('end')).toBe(true);
        // The file is in the session's directory, so it is deleted with the session.
        const own = join(spillFolder, 'session');
        const [file = ''] = await readdir(own);
        expect(content).toContain(join(own, file));
        expect(await readFile(join(own, file), 'utf8')).toBe(whole);
        expect((await stat(join(own, file))).mode & 0o777).toBe(0o600);
        expect((await stat(own)).mode & 0o777).toBe(0o700);
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
  );

  verifies('TOOLX-6', 'has a lower limit in a small context window', async () => {
    const tool = make('x', async ({ text }) => 'y'.repeat(Number(text)));
    const tools = set([tool], { contextLength: 1_000_000 });
    const calls = [call('1', 'x', { text: '9600' }), call('2', 'x', { text: '9601' })];
    const delivered = await runCalls(tools, calls, recordedContext({ contextLength: 16_000 }));
    expect(delivered[0]?.outcome.content).toHaveLength(9600);
    expect(delivered[1]?.outcome.content).toContain('characters omitted. The full text was not saved.');
  });

  verifies(['TOOLX-6', 'CALL-6'], 'is limited for the model of the current request', async () => {
    const seen: number[] = [];
    const tool = make('x', async (_args, { maxResultCharacters }) => {
      seen.push(maxResultCharacters);
      return 'y'.repeat(100_000);
    });
    const tools = set([tool], { contextLength: 16_000 });
    const lengths: number[] = [];
    for (const contextLength of [1_000_000, 16_000, undefined]) {
      const [delivered] = await runCalls(tools, [call('1', 'x')], recordedContext({ contextLength }));
      lengths.push(delivered?.outcome.content.length ?? 0);
    }
    expect(seen).toEqual([100_000, 9600, 100_000]);
    expect(lengths[0]).toBe(100_000);
    expect(lengths[1]).toBeLessThanOrEqual(9600);
    expect(lengths[2]).toBe(100_000);
    await tools.dispatchWithoutAgent('x', {});
    expect(seen.at(-1)).toBe(9600);
  });

  it('is still returned if it cannot be saved', async () => {
    const tool = make('x', async () => 'y'.repeat(200_000));
    const [delivered] = await runCalls(set([tool], { spillFolder: '/dev/null/nowhere' }), [call('1', 'x')]);
    expect(delivered?.outcome).toMatchObject({ status: 'ok', content: expect.stringContaining('was not saved') });
  });
});
