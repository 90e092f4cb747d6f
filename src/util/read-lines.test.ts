import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type RawLine, readLines } from './read-lines.ts';

async function linesOf(chunks: Iterable<Uint8Array>, longest = Infinity): Promise<RawLine[]> {
  async function* given() {
    yield* chunks;
  }
  const lines: RawLine[] = [];
  for await (const line of readLines(given(), longest)) lines.push(line);
  return lines;
}

function* inPieces(bytes: Uint8Array, size: number): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

it('splits any content into lines with their offsets, whatever the chunk size', async () => {
  const content = fc.string({ unit: fc.constantFrom('a', 'ü', '\n', '\r', '\u2028', '😀', '"'), maxLength: 200 });
  await fc.assert(
    fc.asyncProperty(content, fc.integer({ min: 1, max: 9 }), async (text, size) => {
      const bytes = Buffer.from(text);
      const lines = await linesOf(inPieces(bytes, size));
      const expected = text.split('\n');
      if (expected.at(-1) === '') expected.pop();
      expect(lines.map((line) => line.bytes?.toString())).toEqual(expected);
      expect(lines.map(({ number }) => number)).toEqual(expected.map((_, index) => index + 1));
      for (const { start, length, bytes: line } of lines) expect(bytes.subarray(start, start + length)).toEqual(line);
      expect(lines.every((line) => line.bytes === undefined || line.hasEnd)).toBe(text === '' || text.endsWith('\n'));
    }),
  );
});

it('discards a line over the limit and still returns the next one', async () => {
  const chunks = [...inPieces(Buffer.alloc(100_000, 120), 1000), Buffer.from('\nok\n')];
  expect(await linesOf(chunks, 10_000)).toEqual([
    { number: 1, start: 0, length: 100_000, bytes: undefined },
    { number: 2, start: 100_001, length: 2, bytes: Buffer.from('ok'), hasEnd: true },
  ]);
});
