import { PassThrough } from 'node:stream';
import { describe, expect, it, vi } from 'vitest';
import { parseArguments } from './parse-arguments.ts';

const table = vi.hoisted(() => ({ isLoaded: false }));
vi.mock('./table.ts', async (importOriginal) => {
  table.isLoaded = true;
  return importOriginal();
});

async function parse(argv: readonly string[]) {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const io = { stdin: new PassThrough(), inputKind: 'none' as const, stdout, stderr, env: {}, workingDirectory: '/' };
  await parseArguments(argv, io);
  return String(stdout.read() ?? '');
}

describe('the command table', () => {
  it.each([
    [],
    ['-q', 'sessions'],
    ['-z', 'help'],
    ['-Q', '--model', 'list', '--yolo', '-z', 'hi'],
    ['--model=list'],
    ['-c'],
    ['-c', 'sessions'],
    ['-c', '-5'],
    ['fix the build'],
    ['--', 'what is this?'],
  ])('is not loaded for a chat: %j', async (...argv) => {
    await parse(argv);
    expect(table.isLoaded).toBe(false);
  });

  it('is loaded for every command, after any chat options', async () => {
    const { COMMANDS } = await import('./table.ts');
    for (const { name } of COMMANDS) {
      const usage = expect.stringContaining(`Usage: hermes ${name}`);
      expect(await parse(['-Q', '-m', 'x', name, '--help'])).toEqual(usage);
      expect(await parse(['-Qmx', '--profile=work', name, '--help'])).toEqual(usage);
    }
  });
});
