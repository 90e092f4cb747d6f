import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/spec/verifies.ts';
import type { CommandRow } from './command-row.ts';
import { parseArguments } from './parse-arguments.ts';
import { COMMANDS } from './table.ts';

async function parse(...argv: string[]) {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const io = { stdin: new PassThrough(), inputKind: 'none' as const, stdout, stderr, env: {}, workingDirectory: '/' };
  const parsed = await parseArguments(argv, io);
  const [message = '', ...hint] = String(stderr.read() ?? '').split('\n');
  return { parsed, message, hint: hint.join('\n') };
}

/** Arguments and the expected message. */
const CASES: readonly (readonly [argv: readonly string[], message: string])[] = [
  [['sessions', 'nosuch'], 'Unknown command `hermes sessions nosuch`.'],
  [['sessions', 'lst'], 'Unknown command `hermes sessions lst`. Did you mean `hermes sessions list`?'],
  [['skills', 'view', 'x'], 'Unknown command `hermes skills view`. Did you mean `hermes skills inspect`?'],
  [['sessions', 'rm', 'x'], 'Unknown command `hermes sessions rm`. Did you mean `hermes sessions delete`?'],
  [['--nosuch'], 'Unknown option `--nosuch`.'],
  [['-x'], 'Unknown option `-x`.'],
  [['--vresion'], 'Unknown option `--vresion`. Did you mean `--version`?'],
  [['sessions', 'list', '--lmit=3'], 'Unknown option `--lmit`. Did you mean `--limit`?'],
  [['checkpoints', 'prune', '--keep', '3'], 'Unknown option `--keep`.'],
  [['--yolo=yes'], '`--yolo` takes no value, but `yes` was given.'],
  [['sessions', 'show'], '`hermes sessions show` requires <session> (session id, the start of one, or a title).'],
  [['sessions', 'prune'], '`hermes sessions prune` requires `--older-than <days>`.'],
  [['-q'], '`-q, --query <text>` requires a value.'],
  [['sessions', 'list', '--limit', 'x'], '`--limit` expects a whole number of at least 1, not `x`.'],
  [['sessions', 'list', '--limit', '0'], '`--limit` expects a whole number of at least 1, not `0`.'],
  [['sessions', 'list', '--limit='], '`--limit` expects a whole number of at least 1, not an empty value.'],
  [['-q', 'x', '--if-busy', 'never'], '`--if-busy` expects wait, branch or fail, not `never`.'],
  [['-q', 'x', '--toolsets', ','], '`--toolsets` expects at least one name, not `,`.'],
  [['sessions', 'search', 'x', '--role', 'boss'], '`--role` expects user, assistant or tool, not `boss`.'],
  [['completion', 'tcsh'], '`tcsh` is not a supported shell. Use bash, zsh or fish.'],
  [['checkpoints', 'diff', 'x'], '<number> must be a whole number of at least 1, not `x`.'],
  [['sessions', 'list', 'extra'], '`hermes sessions list` accepts no arguments, but `extra` was given.'],
  [['sessions', 'show', 'a', 'b'], '`hermes sessions show` accepts only one argument, but `b` was also given.'],
];

describe('usage errors', () => {
  verifies('BOUND-2', 'say what is wrong, the value, and where to look', async () => {
    for (const [argv, expected] of CASES) {
      const { parsed, message, hint } = await parse(...argv);
      expect([argv, parsed]).toEqual([argv, { exitCode: 2, message: expected }]);
      expect(message).toBe(`hermes: ${expected}`);
      expect(hint).toMatch(/^ {8}.*Run `hermes [^`]+ --help` for usage\.\n$/);
    }
  });

  it('list the commands if none is similar, and show an example if an option is missing', async () => {
    expect((await parse('model', 'nosuch')).hint).toContain('Use set or show. Run `hermes model --help`');
    expect((await parse('sessions', 'prune')).hint).toContain('For example: `hermes sessions prune --older-than 90`.');
    expect((await parse('sessions', 'show', 'a', 'b')).hint).toContain('Put a value with spaces in quotes.');
  });

  it('of every command are in our words, not in those of the parser', async () => {
    for (const path of pathsOf(COMMANDS)) {
      for (const words of [['--no-such-option'], Array.from({ length: 9 }, () => 'x')]) {
        const { message } = await parse(...path, ...words).catch((thrown: Error) => ({ message: thrown.message }));
        expect([path, message]).not.toEqual([path, expect.stringMatching(/error:|argument '|option '|Option '/)]);
      }
    }
  });
});

function pathsOf(rows: readonly CommandRow[]): string[][] {
  return rows.flatMap(({ name, commands }) => [[name], ...pathsOf(commands ?? []).map((below) => [name, ...below])]);
}
