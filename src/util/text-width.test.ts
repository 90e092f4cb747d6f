import { createRequire } from 'node:module';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { EMOJI, LETTERS } from './text-width.fixture.ts';
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

// No named imports: the packages assign their exports.
const require = createRequire(import.meta.url);
const { Terminal } = require('@xterm/headless') as typeof import('@xterm/headless');
const { UnicodeGraphemesAddon } =
  require('@xterm/addon-unicode-graphemes') as typeof import('@xterm/addon-unicode-graphemes');

it('agrees with a terminal about emoji of several characters and about letters', async () => {
  const terminal = new Terminal({ cols: 200, rows: 2, allowProposedApi: true });
  terminal.loadAddon(new UnicodeGraphemesAddon());
  const columnsOf = (text: string) =>
    new Promise<number>((resolve) => {
      terminal.write(`\r${text}`, () => resolve(terminal.buffer.active.cursorX));
    });
  // The emulator draws these marks in the columns of their letter, which many terminals do not.
  const common = [...EMOJI, ...LETTERS].filter((cluster) => !/\p{Mc}|\uff9f/u.test(cluster));
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom(...common), { maxLength: 30 }), async (clusters) => {
      const text = clusters.join('');
      expect(textWidth(text)).toBe(await columnsOf(text));
    }),
  );
  terminal.dispose();
});

it('never splits an emoji', () => {
  expect(fitWidth('👨‍👩‍👧👨‍👩‍👧', 3)).toBe('👨‍👩‍👧…');
  expect(wrapText('🇩🇪🇫🇷👍🏽', 4)).toEqual(['🇩🇪🇫🇷', '👍🏽']);
});
