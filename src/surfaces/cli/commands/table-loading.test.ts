import { execFileSync } from 'node:child_process';
import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parseArguments } from './parse-arguments.ts';
import { COMMANDS } from './table.ts';

const CHATS = [
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
];

/** Runs in a separate process, because other tests of this one load the table. Prints who loaded it. */
const SCRIPT = `
  import { registerHooks } from 'node:module';
  import { PassThrough } from 'node:stream';
  const [, parser, rows] = process.argv;
  let isLoaded = false;
  registerHooks({ load(url, context, next) {
    if (url.endsWith('/commands/table.ts')) isLoaded = true;
    return next(url, context);
  } });
  const { parseArguments } = await import(parser);
  const loading = [];
  for (const argv of JSON.parse(rows)) {
    isLoaded = false;
    const [stdout, stderr] = [new PassThrough(), new PassThrough()];
    await parseArguments(argv, { stdin: new PassThrough(), inputKind: 'none', stdout, stderr, env: {}, workingDirectory: '/' });
    if (isLoaded) loading.push(argv);
  }
  console.log(JSON.stringify(loading));
`;

function whichLoadTheTable(rows: readonly string[][]): string[][] {
  const parser = fileURLToPath(new URL('parse-arguments.ts', import.meta.url));
  const flags = ['--no-warnings', '--input-type=module', '-e', SCRIPT];
  const printed = execFileSync(process.execPath, [...flags, parser, JSON.stringify(rows)], { encoding: 'utf8' });
  return JSON.parse(printed) as string[][];
}

async function parse(argv: readonly string[]) {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const io = { stdin: new PassThrough(), inputKind: 'none' as const, stdout, stderr, env: {}, workingDirectory: '/' };
  await parseArguments(argv, io);
  return String(stdout.read() ?? '');
}

describe('the command table', () => {
  it('is loaded for commands, but not for chats', () => {
    const first = ['sessions', '--help'];
    expect(whichLoadTheTable([...CHATS, first])).toEqual([first]);
  });

  it('has the help of every command, after any chat options', async () => {
    for (const { name } of COMMANDS) {
      const usage = expect.stringContaining(`Usage: hermes ${name}`);
      expect(await parse(['-Q', '-m', 'x', name, '--help'])).toEqual(usage);
      expect(await parse(['-Qmx', '--profile=work', name, '--help'])).toEqual(usage);
    }
  });
});
