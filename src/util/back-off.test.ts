import fc from 'fast-check';
import { expect } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import { backOffDelay } from './back-off.ts';

const BACK_OFF = { baseMs: 2_000, maxMs: 60_000 };

verifies('CALL-3', 'waits double from 2 s on and never pass 60 s, whatever chance adds', () => {
  expect([1, 2, 3].map((attempt) => backOffDelay(attempt, BACK_OFF, () => 0))).toEqual([2_000, 4_000, 8_000]);
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1_000 }), fc.double({ min: 0, max: 1, noNaN: true }), (attempt, chance) => {
      const delay = backOffDelay(attempt, BACK_OFF, () => chance);
      expect(delay).toBeGreaterThanOrEqual(Math.min(2_000 * 2 ** (attempt - 1), 60_000));
      expect(delay).toBeLessThanOrEqual(60_000);
    }),
  );
});
