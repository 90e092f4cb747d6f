import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { verifies } from '../../test/spec/verifies.ts';
import { call, noEnvironment, recordedContext, runCalls } from './batch.fixture.ts';
import type { ToolSpecification } from './define-tool.ts';
import { createLazyTool, createToolSet, defineTool, type Tool, type ToolSource } from './index.ts';

const parameters = z.object({ text: z._default(z.string(), '') });
type Specification = ToolSpecification<typeof parameters>;

function make(name: string, more: Partial<Specification> = {}): Tool {
  const base = { name, toolset: 'test', description: `Does ${name}.`, parameters };
  return defineTool({
    ...base,
    concurrency: { mode: 'parallel' },
    run: async ({ text }) => `${name} ${text}`,
    ...more,
  });
}
const source = (kind: ToolSource['kind'], tools: Tool[], name: string = kind): ToolSource => ({
  name,
  kind,
  tools: () => tools,
});
const contents = (delivered: { outcome: { content: string } }[]) => delivered.map(({ outcome }) => outcome.content);

function recordingLogger() {
  const warnings: string[] = [];
  const note = (message: string, fields: object = {}) => warnings.push(`${message} ${JSON.stringify(fields)}`);
  return { warnings, logger: { debug() {}, info() {}, warn: note, error: note } };
}

describe('third-party tools', () => {
  verifies('TOOL-1', 'come after built-in ones, MCP before plugins; the later of two wins with a warning', async () => {
    const { warnings, logger } = recordingLogger();
    const sources = [
      source('plugin', [make('both', { run: async () => 'plugin' })]),
      source('mcp', [make('both', { run: async () => 'server' }), make('other')]),
    ];
    const tools = createToolSet({ tools: [make('own')], sources, environment: noEnvironment, logger });
    expect((await tools.definitions()).slice(0, 3).map(({ name }) => name)).toEqual(['own', 'both', 'other']);
    expect(contents(await runCalls(tools, [call('1', 'both')]))).toEqual(['plugin']);
    // The conflict is logged once, not with every request.
    expect(warnings).toEqual([expect.stringContaining('two tools have the same name')]);
  });

  it('are described by name even if they are not offered', async () => {
    const sources = [source('mcp', [make('hidden', { onDemand: true })])];
    const tools = createToolSet({ tools: [make('own')], sources, environment: noEnvironment });
    const offered = (await tools.definitions()).map(({ name }) => name);
    expect(offered).not.toContain('hidden');
    const described = await tools.describe?.(['hidden', 'own', 'nobody']);
    expect(described?.map(({ name, description }) => [name, description])).toEqual([
      ['own', 'Does own.'],
      ['hidden', 'Does hidden.'],
    ]);
  });

  verifies('TOOL-1', 'replace a built-in tool only if allowed', async () => {
    for (const [replaceable, expected] of [
      [[], 'built-in'],
      [['own'], 'plugin'],
    ] as const) {
      const { warnings, logger } = recordingLogger();
      const own = make('own', { run: async () => 'built-in' });
      const sources = [source('plugin', [make('own', { run: async () => 'plugin' })])];
      const tools = createToolSet({ tools: [own], sources, replaceable, environment: noEnvironment, logger });
      expect(contents(await runCalls(tools, [call('1', 'own')]))).toEqual([expected]);
      expect(warnings).toHaveLength(1);
    }
  });

  verifies('TOOL-1', 'are logged and skipped if they cannot be listed or loaded', async () => {
    const { warnings, logger } = recordingLogger();
    const failing: ToolSource = {
      name: 'bad',
      kind: 'plugin',
      tools() {
        throw new Error('broken manifest');
      },
    };
    const definition = () => ({ name: 'broken', description: '', parameters: { type: 'object' } });
    const broken = createLazyTool({
      name: 'broken',
      toolset: 'test',
      concurrency: 'parallel',
      definition,
      load: () => Promise.reject(new SyntaxError('bad module')),
    });
    const tools = createToolSet({
      tools: [broken, make('fine')],
      sources: [failing],
      environment: noEnvironment,
      logger,
    });
    const delivered = await runCalls(tools, [call('1', 'broken'), call('2', 'fine')]);
    expect(delivered.map(({ outcome }) => outcome.status)).toEqual(['invalid', 'ok']);
    expect(contents(delivered)[0]).toContain('could not be loaded');
    expect(warnings.join('\n')).toMatch(/could not list the tools of a source.*broken manifest/);
    expect(warnings.join('\n')).toMatch(/could not load a tool/);
  });
});

