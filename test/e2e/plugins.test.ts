import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { verifies } from '../spec/verifies.ts';
import { fullDoseOnly } from '../support/dose.ts';
import { useCliFixture } from '../support/cli-fixture.ts';
import { runHermes } from '../support/run-hermes.ts';
import { startTerminal } from '../support/terminal.ts';

const cli = useCliFixture();
const hermes = (args: string[], env: Record<string, string> = {}) => runHermes(args, { home: cli.home, env });
const EXAMPLES = join(import.meta.dirname, '../../examples');
const installExample = () =>
  cp(join(EXAMPLES, 'plugin-word-count'), join(cli.home.path, 'plugins', 'word-count'), { recursive: true });

async function plugin(name: string, manifest: string, module: string): Promise<void> {
  await cli.home.write(`plugins/${name}/plugin.yaml`, `name: ${name}\n${manifest}`);
  await cli.home.write(`plugins/${name}/index.mjs`, module);
}

type Sent = { messages: { role: string; content: string }[]; tools: { function: { name: string } }[] };

/** The newest chat request. */
const lastSent = () => ({ messages: [], tools: [], ...cli.server.requests.at(-1)?.body }) as Sent;

/** The tool results in the newest request. */
const results = () =>
  lastSent()
    .messages.filter(({ role }) => role === 'tool')
    .map(({ content }) => content);

describe('a plugin in a chat', () => {
  verifies(['SURF-9', 'OBS-4'], 'that causes an unhandled rejection is logged, and the turn continues', async () => {
    const forgets = `
      const key = 'sk-abcdefghijklmnopqrstuvwxyz';
      export function register(host) {
        host.registerHook('pre_tool_call', async () => {
          Promise.reject(new Error('forgotten ' + key));
          setTimeout(() => { throw new TypeError('late'); }, 0);
          await new Promise((resolve) => setTimeout(resolve, 20));
        });
      }`;
    await plugin('forgets', 'provides_hooks: [pre_tool_call]\n', forgets);
    const throws = `export function register() { throw new Error('no sk-abcdefghijklmnopqrstuvwxyz'); }`;
    await plugin('throws', 'provides_tools: [x]\n', throws);
    await cli.configure('plugins: { enabled: [forgets, throws] }\n');
    const ask = { toolCalls: [{ name: 'terminal', arguments: { command: 'echo here' } }] };
    cli.server.setScript([ask, { text: 'done' }]);
    const { exitCode, stdout, stderr } = await hermes(['-z', 'go']);
    expect([exitCode, stdout, results()]).toEqual([0, 'done\n', ['here']]);
    const log = await cli.home.read('logs/agent.log');
    for (const what of ['forgotten', 'TypeError: late']) expect(log).toContain(what);
    expect(log).toMatch(/a plugin caused an unhandled rejection.*"plugin":"forgets"/);
    expect(stderr).toContain('Plugin throws');
    expect(stderr + log).not.toContain('abcdefghijklmnopqrstuvwxyz');
  });
});

