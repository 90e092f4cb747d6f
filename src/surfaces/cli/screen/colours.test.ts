import { expect, it } from 'vitest';
import { chooseColours, parseBackgroundReply } from './colours.ts';

it('takes the colours from NO_COLOR, the theme, and the background, in this order', () => {
  const light = { COLORFGBG: '0;15' };
  expect(chooseColours({}, 'auto')).toEqual({ colours: 'dark', isGuess: true });
  expect(chooseColours(light, 'auto')).toEqual({ colours: 'light', isGuess: true });
  expect(chooseColours({ COLORFGBG: '15;default;0' }, 'auto').colours).toBe('dark');
  expect(chooseColours(light, 'high-contrast')).toEqual({ colours: 'high-contrast', isGuess: false });
  expect(chooseColours({ ...light, NO_COLOR: '1' }, 'dark')).toEqual({ colours: 'none', isGuess: false });
});

it('parses the reply of the terminal and ignores keys', () => {
  expect(parseBackgroundReply('\u001b]11;rgb:ffff/ffff/dddd\u0007')).toBe('light');
  expect(parseBackgroundReply('\u001b]11;rgb:1c1c/1c1c/1c1c\u001b\\')).toBe('dark');
  for (const key of ['a', '\u001b', '\u001b[A', '\u001b]11;nonsense\u0007'])
    expect(parseBackgroundReply(key)).toBeUndefined();
});