describe('tools with an availability check', () => {
  verifies('TOOL-2', 'are not offered if their check fails or times out', async () => {
    const slept: number[] = [];
    const clock = { now: () => 0, sleep: async (milliseconds: number) => void slept.push(milliseconds) };
    const tools = createToolSet({
      tools: [
        make('there', { isAvailable: async () => true }),
        make('gone', { isAvailable: async () => ({ reason: 'not installed' }) }),
        make('fails', { isAvailable: () => Promise.reject(new Error('no')) }),
        make('silent', { isAvailable: () => new Promise(() => undefined) }),
        make('keyless', { requiredVariables: ['SOME_KEY'] }),
        make('keyed', { requiredVariables: ['OTHER_KEY'] }),
      ],
      variables: { OTHER_KEY: 'x', SOME_KEY: '' },
      environment: noEnvironment,
      clock,
    });
    expect(await tools.names()).toEqual(['there', 'keyed']);
    expect((await tools.definitions()).map(({ name }) => name)).toEqual(['there', 'keyed']);
    expect(slept).toContain(2000);
  });

  verifies('TOOL-2', 'are checked once per call, and again for the next', async () => {
    let asked = 0;
    let there = true;
    const tool = make('x', {
      isAvailable: () => {
        asked += 1;
        return there ? true : { reason: 'the service is down' };
      },
    });
    const tools = createToolSet({ tools: [tool], environment: noEnvironment });
    await tools.names();
    await tools.definitions();
    expect(asked).toBe(1);
    await tools.prepare([call('1', 'x'), call('2', 'x', { text: 'b' })]);
    expect(asked).toBe(2);
    there = false;
    // The offered definitions stay identical; the call reports that the tool is gone.
    expect((await tools.definitions()).map(({ name }) => name)).toEqual(['x']);
    const [delivered] = await runCalls(tools, [call('3', 'x')]);
    expect(delivered?.outcome).toMatchObject({
      status: 'invalid',
      content: expect.stringContaining('the service is down'),
    });
  });
});

describe('a tool description', () => {
  verifies('TOOL-4', 'names another tool only if it is present, also in parameters', async () => {
    const described = make('told', {
      description: 'Runs code. {{web: Call web from it.}} {{files: Call files from it.}} Slow.',
      parameters: z.object({
        text: z._default(z.string().check(z.describe('what to run{{web: , with web at hand}}')), ''),
      }),
    });
    const describe_ = async (others: Tool[]) => {
      const set = createToolSet({ tools: [described, ...others], environment: noEnvironment });
      return JSON.stringify((await set.definitions())[0]);
    };
    const alone = await describe_([]);
    expect(alone).toContain('Runs code. Slow.');
    expect(alone).toContain('"what to run"');
    const withWeb = await describe_([make('web')]);
    expect(withWeb).toContain('Runs code. Call web from it. Slow.');
    expect(withWeb).toContain('what to run , with web at hand');
    expect(await describe_([make('web', { isAvailable: () => false })])).toBe(alone);
  });

  it('of a third-party tool is not expanded', async () => {
    const sources = [source('mcp', [make('template', { description: 'Fills in {{name: value}}.' })])];
    const tools = createToolSet({ tools: [], sources, environment: noEnvironment });
    expect((await tools.definitions())[0]?.description).toBe('Fills in {{name: value}}.');
  });
});