describe('hermes plugins', () => {
  verifies('SURF-9', 'shows a plugin, enables it after a review, uses it, and disables it', async () => {
    await cli.configure();
    await installExample();
    expect((await hermes(['plugins'])).stdout).toMatch(/– word-count +1\.0\.0 +counts words/);
    const unconfirmed = await hermes(['plugins', 'enable', 'word-count']);
    expect([unconfirmed.exitCode, unconfirmed.stderr]).toEqual([
      2,
      expect.stringContaining('A plugin runs with all of your permissions'),
    ]);
    const enabled = await hermes(['plugins', 'enable', 'word-count', '--yes']);
    expect([enabled.exitCode, enabled.stdout]).toEqual([
      0,
      expect.stringMatching(/tools +count_words[^]*word-count is enabled/),
    ]);
    cli.server.setScript([
      { toolCalls: [{ name: 'count_words', arguments: { text: 'a b c' } }] },
      { text: 'Three.' },
      { text: 'None.' },
    ]);
    expect((await hermes(['-q', 'how many?'])).stdout).toContain('Three.');
    expect(results()).toEqual(['{"words":3}']);
    expect((await hermes(['plugins', 'check'])).stdout).toMatch(/✓ word-count[^]*tool count_words[^]*command \/words/);
    expect((await hermes(['plugins', 'disable', 'word-count'])).exitCode).toBe(0);
    await hermes(['-q', 'and now?']);
    expect(lastSent().tools.map((tool) => tool.function.name)).not.toContain('count_words');
    const unknown = await hermes(['plugins', 'info', 'word-cout']);
    expect([unknown.exitCode, unknown.stderr]).toEqual([2, expect.stringContaining('Did you mean word-count?')]);
  });

  verifies(
    'SURF-9',
    'reports plugins that throw, hang in a hook, or require a newer version, and still answers',
    fullDoseOnly,
    async () => {
      await cli.configure('plugins: { enabled: [boom, late, slow] }\n');
      await plugin('boom', 'provides_tools: [x]\n', "throw new Error('boom')");
      await plugin('late', 'requires_hermes: ">=99"\n', 'export const register = () => {}');
      await plugin(
        'slow',
        'provides_hooks: [pre_tool_call, on_session_end]\n',
        "export const register = (host) => { for (const event of ['pre_tool_call', 'on_session_end']) host.registerHook(event, () => new Promise(() => {})); }",
      );
      cli.server.setScript([{ toolCalls: [{ name: 'todo', arguments: {} }] }, { text: 'Done.' }]);
      // The hook at the end of the session is still running when the command has finished.
      const run = await runHermes(['-q', 'go'], { home: cli.home, spawn: true });
      expect([run.exitCode, run.stdout]).toEqual([0, expect.stringContaining('Done.')]);
      expect(run.stderr).toMatch(
        /Plugin boom \(.*index\.mjs\): boom\. To disable it, run: hermes plugins disable boom/,
      );
      expect(run.stderr).toMatch(/Plugin late .*requires Hermes 99 or newer/);
      expect(await cli.home.read('logs/agent.log')).toMatch(/a hook failed.*"hook":"slow".*timed out after 5 s/);
      const checked = await hermes(['plugins', 'check', '--json']);
      const { plugins } = JSON.parse(checked.stdout) as { plugins: { name: string; state: string }[] };
      expect([checked.exitCode, plugins.map(({ name, state }) => [name, state])]).toEqual([
        1,
        [
          ['boom', 'faulty'],
          ['late', 'faulty'],
          ['slow', 'on'],
        ],
      ]);
      const doctor = await hermes(['doctor', '--offline']);
      expect(doctor.stdout).toMatch(/2 plugins enabled[^]*The plugin late is skipped: it requires Hermes 99 or newer/);
      const wrong = await hermes(['plugins', 'enable', 'late', '--yes']);
      expect([wrong.exitCode, wrong.stderr]).toEqual([2, expect.stringContaining('Cannot enable late')]);
    },
  );

  verifies('SURF-9', 'uses project plugins only if the user trusts the project', async () => {
    await cli.configure();
    const folder = join(cli.home.workspace, '.hermes', 'plugins', 'local');
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'plugin.yaml'), 'name: local\nprovides_hooks: [pre_llm_call]\n');
    await writeFile(
      join(folder, 'index.mjs'),
      "export const register = (host) => host.registerHook('pre_llm_call', async () => ({ context: 'of the project' }));",
    );
    cli.server.setScript(() => ({ text: 'Hi.' }));
    const sent = async () => {
      await hermes(['-q', 'hello']);
      return JSON.stringify(cli.server.requests.at(-1)?.body);
    };
    expect(await sent()).not.toContain('of the project');
    // The name alone is not enough: the user may have enabled another folder with this name.
    await cli.configure('plugins: { enabled: [local] }\n');
    expect(await sent()).not.toContain('of the project');
    expect((await hermes(['plugins', 'list'])).stdout).toMatch(
      /✗ local[^]*is not trusted, so its plugins are not loaded/,
    );
    expect((await hermes(['plugins', 'enable', 'local', '--yes'])).exitCode).toBe(0);
    expect(await cli.home.read('config.yaml')).toContain(cli.home.workspace);
    expect(await sent()).toContain('of the project');
  });

  verifies('SURF-9', "adds a plugin's command to the chat; /plugins lists them", async () => {
    await cli.configure('plugins: { enabled: [word-count, clash] }\n');
    await installExample();
    await plugin(
      'clash',
      'provides_commands: [help, fail]\n',
      "export function register(host) { host.registerCommand({ name: 'help', about: 'mine', run: () => 'mine' }); host.registerCommand({ name: 'fail', about: 'fails', run() { throw new Error('no luck') } }); }",
    );
    const chat = startTerminal(cli.home, []);
    await chat.see('The slash command /help already exists');
    chat.type('/words one two\r');
    await chat.see('2 words');
    chat.type('/fail\r');
    await chat.see('/fail of the plugin clash failed: no luck');
    chat.type('/plugins\r');
    await chat.see('✓ word-count');
    chat.type('/help words\r');
    await chat.see('count the words of a text (word-count)');
    chat.type('\u0004');
    expect(await chat.exited).toBe(0);
  });
});

