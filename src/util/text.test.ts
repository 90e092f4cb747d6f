import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { expandBraces, showControls } from './text.ts';

describe('expandBraces', () => {
  it('expands every combination, and leaves other braces alone', () => {
    expect(expandBraces('{a,b}/{1,2}')).toEqual(['a/1', 'a/2', 'b/1', 'b/2']);
    expect(expandBraces('x{,.bak}')).toEqual(['x', 'x.bak']);
    expect(new Set(expandBraces('{a{b,c},d}'))).toEqual(new Set(['ab', 'ac', 'd']));
    expect(expandBraces('{} {a} }{')).toEqual(['{} {a} }{']);
  });

  it('expands a long list completely, but limits the product of many lists', () => {
    const names = Array.from({ length: 500 }, (_, index) => `n${index}`);
    expect(expandBraces(`{${names.join(',')},/}`).at(-1)).toBe('/');
    expect(expandBraces('{a,b}'.repeat(60)).length).toBeLessThan(100_000);
  });
});

describe('showControls', () => {
  it('leaves text, line breaks and tabs alone', () => {
    const text = 'a\tb\r\nc\f\u0008 ä 😀 ␀';
    expect(showControls(text)).toBe(text);
  });

  it('shows single control characters, and counts long runs', () => {
    expect(showControls('a\u0000\u0000b\u001b[0m')).toBe('a␀␀b␛[0m');
    expect(showControls(`${'\u0000'.repeat(1234)}x${'\u0001'.repeat(5)}`)).toBe(
      '[1,234 NUL characters]x[5 control characters U+0001]',
    );
  });

  it('never makes JSON larger than a few characters per run', () => {
    const control = fc.constantFrom(...['\u0000', '\u0001', '\u001f', '\u000b', 'a']);
    fc.assert(
      fc.property(fc.array(control, { maxLength: 300 }), (parts) => {
        expect(JSON.stringify(showControls(parts.join('')))).not.toMatch(/\\u00/);
      }),
    );
  });
});
