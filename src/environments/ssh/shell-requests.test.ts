import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import fc from '../../../test/support/fast-check.ts';
import { encodeRequest, SHELL_LOOP, splitAtEnd } from './shell-requests.ts';

const request = { id: 'end', kind: 'script', claim: '', inputBytes: 0 } as const;
/** Runs requests in a local shell and returns what it prints after its start. */
function answer(input: string | Buffer): string {
  const { stdout } = spawnSync('/bin/sh', ['-c', SHELL_LOOP], { input });
  const [start, ...rest] = stdout.toString().split('\0');
  expect(start).toBe('\u001Eready 0');
  return rest.join('\0');
}
const anyWord = fc.string({ unit: 'binary', maxLength: 40 }).map((text) => text.replaceAll('\0', '').toWellFormed());

describe('requests to a remote shell', () => {
  it('pass every word unchanged', () => {
    fc.assert(
      fc.property(fc.array(anyWord, { minLength: 1, maxLength: 5 }), (parameters) => {
        const words = ['printf', '%s\\0', ...parameters];
        expect(answer(encodeRequest({ ...request, words }))).toBe(`${parameters.join('\0')}\0\u001Eend 0\0`);
      }),
      { numRuns: 30 },
    );
    expect(() => encodeRequest({ ...request, words: ['a\0b'] })).toThrow('NUL');
  });

  it('run one after another, each with its own stdin and exit code', () => {
    const unread = { ...request, inputBytes: 4, words: ['sh', '-c', 'exit 3'] };
    const read = { ...request, inputBytes: 3, words: ['cat'] };
    const none = { ...request, words: ['cat'] };
    const input = `${encodeRequest(unread)}lost${encodeRequest(read)}a\nb${encodeRequest(none)}`;
    expect(answer(input)).toBe('\u001Eend 3\0a\nb\u001Eend 0\0\u001Eend 0\0');
  });
});

describe('the output of a request', () => {
  it('is found in any chunks and may contain any bytes', () => {
    const mark = Buffer.from('\u001Eend 7\0');
    // Bytes of the mark are frequent, so that the output often looks like its beginning.
    const byte = fc.oneof(fc.constantFrom(...mark), fc.nat(255));
    const output = fc
      .array(byte, { maxLength: 60 })
      .map((bytes) => Buffer.from(bytes))
      .filter((bytes) => !bytes.includes('\u001Eend '));
    fc.assert(
      fc.property(output, fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 9 }), (bytes, sizes) => {
        expect(readInChunks(Buffer.concat([bytes, mark, Buffer.from('next')]), sizes)).toEqual({
          output: bytes.toString('latin1'),
          code: 7,
          rest: 'next',
        });
      }),
    );
  });
});

function readInChunks(data: Buffer, sizes: readonly number[]) {
  let output = '';
  let held: Buffer = Buffer.alloc(0);
  for (let at = 0, round = 0; at < data.length; round++) {
    const end = at + (sizes[round % sizes.length] as number);
    const part = splitAtEnd(Buffer.concat([held, data.subarray(at, end)]), 'end');
    output += part.output.toString('latin1');
    if (part.isEnd) return { output, code: part.code, rest: part.rest.toString() + data.subarray(end).toString() };
    held = part.held;
    at = end;
  }
  throw new Error('the end was not found');
}
