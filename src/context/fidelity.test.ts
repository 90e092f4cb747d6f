import { describe, expect } from 'vitest';
import { measureFidelity, WAYS } from '../../bench/fidelity/measure.ts';
import { makeSessions } from '../../bench/fidelity/sessions.ts';
import { verifies } from '../../test/spec/verifies.ts';

const sessions = makeSessions();

describe.each(WAYS)('three compressions of a long session, with %s', (way) => {
  verifies(
    ['CTX-7', 'CTX-8'],
    'leave every planted fact in the window or in a message that the window names',
    async () => {
      for (const session of sessions) {
        const { inWindow, ofUser, lost, sizes, questions } = await measureFidelity(session, way);
        const [said, kept] = ofUser;
        expect(lost).toEqual([]);
        // What the user said holds on without being asked for; nobody looks up a wish that nobody remembers.
        expect(kept).toBeGreaterThanOrEqual(way === 'compressor' ? said : said - 1);
        expect(inWindow).toBeGreaterThanOrEqual(5);
        // Later compressions are no dearer than the first, and what is left does not grow.
        expect(questions).toBe(way === 'compressor' ? 3 : 0);
        for (const [, after] of sizes) expect(after).toBeLessThan(8_000);
      }
    },
  );
});
