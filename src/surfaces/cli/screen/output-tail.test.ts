import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createOutputTail } from './output-tail.ts';

it('keeps the last lines, and counts those before them', () => {
  const tail = createOutputTail();
  tail.push('one\ntwo\nthr');
  expect(tail.last(2)).toEqual({ lines: ['two', 'thr'], earlier: 1 });
  tail.push('ee\n\n');
  expect(tail.last(2)).toEqual({ lines: ['two', 'three'], earlier: 1 });
  expect(tail.last(0)).toEqual({ lines: [], earlier: 3 });
  for (let line = 0; line < 5000; line += 1) tail.push(`${line}\n`);
  expect(tail.last(1)).toEqual({ lines: ['4999'], earlier: 5003 });
});

it('shows the last version of a line that a progress bar rewrites', () => {
  const tail = createOutputTail();
  for (let share = 0; share <= 100; share += 1) tail.push(`\r${share} % ${'#'.repeat(share)}`);
  expect(tail.last(5).lines).toEqual([`100 % ${'#'.repeat(100)}`]);
});

it('returns nothing that moves the cursor, however the output is split', () => {
  const output = fc.array(
    fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom('\u001b[2J', '\u001b[31m', '\r', '\n', '\u0007', '\u001b]8;;x\u0007'),
    ),
  );
  fc.assert(
    fc.property(output, (pieces) => {
      const tail = createOutputTail();
      for (const piece of pieces) for (const unit of piece) tail.push(unit);
      // oxlint-disable-next-line no-control-regex
      for (const line of tail.last(50).lines) expect(line).not.toMatch(/[\u0000-\u0008\u000a-\u001f\u007f-\u009f]/);
    }),
  );
});
