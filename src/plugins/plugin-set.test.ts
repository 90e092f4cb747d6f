import { describe, expect, it } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import { usePlugins } from './plugins.fixture.ts';
import { createTurnHooks } from './turn-hooks.ts';

const fixture = usePlugins();
const TOOL = "{ name: 'hello', description: 'says hello', parameters: { type: 'object' }, run: async () => 'hello' }";
const CALL = {
  callId: 'c',
  toolName: 'terminal',
  args: {},
  sessionId: 's',
  taskId: 't',
  readOnly: false,
  signal: new AbortController().signal,
};

describe('loading plugins', () => {
  verifies(
    'SURF-9',
    'accepts tools, hooks, commands, context engines and memory providers, with config and logger',
    async () => {
      await fixture.plugin(
        'all',
        'provides_tools: [hello]\nprovides_hooks: [pre_tool_call]\nprovides_commands: [greet]\n' +
          'provides_context_engines: [mine]\nprovides_memory_providers: [notes]\nrequires_env: [NOTES_KEY]\n',
        `export async function register(host) {
        host.registerTool(${TOOL});
        host.registerHook('pre_tool_call', async ({ toolName }) => ({ block: toolName + ' ' + host.config.word }));
        host.registerCommand({ name: 'greet', about: 'greets', run: () => host.variable('NOTES_KEY') + host.variable('OTHER') });
        host.registerContextEngine('mine', () => ({}));
        host.registerMemoryProvider('notes', () => ({}));
        host.logger.warn('registered', { folder: host.plugin.folder });
      }`,
      );
      const variables = { NOTES_KEY: 'abc', OTHER: 'secret' };
      const set = await fixture.open({ enabled: ['all'], config: { all: { word: 'no' } } }, { variables });
      await set.whenReadyForRequest();
      expect(set.warnings()).toEqual([]);
      expect(set.tools()).toMatchObject([{ plugin: 'all', tool: { name: 'hello' } }]);
      expect(await set.hooks()[0]?.preToolCall?.(CALL)).toEqual({ block: 'terminal no' });
      const [command] = set.commands();
      // The host does not return a variable that the manifest does not declare.
      expect(command?.command.run('', {} as never)).toBe('abcundefined');
      expect(Object.keys(set.contextEngines())).toEqual(['mine']);
      expect(Object.keys(set.memoryProviders())).toEqual(['notes']);
      expect(fixture.log).toEqual([expect.stringMatching(/registered .*"plugin":"all"/)]);
    },
  );

  verifies(
    'SURF-9',
    'skips a plugin that fails in any way, reports what, where and what to do, and loads the others',
    async () => {
      const bad: Record<string, [module: string, reason: RegExp, manifest?: string]> = {
        throws: ["throw new Error('boom')", /boom/],
        rejects: ["export const register = async () => { throw new TypeError('later') }", /later/],
        syntax: ['export function register( {', /./],
        silent: ['export const other = 1', /does not export a function `register`/],
        imports: ["import 'a-package-that-nobody-has'; export const register = () => {}", /a-package-that-nobody-has/],
        needy: [
          'export const register = () => {}',
          /requires the environment variable SOME_KEY/,
          'requires_env: [SOME_KEY]\n',
        ],
        newer: ['export const register = () => {}', /requires Hermes 9 or newer/, 'requires_hermes: 9\n'],
        half: [
          `export const register = (host) => { host.registerTool(${TOOL}); throw new Error('half') }`,
          /half/,
          'provides_tools: [hello]\n',
        ],
      };
      for (const [name, [module, , manifest = '']] of Object.entries(bad)) await fixture.plugin(name, manifest, module);
      await fixture.plugin(
        'good',
        'provides_tools: [hello]\n',
        `export const register = (host) => host.registerTool(${TOOL})`,
      );
      const enabled = [...Object.keys(bad), 'gone', 'good'];
      const set = await fixture.open({ enabled }, { hostVersion: '1.0.0' });
      await set.whenLoaded();
      for (const [name, [, reason]] of Object.entries(bad)) {
        const { state, fault } = set.plugins().find((plugin) => plugin.name === name) ?? {};
        expect([name, state, fault]).toEqual([
          name,
          'faulty',
          expect.objectContaining({ reason: expect.stringMatching(reason), location: expect.stringContaining(name) }),
        ]);
        expect(set.warnings().filter((warning) => warning.startsWith(`Plugin ${name} (`))).toHaveLength(1);
      }
      // A plugin that failed while registering leaves no registrations.
      expect(set.tools()).toMatchObject([{ plugin: 'good' }]);
    },
  );

  verifies('SURF-9', 'skips a plugin that hangs while loading', async () => {
    await fixture.plugin('hangs', '', 'export const register = () => new Promise(() => {})');
    const set = await fixture.open({ enabled: ['hangs'] }, { loadMs: 50 });
    await set.whenLoaded();
    expect(set.plugins()).toMatchObject([
      {
        name: 'hangs',
        state: 'faulty',
        fault: { reason: expect.stringContaining('loading it timed out after 0.05 s') },
      },
    ]);
    expect(set.warnings()).toHaveLength(1);
  });

  verifies(
    'SURF-9',
    'rejects registrations that are duplicate, invalid, late or not declared in the manifest',
    async () => {
      await fixture.plugin(
        'much',
        'provides_tools: [hello, bad, worse]\nprovides_commands: [greet]\nprovides_hooks: [on_session_end]\n',
        `export function register(host) {
        host.registerTool(${TOOL});
        host.registerTool(${TOOL});
        host.registerTool({ name: 'secret', description: 'x', parameters: {}, run: async () => '' });
        host.registerTool({ name: 'bad', description: '', parameters: {}, run: async () => '' });
        host.registerTool({ name: 'worse', description: 'x', parameters: {} });
        host.registerTool(undefined);
        host.registerHook('pre_tool_call', async () => {});
        host.registerHook('on_session_end', 'no function');
        host.registerCommand({ name: 'greet' });
        queueMicrotask(() => queueMicrotask(() => setImmediate(() => host.registerCommand({ name: 'greet', about: '', run() {} }))));
      }`,
      );
      const set = await fixture.open({ enabled: ['much'] });
      await set.whenLoaded();
      await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
      const warnings = set.warnings().join('\n');
      expect(warnings).toMatch(/tool "hello" was rejected: it is already registered/);
      expect(warnings).toMatch(/tool "secret" was rejected: the manifest does not list it in provides_tools/);
      expect(warnings).toMatch(/tool "bad" was rejected: it has no description/);
      expect(warnings).toMatch(/tool "worse" was rejected: it has no function `run`/);
      expect(warnings).toMatch(/tool without a name was rejected/);
      expect(warnings).toMatch(/hook "pre_tool_call" was rejected: the manifest/);
      expect(warnings).toMatch(/hook "on_session_end" was rejected: its handler is not a function/);
      expect(warnings).toMatch(/command "greet" was rejected: it has no function `run`/);
      expect(warnings).toMatch(/command "greet" was rejected: register\(\) has already ended/);
      expect([set.tools().length, set.commands().length]).toEqual([1, 0]);
    },
  );

  it('uses the first of two engines or providers with the same name', async () => {
    for (const name of ['first', 'second'])
      await fixture.plugin(
        name,
        'provides_context_engines: [mine]\n',
        `export const register = (host) => host.registerContextEngine('mine', () => '${name}')`,
      );
    const set = await fixture.open({ enabled: ['first', 'second'] });
    await set.whenLoaded();
    expect(set.contextEngines()['mine']?.({} as never)).toBe('first');
    expect(set.warnings()).toEqual(['Plugin second: "mine" is already registered by first, which is used.']);
  });
});