describe('the tool bridge', () => {
  const many = (count: number) =>
    Array.from({ length: count }, (_, index) =>
      make(`issue_${index}`, {
        toolset: 'mcp-tracker',
        description: `Handles issues of kind ${index}. ${'x'.repeat(200)}`,
      }),
    );
  const names = async (
    tools: { definitions(window?: number): Promise<readonly { name: string }[]> },
    window?: number,
  ) => (await tools.definitions(window)).map(({ name }) => name);
  const BRIDGE = ['tool_search', 'tool_describe', 'tool_call'];

  verifies('TOOL-8', 'is used if third-party definitions exceed 5 % of the context window', async () => {
    const set = (count: number) =>
      createToolSet({ tools: [make('own')], sources: [source('mcp', many(count))], environment: noEnvironment });
    expect(await names(set(3), 128_000)).toEqual(['own', 'issue_0', 'issue_1', 'issue_2', ...BRIDGE]);
    expect(await names(set(60), 16_000)).toEqual(['own', ...BRIDGE]);
    expect(await names(set(60), 1_000_000)).toHaveLength(64);
    expect(await names(createToolSet({ tools: [make('own')], environment: noEnvironment }))).toEqual(['own']);
    const onDemand = createToolSet({
      tools: [make('own'), make('rare', { onDemand: true })],
      environment: noEnvironment,
    });
    expect(await names(onDemand)).toEqual(['own', ...BRIDGE]);
  });

  it('checks availability only for calls that may need it', async () => {
    let looks = 0;
    const isAvailable = async () => ++looks > 0;
    const rare = make('rare', { onDemand: true, isAvailable });
    const tools = createToolSet({ tools: [make('own'), make('second'), rare], environment: noEnvironment });
    await tools.definitions();
    looks = 0;
    await tools.prepare([call('1', 'own'), call('2', 'second')]);
    expect(looks).toBe(0);
    const through = call('2', 'tool_call', '{"name":"rare"}');
    for (const about of [through, call('2', 'rare'), call('2', 'Rare')]) {
      const prepared = await tools.prepare([call('1', 'own'), about]);
      expect(prepared.map((each) => each.status === 'ready' && each.toolName)).toEqual(['own', 'rare']);
    }
    expect(looks).toBe(3);
  });

  verifies('TOOL-4', 'describes built-in tools with the passages for the present tools', async () => {
    const description = 'Rare. {{other: See also other.}} {{gone: Never said.}}';
    const rare = make('rare', { onDemand: true, description });
    const tools = [make('own'), rare, make('other', { onDemand: true })];
    const foreign = make('foreign', { description: 'Of others {{gone: with braces of their own}}.', onDemand: true });
    const set = createToolSet({ tools, sources: [source('mcp', [foreign])], environment: noEnvironment });
    await names(set);
    const described = await runCalls(set, [
      call('1', 'tool_describe', { name: 'rare' }),
      call('2', 'tool_search', { query: 'rare' }),
      call('3', 'tool_describe', { name: 'foreign' }),
    ]);
    const [one = '', two = '', three = ''] = contents(described);
    expect(one).toContain('"Rare. See also other."');
    expect(two).not.toContain('{{');
    expect(three).toContain('{{gone: with braces of their own}}');
  });

  verifies('TOOL-8', 'reaches the tools of a source that was not ready for the first offer', async () => {
    const live: Tool[] = [];
    const soon = Promise.withResolvers<void>();
    const sources: ToolSource[] = [{ name: 'live', kind: 'mcp', tools: () => [...live], ready: () => soon.promise }];
    const tools = createToolSet({ tools: [make('own')], sources, environment: noEnvironment });
    const offered = names(tools);
    live.push(make('in_time'));
    soon.resolve();
    expect(await offered).toEqual(['own', 'in_time', ...BRIDGE]);
    live.push(make('too_late'));
    expect(await names(tools)).toEqual(['own', 'in_time', ...BRIDGE]);
    expect(contents(await runCalls(tools, [call('1', 'tool_call', { name: 'too_late' })]))).toEqual(['too_late ']);
  });

  verifies(
    'TOOL-8',
    'is not offered because of a dormant source, whose tools can be called once it has some',
    async () => {
      const live: Tool[] = [];
      const sources: ToolSource[] = [{ name: 'live', kind: 'mcp', isDormant: true, tools: () => [...live] }];
      const tools = createToolSet({ tools: [make('own')], sources, environment: noEnvironment });
      expect(await names(tools)).toEqual(['own']);
      live.push(make('later'));
      expect(await names(tools)).toEqual(['own']);
      expect(contents(await runCalls(tools, [call('1', 'later', { text: 'x' })]))).toEqual(['later x']);
    },
  );

  verifies('TOOL-8', 'is mentioned when an offered tool has disappeared', async () => {
    const live = [make('weather_now')];
    const sources: ToolSource[] = [{ name: 'live', kind: 'mcp', tools: () => [...live] }];
    const own = [make('own'), make('rare', { onDemand: true })];
    const tools = createToolSet({ tools: own, sources, environment: noEnvironment });
    expect(await names(tools)).toEqual(['own', 'weather_now', ...BRIDGE]);
    live.pop();
    const [gone] = await runCalls(tools, [call('1', 'weather_now')]);
    expect(gone?.outcome.content).toContain('Find more tools with tool_search.');
    expect(contents(await runCalls(tools, [call('1', 'tool_search')]))[0]).toMatch(/^rare: /);
    expect(contents(await runCalls(tools, [call('1', 'tool_describe', { name: 'rare' })]))[0]).toMatch(
      /^\{"name":"rare"/,
    );
  });

  verifies('TOOL-8', 'reaches tools that appear later, while the definitions stay identical', async () => {
    const live: Tool[] = [];
    const sources: ToolSource[] = [{ name: 'live', kind: 'mcp', tools: () => [...live] }];
    const tools = createToolSet({ tools: [make('own')], sources, environment: noEnvironment });
    const sent = JSON.stringify(await tools.definitions(100_000));
    const same = async () => expect(JSON.stringify(await tools.definitions(100_000))).toBe(sent);
    expect(contents(await runCalls(tools, [call('1', 'tool_search', { query: '' })]))[0]).toBe(
      'There are no further tools at the moment.',
    );
    live.push(make('weather_now', { toolset: 'mcp-weather', description: 'Tells the weather. In detail.' }));
    await same();
    const delivered = await runCalls(tools, [
      call('1', 'tool_search', { query: 'Weather' }),
      call('2', 'tool_describe', { name: 'weather_now' }),
      call('3', 'tool_call', { name: 'weather_now', arguments: { text: 'here' } }),
      call('4', 'tool_call', { name: 'weather_now', arguments: '{"text": "there"}' }),
      call('5', 'weather_now', { text: 'directly' }),
      call('6', 'tool_search', { query: 'nothing like it' }),
    ]);
    expect(contents(delivered)[0]).toContain('weather_now: Tells the weather.');
    expect(contents(delivered)[1]).toContain('"properties":{"text"');
    expect(contents(delivered).slice(2, 5)).toEqual(['weather_now here', 'weather_now there', 'weather_now directly']);
    expect(contents(delivered)[5]).toContain('No tool matches');
    live.pop();
    await same();
    const [gone] = await runCalls(tools, [call('1', 'tool_call', { name: 'weather_now' })]);
    expect(gone?.outcome).toMatchObject({
      status: 'invalid',
      content: expect.stringContaining(
        'Find the name with tool_search. Tools in your own tool list are called directly, without tool_call.',
      ),
    });
  });

  verifies('TOOL-8', 'applies hooks, validation and scheduling of the tool that is called', async () => {
    const seen: string[] = [];
    const hooks = [
      {
        name: 'policy',
        preToolCall: async ({ toolName }: { toolName: string }) => {
          seen.push(toolName);
          return toolName === 'forbidden' ? { block: 'not this one' } : undefined;
        },
      },
    ];
    const strict = defineTool({
      name: 'strict',
      toolset: 'test',
      description: '',
      parameters: z.object({ text: z.string() }),
      concurrency: { mode: 'parallel' },
      run: async ({ text }) => text,
    });
    const sources = [source('plugin', [make('forbidden'), strict])];
    const tools = createToolSet({ tools: [], sources, hooks, environment: noEnvironment });
    const context = recordedContext();
    const delivered = await runCalls(
      tools,
      [
        call('1', 'tool_call', { name: 'forbidden' }),
        call('2', 'tool_call', { name: 'strict', arguments: {} }),
        call('3', 'tool_call', { name: 'tool_call', arguments: {} }),
        call('4', 'tool_call', { name: 7 }),
        call('5', 'tool_call', {}),
      ],
      context,
    );
    expect(seen).toEqual(['forbidden']);
    expect(delivered.map(({ outcome }) => outcome.status)).toEqual([
      'refused',
      'invalid',
      'invalid',
      'invalid',
      'invalid',
    ]);
    expect(contents(delivered)[1]).toContain('text is missing');
    expect(delivered[0]?.prepared).toMatchObject({ toolName: 'forbidden', call: { name: 'tool_call' } });
  });
});
