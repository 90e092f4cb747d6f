import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRollingText } from './rolling-text.ts';

describe('createRollingText', () => {
  it('counts the dropped lines', () => {
    const text = createRollingText(10);
    text.push('one\ntwo\nthree\nfour\n');
    expect([text.text(), text.droppedLines()]).toEqual(['hree\nfour\n', 2]);
  });

  it('returns new text and how much of it was dropped', () => {
    const text = createRollingText(5);
    text.push('abc');
    expect(text.readNew()).toEqual({ text: 'abc', dropped: 0 });
    expect(text.readNew()).toEqual({ text: '', dropped: 0 });
    text.push('defghijklmnop');
    expect(text.readNew()).toEqual({ text: 'lmnop', dropped: 8 });
  });

  it('retains the end of the text however it is split, and never splits a character', () => {
    const pieces = fc.array(fc.string({ unit: fc.constantFrom('a', '\n', '👋', 'ü', '\u001b[31m', '\r\n') }));
    fc.assert(
      fc.property(pieces, fc.integer({ min: 1, max: 20 }), (parts, limit) => {
        const text = createRollingText(limit);
        for (const part of parts) text.push(part);
        text.end();
        const whole = parts.join('').replaceAll('\u001b[31m', '').replaceAll('\r\n', '\n');
        expect(whole.endsWith(text.text())).toBe(true);
        expect(text.text().isWellFormed()).toBe(true);
        expect(text.text().length).toBeGreaterThanOrEqual(Math.min(whole.length, limit - 1));
        expect(text.droppedLines()).toBe(whole.slice(0, whole.length - text.text().length).split('\n').length - 1);
      }),
    );
  });
});
