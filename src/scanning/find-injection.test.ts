import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSubstringFinder } from './find-injection.ts';

describe('createPartFinder', () => {
  it('finds exactly the parts that the text contains', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'b', '\u00e1', '\u0461', '\u4e2d', '-'), maxLength: 12 });
    const parts = fc.array(
      letters.filter((part) => part !== ''),
      { minLength: 1, maxLength: 6 },
    );
    fc.assert(
      fc.property(letters, parts, (text, all) => {
        const find = createSubstringFinder(text);
        const expected = all.filter((part) => text.includes(part));
        expect(find(all.join(' '))).toEqual(expected);
        expect(find(all.join(' '))).toEqual(expected);
      }),
    );
  });
});
