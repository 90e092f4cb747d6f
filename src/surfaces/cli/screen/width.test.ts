import fc from 'fast-check';
import { expect, it } from 'vitest';
import { visibleWidth } from './pi-tui.ts';
import { fitLine, lineWidth } from './width.ts';

it('returns the same width in the fast path and in the general path', () => {
  const narrow = fc.string({ unit: fc.integer({ min: 0x20, max: 0x2900 }).map((code) => String.fromCharCode(code)) });
  fc.assert(fc.property(narrow, (line) => lineWidth(line) === visibleWidth(line)));
  for (let code = 0x20; code < 0x3000; code += 1) {
    const sign = String.fromCharCode(code);
    if (code === 0x7f || (code >= 0x80 && code < 0xa0)) continue;
    expect([sign, lineWidth(sign)]).toEqual([sign, visibleWidth(sign)]);
  }
});

it('truncates wide lines and keeps their colours', () => {
  expect(fitLine('\u001b[31mred\u001b[39m', 3)).toBe('\u001b[31mred\u001b[39m');
  expect(lineWidth(fitLine('漢字漢字', 5))).toBeLessThanOrEqual(5);
});
