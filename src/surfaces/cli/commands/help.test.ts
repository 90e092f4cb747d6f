import { PassThrough } from 'node:stream';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/spec/verifies.ts';
import { parseArguments } from './parse-arguments.ts';
import { buildFullProgram } from './table.ts';

async function parse(...argv: string[]) {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const io = { stdin: new PassThrough(), inputKind: 'none' as const, stdout, stderr, env: {}, workingDirectory: '/' };
  const parsed = await parseArguments(argv, io);
  return { parsed, out: String(stdout.read() ?? ''), err: String(stderr.read() ?? '') };
}

type Named = { path: string[]; command: Command };

/** Every visible command with its path. */
function allCommands(command = buildFullProgram(), path: string[] = []): Named[] {
  const children = command.createHelp().visibleCommands(command);
  return [{ path, command }, ...children.flatMap((child) => allCommands(child, [...path, child.name()]))];
}

describe('command help', () => {
  const commands = allCommands();

  it('covers all commands', () => {
    const paths = commands.map(({ path }) => path.join(' '));
    expect(paths).toEqual(expect.arrayContaining(['', 'chat', 'setup', 'doctor', 'sessions list', 'config set']));
    expect(paths.length).toBeGreaterThan(60);
  });

  for (const { path, command } of commands) {
    verifies('SURF-2', `hermes ${path.join(' ')} --help shows the usage, the options and an example`, async () => {
      const { parsed, out } = await parse(...path, '--help');
      expect(parsed).toEqual({ exitCode: 0, message: expect.any(String) });
      expect(out).toContain(`Usage: ${['hermes', ...path].join(' ')}`);
      expect(command.description()).not.toBe('');
      for (const { flags, description } of command.options) expect(description, flags).not.toBe('');
      for (const argument of command.registeredArguments) expect(argument.description, argument.name()).not.toBe('');
      // The example must be for this command.
      const shown = out.slice(out.search(/^(?:Examples?|Add one of these .*):$/m));
      expect(shown).toMatch(new RegExp(`^  .*\\bhermes(?: \\S+)*? ${path.join(' ')}`.replace(/ $/, ''), 'm'));
    });
  }

  it('fits in 80 columns, except for examples', async () => {
    for (const { path } of commands) {
      const lines = (await parse(...path, '--help')).out.split('\n');
      expect([path, lines.filter((line) => line.length > 80 && !/^ {2}\S/.test(line))]).toEqual([path, []]);
    }
  });

  it('is the same for `hermes help X` and `hermes X --help`', async () => {
    for (const { path } of commands)
      expect((await parse('help', ...path)).out).toBe((await parse(...path, '--help')).out);
  });

  it('fits on a screen, with one line per command', async () => {
    const lines = (await parse('--help')).out.split('\n');
    expect(lines.length).toBeLessThanOrEqual(73);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(80);
    for (const { path } of commands.filter(({ path: { length } }) => length === 1))
      expect(lines.filter((line) => line.startsWith(`  ${path[0]} `))).toHaveLength(1);
  });
});

describe('mistyped commands', () => {
  verifies('BOUND-2', 'are rejected with a suggestion instead of being sent to a model', async () => {
    for (const [typed, meant] of [
      [['sesions', 'list'], 'sessions'],
      [['modle'], 'model'],
      [['sesion'], 'sessions'],
      [['conf', 'show'], 'config'],
      [['logz', '-x'], 'logs'],
      [['Doctr'], 'doctor'],
    ] as const) {
      const run = () => parse(...typed.filter((word) => word !== '-x'));
      await expect(run()).rejects.toThrow(`Unknown command "${typed[0]}".`);
      await expect(run()).rejects.toThrow(
        expect.objectContaining({ hint: expect.stringContaining(`hermes ${meant}\``) }),
      );
    }
  });

  verifies('BOUND-2', 'include any single word, because it may be a command of another version', async () => {
    const words = ['hello', 'dashboard', 'x_1', '42', 'mcp:list', './notes.md', 'überall'];
    for (const typed of [...words.map((word) => [word]), ['studio', 'list'], ['what', 'is', 'this']]) {
      const run = () => parse(...typed);
      await expect(run()).rejects.toThrow(`Unknown command "${typed[0]}".`);
      await expect(run()).rejects.toThrow(
        expect.objectContaining({ hint: expect.stringContaining(`hermes -q "${typed.join(' ')}"`) }),
      );
    }
  });

  it('are not confused with prompts', async () => {
    for (const prompt of ['sesions list', 'what is this', 'tests?', '列出文件', '/help'])
      expect((await parse(prompt)).parsed).toMatchObject({ request: { kind: 'chat', options: { prompt } } });
    expect((await parse('-q', 'sesions')).parsed).toMatchObject({ request: { options: { prompt: 'sesions' } } });
    expect((await parse('chat', 'hello')).parsed).toMatchObject({ request: { options: { prompt: 'hello' } } });
  });

  it('are rejected at every level with a suggestion and the help command', async () => {
    for (const [argv, message, next] of [
      [
        'sessions lst',
        'hermes: Unknown command `hermes sessions lst`. Did you mean `hermes sessions list`?',
        'hermes sessions --help',
      ],
      [
        'sessions list --limt 3',
        'hermes: Unknown option `--limt`. Did you mean `--limit`?',
        'hermes sessions list --help',
      ],
      [
        'tools lst',
        'hermes: Unknown command `hermes tools lst`. Did you mean `hermes tools list`?',
        'hermes tools --help',
      ],
      [
        'model sho',
        'hermes: Unknown command `hermes model sho`. Did you mean `hermes model show`?',
        'hermes model --help',
      ],
      ['config set', 'hermes: `hermes config set` requires <config-key> (', 'hermes config set --help'],
      [
        '--max-turns many x',
        'hermes: `--max-turns` expects a whole number of at least 1, not `many`.',
        'hermes chat --help',
      ],
    ] as const) {
      const { parsed, err } = await parse(...argv.split(' '));
      expect(parsed).toMatchObject({ exitCode: 2 });
      expect(err).toContain(message);
      expect(err).toContain(`\n        Run \`${next}\` for usage.\n`);
    }
    await expect(parse('help', 'sessions', 'prun')).rejects.toThrow('Unknown command "sessions prun".');
    await expect(parse('help', 'me')).rejects.toThrow(
      expect.objectContaining({ hint: expect.stringContaining('hermes -q "help me"') }),
    );
  });
});
