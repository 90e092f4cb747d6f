import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createTheme } from '../render/index.ts';
import { createInput } from './input.ts';

const theme = createTheme({ colours: 'none' });
const open = () =>
  createInput({ theme: () => theme, rows: () => 24, onChange: () => undefined, onSubmit: () => undefined });

/** Wide and zero-width characters, and grapheme clusters that are wider than a window. */
const PARTS = [
  'a',
  ' ',
  '\n',
  '字',
  '😀',
  '👩\u200d👧',
  '🇩🇪',
  'e\u0301',
  `ก${'\u0e33'.repeat(90)}`,
  `क${'\u093e'.repeat(9)}`,
  '\u200b',
];

it('draws any text in a window of any width', () => {
  const text = fc.array(fc.constantFrom(...PARTS), { maxLength: 30 }).map((parts) => parts.join(''));
  fc.assert(
    fc.property(text, fc.integer({ min: 1, max: 40 }), (typed, width) => {
      const input = open();
      input.setText(typed);
      const { lines, cursor } = input.render(width, '❯ ');
      expect(lines[0]?.startsWith('❯') || lines[0]?.includes('↑')).toBe(true);
      expect(cursor.row).toBeLessThan(lines.length);
      expect(input.expandedText()).toBe(typed);
    }),
  );
});
