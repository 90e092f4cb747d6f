import { chmod, readFile, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { verifies } from '../spec/verifies.ts';
import { useCliFixture } from '../support/cli-fixture.ts';
import { runHermes } from '../support/run-hermes.ts';

const cli = useCliFixture();
const hermes = (args: string[], env: Record<string, string> = {}, input?: string) =>
  runHermes(args, { home: cli.home, env, input });
const config = (...args: string[]) => hermes(['config', ...args]);
const stored = () => cli.home.read('config.yaml');

const MINE = '# mine\nagent:\n  max_turns: 5 # few\ntoolsets:\n  - file # files\n';

describe('hermes config', () => {
  verifies('SURF-2', 'shows values, their locations and the defaults, without secrets', async () => {
    await cli.home.write(
      'config.yaml',
      `${MINE}model:\n  api_key: hunter2hunter2hunter2\nmax_turns: 3\nown: \u001b[31m\n`,
    );
    await cli.home.write('.env', 'SOME_KEY=hunter2hunter2hunter2\nEMPTY=\n');
    const { stdout, exitCode } = await config('show');
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^agent\.max_turns +5 +line 3$/m);
    expect(stdout).toMatch(/^compression\.max_tokens +160000 +default$/m);
    expect(stdout).toMatch(/^max_turns +3 +line 8, deprecated key$/m);
    expect(stdout).toMatch(/^SOME_KEY=hunter\*\*\*ter2$/m);
    expect(stdout).not.toContain('hunter2hunter2');
    expect(stdout).not.toContain('EMPTY');
    const json = JSON.parse((await config('show', '--json')).stdout) as { values: object[] };
    expect(json.values).toContainEqual({ key: 'agent.max_turns', value: 5, source: 'file', line: 3, known: true });
    expect((await config('show', 'agent')).stdout).not.toContain('compression');
    expect(await config('show', 'agnt')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('Did you mean agent?'),
    });
  });

  verifies('SURF-2', 'changes single values and keeps comments and layout', async () => {
    await cli.home.write('config.yaml', MINE);
    expect((await config('set', 'agent.max_turns', '7')).stdout).toBe('agent.max_turns = 7  (before: 5)\n');
    await config('set', 'toolsets', 'terminal,file');
    await config('set', 'memory.memory_enabled', 'no');
    expect(await stored()).toBe(
      '# mine\nagent:\n  max_turns: 7 # few\ntoolsets:\n  - terminal\n  - file # files\nmemory:\n  memory_enabled: false\n',
    );
    expect((await config('unset', 'agent.max_turns')).stdout).toBe('agent.max_turns is 90 again, the default.\n');
    expect((await config('get', 'agent.max_turns')).stdout).toBe('90\n');
    expect((await config('get', 'toolsets')).stdout).toBe('terminal, file\n');
    expect((await config('set', 'model', 'my-model')).stdout).toContain('model.default = my-model');
  });

  verifies('BOUND-2', 'rejects an invalid value with the allowed ones, and changes nothing', async () => {
    await cli.home.write('config.yaml', MINE);
    const refused: [args: string[], message: RegExp][] = [
      [
        ['set', 'agent.max_turns', '0'],
        /agent\.max_turns must be a whole number above 0, not `0`\. Nothing was changed/,
      ],
      [['set', 'approvals.mode', 'never'], /must be manual, smart or off, not `never`/],
      [['set', 'agent.max_turn', '5'], /Unknown key "agent\.max_turn"[^]*Did you mean agent\.max_turns\?/],
      [['set', 'max_turns', '5'], /Did you mean agent\.max_turns\?/],
      [['set', 'a..b', '5'], /"a\.\.b" is not a valid key/],
      [['set', 'custom_providers[0].name', 'x'], /custom_providers\[0\] does not exist/],
    ];
    for (const [args, message] of refused) {
      expect(await config(...args), args.join(' ')).toMatchObject({
        exitCode: 2,
        stderr: expect.stringMatching(message),
      });
    }
    expect(await config('unset', 'limits.day_usd')).toMatchObject({ exitCode: 1 });
    expect(await config('get', 'limits.day_usd')).toMatchObject({ exitCode: 1, stdout: '' });
    expect((await config('get', 'constructor')).stderr).toContain('Unknown key "constructor"');
    expect(await stored()).toBe(MINE);
    await config('set', 'mine.own', 'yes please', '--force');
    expect(await stored()).toBe(`${MINE}mine:\n  own: yes please\n`);
  });

  it('stores variables in .env, and shows them only on request', async () => {
    const key = 'sk-or-0123456789abcdefghij';
    await hermes(['config', 'set', 'OPENROUTER_API_KEY', '-'], {}, `${key}\n`);
    expect(await cli.home.read('.env')).toBe(`OPENROUTER_API_KEY=${key}\n`);
    expect((await stat(join(cli.home.path, '.env'))).mode & 0o777).toBe(0o600);
    expect((await config('get', 'OPENROUTER_API_KEY')).stdout).toBe('sk-or-***ghij\n');
    expect((await config('get', 'OPENROUTER_API_KEY', '--reveal')).stdout).toBe(`${key}\n`);
    await cli.home.write('.env', `A=1\nexport OPENROUTER_API_KEY=${key}\n# end\n`);
    expect((await config('unset', 'OPENROUTER_API_KEY')).exitCode).toBe(0);
    expect(await cli.home.read('.env')).toBe('A=1\n# end\n');
    expect((await config('path', '--env')).stdout).toBe(`${join(cli.home.path, '.env')}\n`);
  });

  it('validates the whole file', async () => {
    await cli.home.write('config.yaml', `${MINE}limits:\n  day_usd: -1\n  day_us: 3\nmodel:\n  api_key: \${NOT_SET}\n`);
    const { exitCode, stdout } = await config('check');
    expect(exitCode).toBe(1);
    expect(stdout).toContain('✗ line 7: limits.day_usd must be a number above 0, not `-1`.');
    expect(stdout).toContain(
      '! line 8: limits.day_us is not a known key and is ignored.\n  Did you mean limits.day_usd?',
    );
    await config('unset', 'limits.day_us');
    await cli.home.write('config.yaml', `${MINE}model:\n  api_key: \${NOT_SET}\n`);
    const sound = await config('check', '--json');
    expect([sound.exitCode, JSON.parse(sound.stdout)]).toMatchObject([
      0,
      { ok: true, findings: [{ status: 'warning', kind: 'ignored', message: expect.stringContaining('NOT_SET') }] },
    ]);
    await cli.home.write('config.yaml', 'a: [');
    expect((await config('check')).stdout).toMatch(
      /✗ .*config\.yaml, line 1, near the key "a": invalid YAML: the closing \] is missing/,
    );
  });

  it('renames deprecated keys and keeps a copy of the file', async () => {
    const old = `max_turns: 9\n${MINE.replace('  max_turns: 5 # few', '  reasoning_effort: low # few')}compression: { summary_model: m }\n`;
    await cli.home.write('config.yaml', old);
    expect((await config('migrate', '--dry-run')).stdout).toContain('max_turns → agent.max_turns');
    expect(await stored()).toBe(old);
    const { stdout } = await config('migrate');
    const backup = /The original file was saved as (.+)\.\n/.exec(stdout)?.[1] ?? '';
    expect(await readFile(backup, 'utf8')).toBe(old);
    expect(await stored()).toBe(
      '# mine\nagent:\n  reasoning_effort: low # few\n  max_turns: 9\ntoolsets:\n  - file # files\ncompression: {  }\nauxiliary:\n  compression:\n    model: m\n',
    );
    expect((await config('migrate')).stdout).toContain('has no deprecated keys; nothing was changed.');
    expect((await config('get', 'agent.max_turns')).stdout).toBe('9\n');
  });

  verifies('SURF-2', 'explains keys, sections and variables without showing secrets', async () => {
    await cli.home.write('config.yaml', `${MINE}model:\n  api_key: hunter2hunter2hunter2\n`);
    const { stdout, exitCode } = await config('explain', 'agent.max_turns');
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(
      /The maximum number of steps in a turn\.\n +takes +a whole number above 0\n +default +90\n +now +5\n/,
    );
    expect((await config('explain', 'compression')).stdout).toMatch(
      /^compression\.threshold\n +The share of the context window/m,
    );
    expect((await config('explain', 'custom_providers[0].key_env')).stdout).toContain(
      'variable that contains the API key',
    );
    expect((await config('explain', 'HERMES_HOME')).stdout).toContain('The home directory');
    expect((await config('explain', 'OPENROUTER_API_KEY')).stdout).toContain('API key of OpenRouter');
    expect((await config('explain', 'model.api_key')).stdout).not.toContain('hunter2hunter2');
    expect(JSON.parse((await config('explain', 'model.default', '--json')).stdout)).toMatchObject({
      key: 'model.default',
      kind: 'text',
      variable: 'HERMES_INFERENCE_MODEL',
    });
  });

  it('opens a copy in an editor, and saves it only if it is valid', async () => {
    await cli.home.write('config.yaml', MINE);
    await chmod(join(cli.home.path, 'config.yaml'), 0o640);
    const edit = (editor: string) => hermes(['config', 'edit'], { EDITOR: editor });
    expect((await edit('sed -i s/5/6/')).stdout).toMatch(/^Saved .+config\.yaml\.\n$/);
    expect(await stored()).toBe(MINE.replace('5', '6'));
    expect((await stat(join(cli.home.path, 'config.yaml'))).mode & 0o777).toBe(0o640);
    expect((await edit('true')).stdout).toBe('Nothing was changed.\n');
    const broken = await edit('sed -i s/6/0/');
    expect(broken).toMatchObject({ exitCode: 1, stderr: expect.stringMatching(/line 3: agent\.max_turns must be/) });
    const copy = /Your text is in (.+); /.exec(broken.stderr)?.[1] ?? '';
    expect(await readFile(copy, 'utf8')).toBe(MINE.replace('5', '0'));
    await rm(dirname(copy), { recursive: true });
    expect(await stored()).toBe(MINE.replace('5', '6'));
    expect(await hermes(['config', 'edit'])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('EDITOR=nano'),
    });
  });
});
