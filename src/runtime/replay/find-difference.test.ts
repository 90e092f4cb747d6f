import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findPath, findTextDifference, isExtension } from './find-difference.ts';

const body = (messages: unknown[], system = 'be good') => JSON.stringify({ model: 'm', system, messages });

describe('isExtension', () => {
  it('is true for a longer history, wherever the cache markers are', () => {
    const marked = { role: 'user', content: [{ type: 'text', text: 'a', cache_control: { type: 'ephemeral' } }] };
    const plain = { role: 'user', content: [{ type: 'text', text: 'a' }] };
    expect(isExtension(body([marked]), body([plain, { role: 'assistant' }]))).toBe(true);
    expect(isExtension(body(['a']), body(['a', 'b']))).toBe(true);
    expect(isExtension(body(['a', 'b']), body(['a']))).toBe(false);
    expect(isExtension(body(['a']), body(['A', 'b']))).toBe(false);
    expect(isExtension(body(['a'], 'x'), body(['a', 'b'], 'y'))).toBe(false);
  });

  it('holds for any added messages, but not if an earlier one differs', () => {
    fc.assert(
      fc.property(fc.array(fc.string()), fc.array(fc.string()), fc.string(), (before, more, first) => {
        expect(isExtension(body(before), body([...before, ...more]))).toBe(true);
        expect(isExtension(body([first, ...before]), body([`${first}!`, ...before, ...more]))).toBe(false);
      }),
    );
  });
});

describe('a difference', () => {
  it('is reported as a path, and as a line with an excerpt of both texts', () => {
    expect(findPath({ messages: [{ a: 1 }, { b: 'x' }] }, { messages: [{ a: 1 }, { b: 'y' }, 3] })).toEqual([
      ...['messages', '1', 'b'],
    ]);
    expect(findPath({ a: [1] }, { a: [1, 2] })).toBeUndefined();
    expect(findTextDifference('one\ntwo\nthree', 'one\ntwo\nThree and more')).toEqual({
      line: 3,
      before: 'three',
      after: 'Three and more',
    });
    expect(findTextDifference('same', 'same')).toBeUndefined();
  });

  it('never shows a secret', () => {
    const found = findTextDifference('key: sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789', 'key: none');
    expect(JSON.stringify(found)).not.toContain('abcdefghijklmnop');
  });
});