describe('hooks of plugins', () => {
  verifies('SURF-9', 'that throw, time out or return nonsense are logged once and skipped', async () => {
    const events = 'provides_hooks: [pre_tool_call, transform_tool_result, pre_llm_call]\n';
    const hook = (event: string, code: string) => `host.registerHook('${event}', async () => { ${code} });`;
    await fixture.plugin(
      'stuck',
      events,
      `export function register(host) { ${hook('pre_tool_call', 'await new Promise(() => {})')} }`,
    );
    await fixture.plugin(
      'rude',
      events,
      `export function register(host) { ${hook('pre_tool_call', "throw new Error('rude')")} }`,
    );
    await fixture.plugin(
      'odd',
      events,
      `export function register(host) {
        ${hook('pre_tool_call', 'return { block: 5 }')} ${hook('transform_tool_result', 'return {}')}
        ${hook('pre_llm_call', "return 'text'")} ${hook('pre_llm_call', "return { context: ' It rains. ' }")}
      }`,
    );
    const set = await fixture.open({ enabled: ['stuck', 'rude', 'odd'] }, { hookMs: 50 });
    await set.whenReadyForRequest();
    for (let round = 0; round < 2; round += 1)
      for (const one of set.hooks()) {
        expect(await one.preToolCall?.(CALL)).toBeUndefined();
        expect(await one.transformToolResult?.(CALL, 'text')).toBeUndefined();
      }
    expect(fixture.log.filter((line) => line.includes('a hook failed'))).toEqual([
      expect.stringMatching(/"hook":"stuck".*timed out after 0\.05 s/),
      expect.stringMatching(/"hook":"rude".*rude/),
    ]);
    const turn = { sessionId: 's', taskId: 't', userMessage: 'u', provider: 'p', model: 'm', isFirstTurn: true };
    expect(await createTurnHooks(set.hooks).beforeTurn(turn)).toBe('It rains.');
  });

  it('add only a limited amount of text to a message', async () => {
    const hooks = [1, 2, 3].map((index) => ({
      name: 'h',
      preModelTurn: async () => ({ context: `${index}`.repeat(8_000) }),
    }));
    const turn = { sessionId: 's', taskId: 't', userMessage: 'u', provider: 'p', model: 'm', isFirstTurn: true };
    expect((await createTurnHooks(() => hooks).beforeTurn(turn))?.length).toBeLessThan(10_200);
  });

  it('are awaited at exit, but only for a limited time', async () => {
    let [done, open] = [0, () => {}];
    const gate = new Promise<void>((resolve) => (open = resolve));
    const hooks = createTurnHooks(() => [{ name: 'h', sessionEnd: () => gate.then(() => void (done += 1)) }]);
    hooks.sessionEnded({ sessionId: 's', source: 'cli', reason: 'user_exit' });
    await hooks.settled(10);
    expect(done).toBe(0);
    open();
    await hooks.settled(60_000);
    expect(done).toBe(1);
  });
});
