import fc from 'fast-check';
import { expect, it } from 'vitest';
import { fitWidth, padWidth, textWidth, wrapText } from './text-width.ts';

it('counts columns as terminals do', () => {
  expect(textWidth('plain')).toBe(5);
  expect(textWidth('日本語')).toBe(6);
  expect(textWidth('e\u0301a')).toBe(2);
  expect(textWidth('😀!')).toBe(3);
  expect(padWidth('语', 4)).toBe('语  ');
});

it('truncates and wraps to the width, and loses only spaces at line breaks', () => {
  expect(fitWidth('构建 fails\n again', 9)).toBe('构建 fai…');
  expect(wrapText('one two three\n\n四五六七', 7)).toEqual(['one two', 'three', '', '四五六', '七']);
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 2, max: 30 }), (text, columns) => {
      const lines = wrapText(text, columns);
      expect(Math.max(...lines.map(textWidth))).toBeLessThanOrEqual(columns);
      const bare = (value: string) => value.replace(/[\s]/g, '');
      expect(bare(lines.join(''))).toBe(bare(text));
      expect(textWidth(fitWidth(text, columns))).toBeLessThanOrEqual(columns);
    }),
  );
});
