import { describe, expect, it } from 'vitest';
import { expandBraces } from './text.ts';

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
