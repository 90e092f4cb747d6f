import fc from 'fast-check';
import { expect, it } from 'vitest';
import { sanitizeInput } from './sanitize-input.ts';

it('keeps text, line breaks and tabs, and removes control characters and escape sequences', () => {
  expect(sanitizeInput('one\r\ntwo\rthree\t字\u001b]0;title\u0007\u009b2J\u0003')).toBe('one\ntwo\nthree\t字2J');
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      // oxlint-disable-next-line no-control-regex
      expect(sanitizeInput(text)).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
    }),
  );
});
