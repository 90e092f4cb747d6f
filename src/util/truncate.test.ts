import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createHeadTailBuffer, joinTruncated, shorten, splitMiddle, takeEnd, takeStart } from './truncate.ts';

const texts = fc.string({ unit: 'binary', maxLength: 300 });

describe('truncating text', () => {
  it('keeps 40 % of the beginning and 60 % of the end', () => {
    const { head, tail, omitted } = splitMiddle('a'.repeat(100) + 'b'.repeat(100), 100);
    expect([head.length, tail.length, omitted]).toEqual([40, 60, 100]);
  });

  it('never splits a character, and counts what it omits', () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 2, max: 100 }), (text, limit) => {
        const { head, tail, omitted } = splitMiddle(text, limit);
        expect(head.isWellFormed() && tail.isWellFormed()).toBe(true);
        expect(head.length + tail.length + omitted).toBe(text.length);
        expect(text.startsWith(head) && text.endsWith(tail)).toBe(true);
        expect(takeStart(text, limit).length).toBeLessThanOrEqual(limit);
        expect(takeEnd(text, limit).length).toBeLessThanOrEqual(limit);
      }),
    );
  });

  it('gives the same result for a stream as for the complete text', () => {
    fc.assert(
      fc.property(fc.array(texts), fc.integer({ min: 2, max: 100 }), (pieces, limit) => {
        const buffer = createHeadTailBuffer(limit);
        for (const piece of pieces) buffer.push(piece);
        expect(buffer.finish()).toEqual(splitMiddle(pieces.join(''), limit));
      }),
      { examples: [[['𐀀𐀀\u0000'], 2]], numRuns: 500 },
    );
  });

  it('says in the gap how much was omitted, and where to find it', () => {
    expect(joinTruncated(splitMiddle('abc', 3))).toBe('abc');
    expect(joinTruncated(splitMiddle('a'.repeat(10), 5))).toBe('aa\n[… 5 characters omitted …]\naaa');
    expect(joinTruncated({ head: 'a', tail: 'b', omitted: 5 }, 'Look there.')).toBe(
      'a\n[… 5 characters omitted. Look there. …]\nb',
    );
  });

  it('shortens text to one line', () => {
    expect(shorten('  one\n two  ', 20)).toBe('one two');
    expect(shorten('abcdef', 4)).toBe('abc…');
  });
});
