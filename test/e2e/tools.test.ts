import { describe, expect, it } from 'vitest';
import { verifies } from '../spec/verifies.ts';
import { useCliFixture } from '../support/cli-fixture.ts';
import { runHermes } from '../support/run-hermes.ts';

const cli = useCliFixture();
const hermes = (args: string[]) => runHermes(args, { home: cli.home });
const json = async (args: string[]) =>
  JSON.parse((await hermes([...args, '--json'])).stdout) as Record<string, unknown>;
const states = async () => {
  const { tools } = (await json(['tools', 'list'])) as { tools: { name: string; state: string }[] };
  return Object.fromEntries(tools.map(({ name, state }) => [name, state]));
};

describe('hermes tools', () => {
  verifies(
    'TOOL-3',
    'lists sets and tools, disables and enables them, and keeps the comments of the file',
    async () => {
      await cli.home.write('config.yaml', '# mine\nmodel: m # the good one\n');
      expect(await states()).toMatchObject({ terminal: 'on', patch: 'on', todo: 'on' });
      const off = await hermes(['tools', 'disable', 'file_tools', 'todo']);
      expect(off.exitCode).toBe(0);
      expect(off.stdout).toMatch(/– patch: .*disabled by file_tools in .*agent\.disabled_toolsets/);
      expect(await states()).toMatchObject({ terminal: 'on', patch: 'off', read_file: 'off', todo: 'off' });
      expect(await cli.home.read('config.yaml')).toBe(
        '# mine\nmodel: m # the good one\nagent:\n  disabled_toolsets:\n    - file_tools\n    - todo\n',
      );
      expect((await hermes(['tools', 'enable', 'todo'])).stdout).toContain('✓ todo');
      // A single tool of a disabled tool set stays disabled, and the message names the cause.
      const one = await hermes(['tools', 'enable', 'patch']);
      expect([one.exitCode, one.stdout]).toEqual([1, expect.stringContaining('disabled by file_tools')]);
      expect((await hermes(['tools', 'enable', 'file_tools'])).exitCode).toBe(0);
      expect(await states()).toMatchObject({ patch: 'on', todo: 'on' });
    },
  );

  it('adds to an existing list of enabled tool sets', async () => {
    await cli.home.write('config.yaml', 'toolsets: [file]\n');
    expect(await states()).toMatchObject({ terminal: 'off', patch: 'on' });
    expect((await hermes(['tools', 'enable', 'terminal'])).exitCode).toBe(0);
    expect(await cli.home.read('config.yaml')).toBe('toolsets: [file, terminal]\n');
  });

  it('describes a tool and a set, and suggests similar names', async () => {
    expect(await json(['tools', 'info', 'terminal'])).toMatchObject({
      name: 'terminal',
      toolset: 'terminal',
      state: 'on',
      concurrency: 'barrier',
      definition: { parameters: { required: ['command'] } },
    });
    expect((await hermes(['tools', 'info', 'debugging'])).stdout).toMatch(/terminal +on/);
    expect((await hermes(['tools', 'info', 'patch'])).stdout).toContain('depends on the arguments');
    for (const command of ['info', 'disable', 'enable']) {
      const wrong = await hermes(['tools', command, 'terminl']);
      expect([wrong.exitCode, wrong.stderr]).toEqual([2, expect.stringContaining('Did you mean terminal')]);
    }
    await cli.home.write('config.yaml', 'toolsets: [fil]\n');
    const listed = await hermes(['tools', 'list']);
    expect([listed.exitCode, listed.stderr]).toEqual([
      0,
      expect.stringMatching(/config\.yaml: toolsets: "fil" is not a known tool set or tool and is ignored/),
    ]);
  });
});

describe('the tools sent to a model', () => {
  const offered = () => (cli.server.requests.at(-1)?.body['tools'] ?? []) as { function: { name: string } }[];
  const names = () => offered().map((tool) => tool.function.name);

  verifies(['TOOL-3', 'TOOL-4'], 'are those of the requested sets, and no text mentions others', async () => {
    await cli.configure('agent:\n  disabled_toolsets: [patch]\n');
    cli.server.setScript(() => ({ text: 'done' }));
    expect((await hermes(['-z', 'hi'])).exitCode).toBe(0);
    expect(names()).toContain('terminal');
    expect(names()).not.toContain('patch');
    expect((await hermes(['--toolsets', 'file_tools', '-z', 'hi'])).exitCode).toBe(0);
    expect(names()).toEqual(['read_file', 'search_files', 'write_file']);
    expect(JSON.stringify(offered())).not.toMatch(/patch|terminal|\{\{/);
    const wrong = await hermes(['--toolsets', 'filez', '-z', 'hi']);
    expect([wrong.exitCode, wrong.stderr]).toEqual([
      2,
      expect.stringContaining('--toolsets: "filez" is not a known tool set'),
    ]);
  });

  verifies('TOOL-8', 'are shown part by part', async () => {
    const size = (await json(['prompt-size'])) as {
      pieces: { name: string; characters: number }[];
      characters: number;
    };
    expect(size.pieces.map(({ name }) => name)).toEqual(expect.arrayContaining(['identity', 'terminal', 'patch']));
    expect(size.pieces.reduce((sum, { characters }) => sum + characters, 0)).toBe(size.characters);
    expect((await hermes(['prompt-size', '-t', 'todo'])).stdout).toMatch(/tokens \(estimate\)[^]*tool: todo[^]*total/);
  });

  verifies(
    ['TOOLX-2', 'TOOLX-7'],
    'an extremely nested call is answered and stored, and the session continues',
    async () => {
      // In the second mode the test server serializes the arguments again, which also uses stack, so the maximum
      // depth varies.
      for (const [mode, depth] of [
        ['chat_completions', 100_000],
        ['anthropic_messages', 500],
        ['codex_responses', 100_000],
      ] as const) {
        const deep = `{"path":${'['.repeat(depth)}${']'.repeat(depth)}}`;
        await cli.configure(`  api_mode: ${mode}\n`);
        cli.server.setScript([{ toolCalls: [{ id: 'c1', name: 'read_file', arguments: deep }] }, { text: 'went on' }]);
        const { exitCode, stdout } = await hermes(['-z', 'hi']);
        expect([mode, exitCode, stdout.trim()]).toEqual([mode, 0, 'went on']);
        expect(cli.server.requests.at(-1)?.toolResults[0]?.content).toContain('nested more than 100 levels');
      }
    },
  );

  verifies('OBS-4', 'a secret in the output of a tool is redacted for the model, but not in the file', async () => {
    await cli.configure();
    const command =
      'printf "OPENAI_API_KEY=sk-proj-%s\\n" Abcdefghij1234567890 > k.env; cat k.env; wc -c < k.env; rm k.env';
    cli.server.setScript([{ toolCalls: [{ id: 'c1', name: 'terminal', arguments: { command } }] }, { text: 'done' }]);
    expect((await hermes(['-z', 'hi'])).exitCode).toBe(0);
    const content = cli.server.requests.at(-1)?.toolResults[0]?.content ?? '';
    expect(content).toContain('OPENAI_API_KEY=«secret removed»\n44');
  });
});
