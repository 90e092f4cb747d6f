import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stripAnsi } from '../../../util/index.ts';
import { textWidth } from '../../../util/text-width.ts';
import { createTheme } from './theme.ts';
import { changedWords, renderDiff } from './render-diff.ts';

const plain = createTheme({ colours: 'none' });
const dark = createTheme({ colours: 'dark' });

const diff = '@@ -9,3 +9,3 @@\n const a = 1;\n-let total = one;\n+let total = two;\n@@ -40,1 +40,2 @@\n last\n+\tnew\n';
const change = { path: 'src/a.ts', added: 2, removed: 1, diff };

describe('renderDiff', () => {
  it('shows line numbers of the file, and a gap between hunks', () => {
    expect(renderDiff(change, 60, plain)).toEqual([
      '  src/a.ts +2 −1',
      '   9   const a = 1;',
      '  10 - let total = one;',
      '  10 + let total = two;',
      '     ⋯',
      '  40   last',
      '  41 +     new',
    ]);
  });

  it('highlights the changed word, but no line that was completely rewritten', () => {
    // oxlint-disable-next-line no-control-regex
    const reversed = renderDiff(change, 60, dark).map((line) => /\u001b\[3[12];7m(\w+)/.exec(line)?.[1]);
    expect(reversed.filter((word) => word !== undefined)).toEqual(['one', 'two']);
    expect(changedWords('  return first;', '  throw new Error(second);')).toBeUndefined();
    expect(changedWords('a + 2;', 'a + 20;')).toEqual({ before: { start: 4, end: 5 }, after: { start: 4, end: 6 } });
    expect(changedWords('a = total1 + b', 'a = total2 + b')).toEqual({
      before: { start: 4, end: 10 },
      after: { start: 4, end: 10 },
    });
  });

  it('says how many lines were omitted', () => {
    const added = Array.from({ length: 100 }, (_, index) => `+line ${index}`).join('\n');
    const lines = renderDiff({ ...change, diff: `@@ -0,0 +1,100 @@\n${added}`, omitted: 60 }, 60, plain);
    expect(lines).toHaveLength(42);
    expect(lines.at(-1)).toBe('  … 120 more lines');
  });

  it('fits any window, whatever the file contains', () => {
    const line = fc.tuple(
      fc.constantFrom('+', '-', ' ', '', '@@ -1 +1 @@'),
      fc.string({ unit: 'binary', maxLength: 300 }),
    );
    fc.assert(
      fc.property(
        fc.array(line, { maxLength: 50 }),
        fc.string({ unit: 'binary' }),
        fc.integer({ min: 20, max: 200 }),
        fc.constantFrom(plain, dark),
        (lines, path, width, theme) => {
          const text = lines.map((parts) => parts.join('')).join('\n');
          for (const drawn of renderDiff({ ...change, path, diff: text, depth: 2 }, width, theme)) {
            expect(textWidth(stripAnsi(drawn))).toBeLessThanOrEqual(width);
            // oxlint-disable-next-line no-control-regex
            expect(stripAnsi(drawn)).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
          }
        },
      ),
    );
  });
});