describe('hermes plugins install', () => {
  verifies('SURF-9', 'installs a plugin without running it, keeps what it replaces, and removes it again', async () => {
    await cli.configure();
    const source = join(EXAMPLES, 'plugin-word-count');
    const installed = await hermes(['plugins', 'install', source]);
    expect([installed.exitCode, installed.stdout]).toEqual([
      0,
      expect.stringMatching(/plugin +word-count 1\.0\.0[^]*hermes plugins enable word-count/),
    ]);
    expect((await hermes(['plugins', 'list'])).stdout).toContain('– word-count');
    const again = await hermes(['plugins', 'install', source]);
    expect([again.exitCode, again.stderr]).toEqual([
      2,
      expect.stringContaining('The plugin word-count already exists'),
    ]);
    expect((await hermes(['plugins', 'install', source, '--yes'])).exitCode).toBe(0);
    expect(await readdir(join(cli.home.path, 'trash', 'plugins'))).toHaveLength(1);
    await hermes(['plugins', 'enable', 'word-count', '--yes']);
    expect((await hermes(['plugins', 'remove', 'word-count', '--yes'])).exitCode).toBe(0);
    expect(await cli.home.read('config.yaml')).not.toContain('word-count');
    expect(await readdir(join(cli.home.path, 'trash', 'plugins'))).toHaveLength(2);
    expect(await readdir(join(cli.home.path, 'plugins'))).toEqual([]);
  });

  it('rejects folders that are not plugins, and plugins with missing packages', async () => {
    const none = await hermes(['plugins', 'install', '.']);
    expect([none.exitCode, none.stderr]).toEqual([
      1,
      expect.stringMatching(/Cannot install .*: it has neither a plugin\.yaml/),
    ]);
    await writeFile(join(cli.home.workspace, 'package.json'), '{"hermes":{},"dependencies":{"left-pad":"1"}}');
    await writeFile(join(cli.home.workspace, 'index.js'), 'export const register = () => {}');
    const needy = await hermes(['plugins', 'install', '.']);
    expect([needy.exitCode, needy.stderr]).toEqual([1, expect.stringMatching(/it does not contain \(left-pad\)/)]);
    expect((await hermes(['plugins', 'install', 'no such thing'])).exitCode).toBe(2);
  });
});

describe('hermes hooks', () => {
  verifies('SURF-9', 'runs a configured command once it is allowed, without the keys of Hermes', async () => {
    const seen = join(cli.home.path, 'seen');
    const script = join(cli.home.path, 'guard.sh');
    await cli.home.write('guard.sh', `cat > ${seen}; env >> ${seen}; echo 'ask me first' >&2; exit 2\n`);
    await cli.home.write('.env', 'OPENROUTER_API_KEY=sk-or-v1-0123456789abcdef0123456789abcdef\n');
    await cli.configure(`hooks:\n  pre_tool_call:\n    - matcher: terminal\n      command: sh ${script}\n`);
    cli.server.setScript(({ body }) =>
      JSON.stringify(body).includes('"role":"tool"')
        ? { text: 'Done.' }
        : { toolCalls: [{ name: 'terminal', arguments: { command: 'echo ran' } }] },
    );
    const first = await hermes(['-q', 'go']);
    expect(first.stderr).toContain('hooks.pre_tool_call[0] is not run: it was not allowed yet.');
    expect(results()[0]).toContain('ran');
    expect((await hermes(['hooks', 'allow'])).exitCode).toBe(2);
    const allowed = await hermes(['hooks', 'allow', '--yes']);
    expect([allowed.exitCode, allowed.stdout]).toEqual([0, expect.stringMatching(/sh .*guard\.sh[^]*1 hook allowed/)]);
    const second = await hermes(['-q', 'go'], { ANTHROPIC_API_KEY: 'sk-ant-0123456789abcdef' });
    expect([second.exitCode, second.stderr]).toEqual([0, expect.not.stringContaining('is not run')]);
    expect(results()).toEqual(['{"error":"ask me first"}']);
    const logged = await readFile(seen, 'utf8');
    expect(logged).toContain('"tool_input":{"command":"echo ran"');
    expect(logged).not.toMatch(/sk-or|sk-ant/);
    await cli.home.write('guard.sh', 'exit 0\n');
    expect((await hermes(['hooks', 'list'])).stdout).toContain('changed since it was allowed');
    expect((await hermes(['hooks', 'revoke', 'hooks.pre_tool_call[0]'])).stdout).toBe('1 hook revoked.\n');
    expect((await hermes(['hooks', 'revoke', 'hooks.other[0]'])).exitCode).toBe(2);
  });

  it('reports an invalid entry with line and key', async () => {
    await cli.home.write('config.yaml', 'hooks:\n  pre_tool_call:\n    - matcher: "("\n      command: x\n');
    const run = await hermes(['hooks', 'list']);
    expect([run.exitCode, run.stderr]).toEqual([
      2,
      expect.stringMatching(/line 3: hooks\.pre_tool_call\[0\]\.matcher must be a regular expression/),
    ]);
    // Hook events of other programs are ignored, whatever their format.
    await cli.home.write('config.yaml', 'hooks:\n  outbound: { url: x }\n  on_session_end:\n    - command: "true"\n');
    expect((await hermes(['hooks', 'list'])).stdout).toContain('hooks.on_session_end[0]');
  });
});
