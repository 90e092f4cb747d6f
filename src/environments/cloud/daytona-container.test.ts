import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { COLLECT_SCRIPT, createLineReader, STREAM_SCRIPT } from './daytona-container.ts';

/** The result of reading a text in chunks. */
function read(pieces: readonly string[]) {
  const [output, errors]: [Buffer[], Buffer[]] = [[], []];
  const found: { code?: number; ends: number } = { ends: 0 };
  const push = createLineReader({
    output: (bytes) => output.push(bytes),
    errors: (bytes) => errors.push(bytes),
    code: (code) => (found.code = code),
    ended: () => found.ends++,
  });
  pieces.forEach(push);
  return { ...found, output: Buffer.concat(output), errors: Buffer.concat(errors) };
}

const BYTES = 'head -c 100000 /dev/zero | tr "\\0" "\\377"; printf "a\\0b"; printf "\\1\\1\\1" >&2; exit 7';
const run = (shell: string, script: string, words: string[], input = '') =>
  spawnSync(shell, ['-c', script, 'sh', ...words], { input }).stdout.toString();

describe('the Daytona output encoding', () => {
  it('is decoded independently of how it is split into chunks', () => {
    const lines = fc.array(fc.tuple(fc.constantFrom('o', 'e'), fc.uint8Array({ minLength: 1 })));
    fc.assert(
      fc.property(lines, fc.array(fc.nat(20)), (all, cuts) => {
        const text = all.map(([kind, bytes]) => `${kind}${Buffer.from(bytes).toString('base64')}\n`).join('');
        const whole = `${text}O\nE\nx3\n`;
        const pieces = cuts.reduce<string[]>(
          (done, size) => [...done, whole.slice(done.join('').length).slice(0, size)],
          [],
        );
        const found = read([...pieces, whole.slice(pieces.join('').length)]);
        const expected = (kind: string) => Buffer.concat(all.flatMap(([one, bytes]) => (one === kind ? [bytes] : [])));
        expect(found).toEqual({ code: 3, ends: 2, output: expected('o'), errors: expected('e') });
      }),
    );
  });

  it('accepts any text', () => {
    fc.assert(fc.property(fc.array(fc.string()), (pieces) => void read(pieces)));
  });

  it.each(['/bin/sh', '/bin/bash'])('preserves every byte of both streams with %s', (shell) => {
    const expected = { code: 7, errors: Buffer.from('\u0001\u0001\u0001') };
    const output = Buffer.concat([Buffer.alloc(100_000, 0xff), Buffer.from('a\0b')]);
    const lines = run(shell, STREAM_SCRIPT, ['', '/bin/sh', '-c', BYTES]);
    expect(read([lines])).toEqual({ ...expected, output, ends: 2 });
    expect(Math.max(...lines.split('\n').map((line) => line.length))).toBeLessThan(4096);
    expect(read([run(shell, COLLECT_SCRIPT, ['/dev/null', '/bin/sh', '-c', BYTES])])).toEqual({
      ...expected,
      output,
      ends: 0,
    });
    const input = ['a\0', 'b\n'].map((text) => `${Buffer.from(text).toString('base64')}\n`).join('');
    expect(read([run(shell, STREAM_SCRIPT, ['1', 'cat'], `${input}.\n`)]).output.toString()).toBe('a\0b\n');
  });
});
