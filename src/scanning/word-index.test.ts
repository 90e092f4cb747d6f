import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createWordIndex } from './word-index.ts';

const letters = fc.string({
  unit: fc.constantFrom('a', 'b', '_', '1', '\u0461', '\u4e2d'),
  minLength: 1,
  maxLength: 4,
});
const listed = fc.tuple(letters, fc.boolean()).map(([word, isStem]) => (isStem ? `${word}*` : word));

describe('the word index', () => {
  it('finds exactly the groups of which the text contains a word', () => {
    const groups = fc.array(fc.array(listed, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 70 });
    const texts = fc.array(fc.tuple(letters, fc.constantFrom(' ', '-', '. ', '/')), { maxLength: 8 });
    fc.assert(
      fc.property(texts, groups, (pieces, all) => {
        const text = pieces.flat().join('');
        const named = all.map((group) => group.join(' '));
        const index = createWordIndex(named);
        const set = new Uint32Array(index.size);
        index.createMarker()(text, { start: 0, end: text.length, base: 0 }, set);
        const words = pieces.map(([word]) => word);
        for (const [at, group] of all.entries()) {
          const id = index.idOf(named[at] as string);
          const isFound = ((set[id >> 5] as number) & (1 << (id & 31))) !== 0;
          const matches = (term: string) =>
            words.some((word) => (term.endsWith('*') ? word.startsWith(term.slice(0, -1)) : word === term));
          expect(isFound).toBe(group.some(matches));
        }
      }),
    );
  });
});
