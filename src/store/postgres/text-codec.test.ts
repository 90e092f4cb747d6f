import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeText, encodeText, toArrayText } from './text-codec.ts';

const ODD_TEXT = fc.string({ unit: fc.constantFrom('\0', '\uffff', '0', '1', 'a', '\ud83d', '\\', '"') });

describe('text for PostgreSQL', () => {
  it('contains no NUL and decodes to the original', () => {
    fc.assert(
      fc.property(fc.oneof(ODD_TEXT, fc.string({ unit: 'binary' })), (text) => {
        expect(encodeText(text)).not.toContain('\0');
        expect(decodeText(encodeText(text))).toBe(text);
      }),
    );
  });

  it('is unchanged if it contains nothing special, and different texts stay different', () => {
    expect(encodeText('plain, 海象 \ufffd')).toBe('plain, 海象 \ufffd');
    fc.assert(fc.property(ODD_TEXT, ODD_TEXT, (a, b) => (a === b) === (encodeText(a) === encodeText(b))));
  });

  it('is quoted in lists', () => {
    expect(toArrayText(['a', 'b"c', 'd\\e', '', 'f\0'])).toBe('{"a","b\\"c","d\\\\e","","f\uffff0"}');
  });
});
