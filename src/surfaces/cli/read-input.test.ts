import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import type { InputKind } from './cli-io.ts';
import { joinPrompt, readInput } from './read-input.ts';

const ioWith = (stdin: PassThrough, inputKind: InputKind = 'stream') => ({
  stdin,
  inputKind,
  stdout: new PassThrough(),
  stderr: new PassThrough(),
  env: {},
  workingDirectory: '/',
});

describe('standard input', () => {
  verifies('SURF-1', 'is context for a prompt, and the prompt where there is none', () => {
    expect(joinPrompt('review this', 'a diff\n')).toBe('review this\n\na diff');
    expect(joinPrompt(undefined, ' do it \n')).toBe('do it');
    expect(joinPrompt('only words', '')).toBe('only words');
    expect(joinPrompt(undefined, '')).toBe('');
  });

  it('is read to its end, characters cut between pieces included', async () => {
    const stdin = new PassThrough();
    const read = readInput(ioWith(stdin));
    const bytes = Buffer.from('größe');
    stdin.write(bytes.subarray(0, 3));
    stdin.end(bytes.subarray(3));
    expect(await read).toBe('größe');
  });

  it('is nothing on a terminal, or where there is none', async () => {
    for (const kind of ['terminal', 'none'] as const) expect(await readInput(ioWith(new PassThrough(), kind))).toBe('');
  });

  it('is not waited for without end where that was asked', async () => {
    expect(await readInput(ioWith(new PassThrough()), { patienceMs: 1 })).toBe('');
    const stdin = new PassThrough();
    const read = readInput(ioWith(stdin), { patienceMs: 60_000 });
    stdin.end('late');
    expect(await read).toBe('late');
  });

  it('has a limit', async () => {
    const stdin = new PassThrough({ highWaterMark: 64 * 1024 * 1024 });
    stdin.end(Buffer.alloc(17 * 1024 * 1024, 'x'));
    await expect(readInput(ioWith(stdin))).rejects.toThrow(/longer than 16 MiB/);
  });
});
