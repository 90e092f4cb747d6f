import { describe, expect } from 'vitest';
import { measureFidelity, WAYS } from '../../bench/fidelity/measure.ts';
import { makeSessions } from '../../bench/fidelity/sessions.ts';
import { verifies } from '../../test/spec/verifies.ts';

const sessions = makeSessions();

describe.each(WAYS)('three compressions of a long session, with %s', (way) => {
  verifies(
    ['CTX-7', 'CTX-8'],
    'keep every planted fact in the window or in a message that the window lists by number',
    async () => {
      for (const session of sessions) {
        const { inWindow, ofUser, lost, sizes, questions } = await measureFidelity(session, way);
        const [said, kept] = ofUser;
        expect(lost).toEqual([]);
        // User statements must stay in the window itself: the model does not look up a requirement that it no longer
        // knows about.
        expect(kept).toBeGreaterThanOrEqual(way === 'compressor' ? said : said - 1);
        expect(inWindow).toBeGreaterThanOrEqual(5);
        // Later compressions cost no more than the first one, and the result does not grow.
        expect(questions).toBe(way === 'compressor' ? 3 : 0);
        for (const [, after] of sizes) expect(after).toBeLessThan(10_000);
      }
    },
  );
});
