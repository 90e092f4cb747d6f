import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createAnsiStripper, stripAnsi } from './ansi.ts';

const COLOURED =
  '\u001b[1;31mred\u001b[0m \u001b]8;;https://x\u0007link\u001b]8;;\u001b\\ \u001b(Bend\u001b[?25l\u001bM';

describe('escape sequences', () => {
  it('are removed and the text is kept', () => {
    expect(stripAnsi(COLOURED)).toBe('red link end');
    expect(stripAnsi('plain\ttext\r\n')).toBe('plain\ttext\r\n');
  });

  it('are removed however the text is split into chunks', () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: COLOURED.length })), (cuts) => {
        const stripper = createAnsiStripper();
        const places = [0, ...cuts.sort((a, b) => a - b), COLOURED.length];
        const pieces = places.slice(1).map((end, index) => COLOURED.slice(places[index], end));
        expect(pieces.map((piece) => stripper.push(piece)).join('') + stripper.end()).toBe('red link end');
      }),
    );
  });

  it('are treated as text if they never end', () => {
    const stripper = createAnsiStripper();
    const endless = `\u001b]${'x'.repeat(5000)}`;
    expect(stripper.push(endless) + stripper.end()).toBe(endless);
  });
});
