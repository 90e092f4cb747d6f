import fc from 'fast-check';
import { visibleWidth } from '@earendil-works/pi-tui/dist/utils.js';
import { expect, it } from 'vitest';
import { sampleClusters } from '../../../util/text-width.fixture.ts';

import { fitLine, lineWidth } from './width.ts';

it('is the measure of the input field, too', () => {
  fc.assert(fc.property(sampleClusters, (line) => lineWidth(line) === visibleWidth(line)));
  for (let code = 0x20; code < 0x3000; code += 1) {
    const sign = String.fromCharCode(code);
    // Control characters are never drawn, and unassigned ones have no width yet.
    if (/\p{Cc}|\p{Cn}/u.test(sign)) continue;
    expect([sign, lineWidth(sign)]).toEqual([sign, visibleWidth(sign)]);
  }
});

it('ignores colours and links', () => {
  expect(lineWidth('\u001b[31mred\u001b[39m')).toBe(3);
  expect(lineWidth('\u001b]8;;https://example.com\u001b\\link\u001b]8;;\u001b\\')).toBe(4);
});

it('truncates wide lines and keeps their colours', () => {
  expect(fitLine('\u001b[31mred\u001b[39m', 3)).toBe('\u001b[31mred\u001b[39m');
  expect(lineWidth(fitLine('漢字漢字', 5))).toBeLessThanOrEqual(5);
});
