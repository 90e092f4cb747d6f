import fc from 'fast-check';
import { expect, it } from 'vitest';
import { lineWidth } from './width.ts';
import { wrapPrinted } from './screen-print.ts';

it('wraps between words with a hanging indent', () => {
  expect(wrapPrinted('fits', 10)).toEqual(['fits']);
  expect(wrapPrinted('some words that go on', 10)).toEqual(['some words', 'that go on']);
  expect(wrapPrinted('  two and three and four', 12)).toEqual(['  two and', '  three and', '  four']);
  expect(wrapPrinted('  /help   shows all of the commands', 24)).toEqual([
    '  /help   shows all of',
    '          the commands',
  ]);
  expect(wrapPrinted('  /a-very-long-name   and words', 16)).toEqual(['  /a-very-long-n', '  ame   and', '  words']);
  expect(wrapPrinted('/a/path/without/any/blank', 10)).toEqual(['/a/path/wi', 'thout/any/', 'blank']);
  expect(wrapPrinted('\u001b[2mdim words go on\u001b[22m', 9).map((line) => lineWidth(line))).toEqual([9, 5]);
});

it('fits any window without losing a word', () => {
  const word = fc.stringMatching(/^[a-z漢🙂]{1,12}$/u);
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 12 }), fc.integer({ min: 4, max: 40 }), (words, columns) => {
      const lines = wrapPrinted(words.join(' '), columns);
      expect(lines.every((line) => lineWidth(line) <= columns)).toBe(true);
      expect(lines.join('').replaceAll(' ', '')).toBe(words.join(''));
    }),
  );
});
