import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import { HermesError } from '../base/index.ts';
import { sanitiseTitle } from './title.ts';

describe('sanitiseTitle', () => {
  verifies('STORE-3', 'removes control and zero-width characters and collapses whitespace', () => {
    expect(sanitiseTitle('  Fix\u0000 the\u200b\n\t build\u202e \u{e0041}')).toBe('Fix the build');
    expect(sanitiseTitle('a\u00a0\u3000b')).toBe('a b');
    expect(sanitiseTitle('one\u2028two\u0085three')).toBe('one two three');
  });

  verifies('STORE-3', 'a title without visible characters is undefined', () => {
    for (const title of [undefined, '', '  ', '\u200b\u200d', '\n', '\ud800'])
      expect(sanitiseTitle(title)).toBeUndefined();
  });

  verifies('STORE-3', 'a hundred characters fit, one more does not', () => {
    expect(sanitiseTitle('😀'.repeat(100))).toBe('😀'.repeat(100));
    expect(() => sanitiseTitle('x'.repeat(101))).toThrow(HermesError);
    expect(() => sanitiseTitle('x'.repeat(101))).toThrow('101 characters');
  });

  it('returns a clean title unchanged', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 90 }), (text) => {
        const clean = sanitiseTitle(text);
        expect(sanitiseTitle(clean)).toBe(clean);
        expect(clean ?? 'x').toMatch(/^\S(.*\S)?$/su);
      }),
    );
  });
});
