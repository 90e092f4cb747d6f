import { expect, it } from 'vitest';
import { guessColours, parseBackgroundReply } from './colours.ts';

it('detects a light or dark terminal, and respects NO_COLOR', () => {
  expect(guessColours({})).toBe('dark');
  expect(guessColours({ COLORFGBG: '0;15' })).toBe('light');
  expect(guessColours({ COLORFGBG: '15;default;0' })).toBe('dark');
  expect(guessColours({ COLORFGBG: '0;15', NO_COLOR: '1' })).toBe('none');
});

it('parses the reply of the terminal and ignores keys', () => {
  expect(parseBackgroundReply('\u001b]11;rgb:ffff/ffff/dddd\u0007')).toBe('light');
  expect(parseBackgroundReply('\u001b]11;rgb:1c1c/1c1c/1c1c\u001b\\')).toBe('dark');
  for (const key of ['a', '\u001b', '\u001b[A', '\u001b]11;nonsense\u0007'])
    expect(parseBackgroundReply(key)).toBeUndefined();
});
