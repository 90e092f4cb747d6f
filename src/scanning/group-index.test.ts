import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createGroupIndex } from './group-index.ts';

const unit = fc.constantFrom('a', 'b', '\u00e1', '\u0461', '\u4e2d', '-', ' ');
const term = fc.string({ unit, minLength: 1, maxLength: 5 });

describe('the group index', () => {
  it('finds exactly the groups of which the text contains a term', () => {
    const groups = fc.array(fc.array(term, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 70 });
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 30 }), groups, fc.nat(5), (text, all, start) => {
        const named = all.map((terms) => terms.map((part) => part.replaceAll(' ', '~')).join(' '));
        const index = createGroupIndex(named);
        const set = new Uint32Array(index.size);
        index.mark(text, { start, end: text.length, base: 0 }, set);
        for (const [at, terms] of all.entries()) {
          const id = index.idOf(named[at] as string);
          const isFound = ((set[id >> 5] as number) & (1 << (id & 31))) !== 0;
          expect(isFound).toBe(terms.some((part) => text.slice(start).includes(part)));
        }
      }),
    );
  });
});
