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
  verifies('SURF-1', 'is appended to a prompt as context, and is the prompt if there is none', () => {
    expect(joinPrompt('review this', 'a diff\n')).toBe('review this\n\na diff');
    expect(joinPrompt(undefined, ' do it \n')).toBe('do it');
    expect(joinPrompt('only words', '')).toBe('only words');
    expect(joinPrompt(undefined, '')).toBe('');
  });

  it('is read to the end, including characters that are split between chunks', async () => {
    const stdin = new PassThrough();
    const read = readInput(ioWith(stdin));
    const bytes = Buffer.from('größe');
    stdin.write(bytes.subarray(0, 3));
    stdin.end(bytes.subarray(3));
    expect(await read).toBe('größe');
  });

  it('is empty in a terminal, and when stdin is not connected', async () => {
    for (const kind of ['terminal', 'none'] as const) expect(await readInput(ioWith(new PassThrough(), kind))).toBe('');
  });

  it('stops waiting after timeoutMs', async () => {
    expect(await readInput(ioWith(new PassThrough()), { timeoutMs: 1 })).toBe('');
    const stdin = new PassThrough();
    const read = readInput(ioWith(stdin), { timeoutMs: 60_000 });
    stdin.end('late');
    expect(await read).toBe('late');
  });

  it('is limited in size', async () => {
    const stdin = new PassThrough({ highWaterMark: 64 * 1024 * 1024 });
    stdin.end(Buffer.alloc(17 * 1024 * 1024, 'x'));
    await expect(readInput(ioWith(stdin))).rejects.toThrow(/larger than 16 MiB/);
  });
});
