import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import type { Message } from '../../base/index.ts';
import { loadSettings } from '../../config/index.ts';
import { createScriptedModel, createTemporaryHome, type ModelScript, type TemporaryHome } from '../../testing/index.ts';
import { createRuntime, type Runtime, type RuntimeOptions } from '../index.ts';

const EXAMPLES = join(import.meta.dirname, '../../../examples');
/** What is sent to the model for a user message. */
const sentWith = (message: Message | undefined) =>
  message?.role === 'user' ? (message.sentContent ?? message.content) : undefined;
const call = (name: string, args: object) => ({ toolCalls: [{ name, arguments: args as Record<string, string> }] });

describe('plugins in a runtime', () => {
  let home: TemporaryHome;
  let runtime: Runtime | undefined;
  beforeEach(async () => {
    home = await createTemporaryHome();
  });
  afterEach(async () => {
    await runtime?.close();
    await home.remove();
  });

  async function plugin(name: string, manifest: string, module: string): Promise<void> {
    await home.write(`plugins/${name}/plugin.yaml`, `name: ${name}\n${manifest}`);
    await home.write(`plugins/${name}/index.mjs`, module);
  }

  async function open(script: ModelScript, config: string, changes: Partial<RuntimeOptions> = {}) {
    await home.write('config.yaml', config);
    const settings = await loadSettings({ home: home.path, env: {} });
    const client = createScriptedModel(script);
    const route = { provider: 'p', model: 'm', baseUrl: 'x://', apiMode: 'chat_completions', client } as const;
    const routes = [{ ...route, open: () => Promise.resolve({ ...route, contextLength: 200_000 }) }];
    const rest = { workingDirectory: home.workspace, source: 'cli', attended: false };
    runtime = await createRuntime({ settings, routes, ...rest, ...changes });
    return { runtime, client };
  }

  const results = (client: ReturnType<typeof createScriptedModel>) =>
    (client.requests.at(-1)?.messages ?? []).flatMap((message) => (message.role === 'tool' ? [message.content] : []));

  verifies('SURF-9', 'the example plugin works as a folder: a tool, a blocking hook, context, a command', async () => {
    await cp(join(EXAMPLES, 'plugin-word-count'), join(home.path, 'plugins', 'word-count'), { recursive: true });
    const { runtime: own, client } = await open(
      [
        call('count_words', { text: 'one two three' }),
        call('read_file', { path: '/secret/plans.txt' }),
        call('count_words', { text: 5 }),
        { text: 'three' },
      ],
      'plugins:\n  enabled: [word-count]\n  config:\n    word-count: { private_folder: /secret, weekday: true }\n',
    );
    const { agent } = await own.openAgent();
    expect(await agent.chat('how many words?')).toBe('three');
    const names = client.requests[0]?.tools?.map(({ name }) => name) ?? [];
    expect(names).toContain('count_words');
    expect(results(client)).toEqual([
      '{"words":3}',
      expect.stringContaining('/secret is private.'),
      expect.stringMatching(/text|words/),
    ]);
    const sent = sentWith(client.requests[0]?.messages.at(-1));
    expect(sent).toMatch(/^how many words\?\n\n\[Added by a hook that the user configured[^]*Today is \w+day\.\n\[End/);
    // The stored user message is unchanged, and the sent text is repeated byte for byte.
    const [first] = await own.store.getMessages(agent.sessionId);
    expect(first?.message.content).toBe('how many words?');
    expect(sentWith(client.requests[3]?.messages[0])).toBe(sent);
    expect(own.plugins.commands()[0]?.command.run('a b', {} as never)).toBe('2 words');
    expect(own.warnings()).toEqual([]);
  });

  verifies('SURF-9', 'the example plugin works as a package', async () => {
    const target = join(home.path, 'plugins', 'node_modules', 'hermes-plugin-dice');
    await cp(join(EXAMPLES, 'plugin-package'), target, { recursive: true });
    const script = [call('throw_dice', { count: 3 }), call('throw_dice', { count: 300 }), { text: 'thrown' }];
    const { runtime: own, client } = await open(script, 'plugins: { packages: [hermes-plugin-dice] }\n');
    await (await own.openAgent()).agent.chat('throw');
    expect(results(client)).toEqual([
      expect.stringMatching(/^\[[1-6],[1-6],[1-6]\]$/),
      expect.stringContaining('between 1 and 100'),
    ]);
  });

  verifies('SURF-9', 'hooks are called for sessions, turns, requests and tool calls, in order', async () => {
    const log = join(home.path, 'heard');
    await plugin(
      'ear',
      'provides_hooks: [on_session_start, on_session_end, pre_llm_call, post_llm_call, pre_api_request, post_api_request, post_tool_call]\n',
      `import { appendFileSync } from 'node:fs';
      const say = (event) => async (...args) => appendFileSync(${JSON.stringify(log)}, JSON.stringify([event, ...args]) + '\\n');
      export function register(host) {
        for (const event of ['on_session_start', 'on_session_end', 'pre_llm_call', 'post_llm_call', 'pre_api_request', 'post_api_request', 'post_tool_call'])
          host.registerHook(event, say(event));
      }`,
    );
    const { runtime: own } = await open(
      [call('todo', {}), { text: 'done' }, { text: 'again' }],
      'plugins: { enabled: [ear] }\n',
    );
    const { agent } = await own.openAgent();
    await agent.chat('one');
    await agent.chat('two');
    await own.store.endSession(agent.sessionId, 'user_exit');
    await own.close();
    const heard = (await readFile(log, 'utf8'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as [string, object, object?]);
    const request = ['pre_api_request', 'post_api_request'];
    expect(heard.map(([event]) => event)).toEqual([
      ...['on_session_start', 'pre_llm_call', ...request, 'post_tool_call', ...request, 'post_llm_call'],
      ...['pre_llm_call', ...request, 'post_llm_call', 'on_session_end'],
    ]);
    expect(heard[1]?.[1]).toMatchObject({ userMessage: 'one', model: 'm', isFirstTurn: true });
    expect(heard[3]?.[2]).toMatchObject({ status: 'ok', toolCalls: 1 });
    expect(heard[7]?.[1]).toMatchObject({ answer: 'done', exitReason: 'completed' });
    expect(heard[8]?.[1]).toMatchObject({ userMessage: 'two', isFirstTurn: false });
    runtime = undefined;
  });

  verifies(
    'TOOL-1',
    'a plugin replaces a built-in tool only if the configuration allows it, and ranks after MCP servers',
    async () => {
      const tool = (name: string) =>
        `host.registerTool({ name: '${name}', description: 'mine', parameters: { type: 'object' }, run: async () => 'of the plugin' });`;
      await plugin(
        'other',
        'provides_tools: [todo, shared]\n',
        `export function register(host) { ${tool('todo')} ${tool('shared')} }`,
      );
      for (const [config, expected] of [
        ['plugins: { enabled: [other] }\n', /^(?![^]*of the plugin)/],
        ['plugins: { enabled: [other] }\ntools: { allow_override: [todo] }\n', /of the plugin/],
      ] as const) {
        const { runtime: own, client } = await open([call('todo', {}), { text: 'done' }], config);
        await (await own.openAgent()).agent.chat('go');
        expect(results(client)[0]).toMatch(expected);
        await own.close();
      }
    },
  );

  it('marks plugin results as untrusted text, unless the plugin declares otherwise', async () => {
    const tool = (name: string, more = '') =>
      `host.registerTool({ name: '${name}', description: 'd', parameters: { type: 'object' }, ${more} run: async () => 'words' });`;
    await plugin(
      'web',
      'provides_tools: [fetched, own]\n',
      `export function register(host) { ${tool('fetched')} ${tool('own', 'outsideText: false,')} }`,
    );
    const script = [call('fetched', {}), call('own', {}), { text: 'done' }];
    const { runtime: own, client } = await open(script, 'plugins: { enabled: [web] }\n');
    await (await own.openAgent()).agent.chat('go');
    const [fetched, plain] = results(client);
    expect(fetched).not.toBe('words');
    expect(fetched).toContain('words');
    expect(plain).toBe('words');
  });

  it('runs only read-only tools in plan mode', async () => {
    const tool = (name: string, readOnly: boolean) =>
      `host.registerTool({ name: '${name}', description: 'd', parameters: { type: 'object' }, readOnly: ${readOnly}, outsideText: false, run: async () => 'ran' });`;
    await plugin(
      'plan',
      'provides_tools: [reads, writes]\n',
      `export function register(host) { ${tool('reads', true)} ${tool('writes', false)} }`,
    );
    const script = [call('reads', {}), call('writes', {}), { text: 'done' }];
    const { runtime: own, client } = await open(script, 'plugins: { enabled: [plan] }\n', { plan: true });
    await (await own.openAgent()).agent.chat('go');
    expect(results(client)).toEqual(['ran', expect.stringContaining('Plan mode')]);
  });

  it('uses a context engine and a memory provider named in the settings', async () => {
    await plugin(
      'parts',
      'provides_context_engines: [still]\nprovides_memory_providers: [notes]\n',
      `export function register(host) {
        host.registerContextEngine('still', () => ({ name: 'still', shouldCompress: () => false, compress: async () => undefined, allow() {} }));
        host.registerMemoryProvider('notes', () => ({ name: 'notes', isAvailable: async () => true, recall: async () => ['The cat is called Mia.'] }));
      }`,
    );
    const config = 'plugins: { enabled: [parts] }\ncontext: { engine: still }\nmemory: { provider: notes }\n';
    const { runtime: own, client } = await open([{ text: 'Mia' }], config);
    expect(own.warnings()).toEqual([]);
    await (await own.openAgent()).agent.chat('how is the cat called?');
    expect(sentWith(client.requests[0]?.messages.at(-1))).toContain('The cat is called Mia.');
  });

  it('continues without plugins that fail, and names them', async () => {
    await plugin('bad', 'provides_tools: [x]\n', "throw new Error('boom')");
    const { runtime: own, client } = await open(
      [{ text: 'here' }],
      'plugins: { enabled: [bad, gone] }\nbrowser: { enabled: false }\n',
    );
    expect(await (await own.openAgent()).agent.chat('hello')).toBe('here');
    expect(own.warnings()).toEqual([expect.stringMatching(/bad.*boom/), expect.stringMatching(/gone.*not installed/)]);
    // A plugin that adds nothing does not change the request.
    expect(client.requests[0]?.tools?.some(({ name }) => name === 'tool_search')).toBe(false);
  });

  verifies('TOOL-8', 'finds tools of a slow plugin by searching, without delaying the first request', async () => {
    const gate = Promise.withResolvers<void>();
    Object.assign(globalThis, { slowPlugin: gate.promise });
    await plugin(
      'slow',
      'provides_tools: [late_tool]\n',
      `export async function register(host) {
        await globalThis.slowPlugin;
        host.registerTool({ name: 'late_tool', description: 'comes late', parameters: { type: 'object' }, outsideText: false, run: async () => 'here' });
      }`,
    );
    const late = call('tool_call', { name: 'late_tool', arguments: {} });
    const { runtime: own, client } = await open(
      [{ text: 'one' }, late, { text: 'two' }],
      'plugins: { enabled: [slow] }\n',
    );
    const { agent } = await own.openAgent();
    await agent.chat('first');
    gate.resolve();
    await own.plugins.whenLoaded();
    await agent.chat('second');
    expect(results(client)).toEqual(['here']);
    expect(client.requests[0]?.tools).toEqual(client.requests[2]?.tools);
    Reflect.deleteProperty(globalThis, 'slowPlugin');
  });

  it('runs allowed shell hooks around the calls of an agent', async () => {
    const { allowHooks } = await import('../../plugins/index.ts');
    const config =
      "hooks:\n  pre_tool_call:\n    - { matcher: todo, command: 'echo no >&2; exit 2' }\n  pre_nothing:\n    - { command: x }\n";
    const first = await open([], config);
    expect(first.runtime.blueprint.settings.warnings).toEqual([
      expect.stringContaining('hooks.pre_nothing is ignored'),
    ]);
    await allowHooks(home.path, first.runtime.blueprint.settings.hooks ?? [], home.workspace);
    await first.runtime.close();
    const { runtime: own, client } = await open([call('todo', {}), { text: 'done' }], config);
    await (await own.openAgent()).agent.chat('go');
    expect(results(client)).toEqual(['{"error":"no"}']);
  });

  verifies('SURF-9', 'describes plugin tools from the cache, without running their code', async () => {
    const { inspectChosenTools, measureFixedCost } = await import('../index.ts');
    await plugin(
      'numbers',
      'provides_tools: [add_numbers]\n',
      `export function register(host) {
        host.registerTool({ name: 'add_numbers', description: 'Adds.', parameters: { type: 'object' }, run: async () => '1' });
      }`,
    );
    const { runtime: own } = await open([], 'plugins: { enabled: [numbers] }\n');
    const opened = await own.openAgent();
    const inSession = (await opened.inspectTools()).tools.find(({ name }) => name === 'add_numbers');
    expect(inSession).toMatchObject({ state: 'on', toolset: 'plugin-numbers' });
    await own.plugins.whenLoaded();
    await own.close();
    runtime = undefined;
    await home.write('plugins/numbers/index.mjs', "throw new Error('loaded')");
    const found = (await inspectChosenTools(own.blueprint.settings)).tools.find(({ name }) => name === 'add_numbers');
    expect(found).toMatchObject({ state: 'on', toolset: 'plugin-numbers', definition: { description: 'Adds.' } });
    const cost = await measureFixedCost(own.blueprint.settings, { workingDirectory: home.workspace });
    expect(cost.tools.map(({ name }) => name)).toContain('add_numbers');
    const off = {
      ...own.blueprint.settings,
      plugins: { enabled: [], disabled: [], packages: [], trustedProjectDirs: [], config: {} },
    };
    expect((await inspectChosenTools(off)).tools.some(({ name }) => name === 'add_numbers')).toBe(false);
    await home.write('cache/plugin-tools.json', '{"tools":[7,{"plugin":"numbers"}]}');
    expect((await inspectChosenTools(own.blueprint.settings)).tools.some(({ name }) => name === 'add_numbers')).toBe(
      false,
    );
  });

  it('shows the tool in use if two have the same name', async () => {
    const { inspectChosenTools } = await import('../index.ts');
    await plugin(
      'twice',
      'provides_tools: [todo, read_file]\n',
      `export function register(host) {
        for (const name of ['todo', 'read_file'])
          host.registerTool({ name, description: 'Of others.', parameters: { type: 'object' }, run: async () => '1' });
      }`,
    );
    const config = 'plugins: { enabled: [twice] }\ntools: { allow_override: [todo] }\n';
    const { runtime: own } = await open([], config);
    const { inspectTools } = await own.openAgent();
    await own.plugins.whenLoaded();
    const inSession = await inspectTools();
    await own.close();
    runtime = undefined;
    for (const { tools } of [inSession, await inspectChosenTools(own.blueprint.settings)]) {
      const found = tools.filter(({ name }) => name === 'todo' || name === 'read_file');
      expect(found.map(({ name, toolset }) => [name, toolset])).toEqual([
        ['read_file', 'file'],
        ['todo', 'plugin-twice'],
      ]);
    }
  });

  it('reads no folder and loads nothing if nothing is enabled', async () => {
    const marker = join(home.path, 'plugins/idle/index.mjs');
    await mkdir(dirname(marker), { recursive: true });
    await writeFile(join(dirname(marker), 'plugin.yaml'), 'name: idle\n');
    await writeFile(marker, "throw new Error('loaded')");
    const { runtime: own } = await open([{ text: 'x' }], 'plugins: { disabled: [idle] }\n');
    expect([own.plugins.list(), own.plugins.turnHooks, own.warnings()]).toEqual([[], undefined, []]);
  });
});
