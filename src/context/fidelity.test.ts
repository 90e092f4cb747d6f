import { describe, expect } from 'vitest';
import { measureFidelity, WAYS } from '../../bench/fidelity/measure.ts';
import { measureLong } from '../../bench/fidelity/measure-long.ts';
import { measureRecall } from '../../bench/fidelity/measure-recall.ts';
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

describe.each([
  [8_000, 0],
  [32_000, 28],
  [128_000, 28],
])('300 turns in a window of %i tokens, with a mediocre summary model', (window, least) => {
  verifies(
    ['CTX-8', 'CTX-13'],
    'keep all facts reachable and most of them in the window, and cut no unseen result',
    async () => {
      const { inWindow, unreachable, summaries, clearings, unseenCut } = await measureLong(window);
      expect(unreachable).toEqual([]);
      expect(inWindow.length).toBeGreaterThanOrEqual(least);
      expect(summaries + clearings).toBeGreaterThan(2);
      expect(unseenCut).toBe(0);
    },
  );
});

verifies(['CTX-8', 'STORE-4'], 'a search in other words finds the facts of a long session', async () => {
  const { questions, found, missed } = await measureRecall();
  expect(questions).toBe(40);
  expect(found, missed.join('; ')).toBeGreaterThanOrEqual(0.8 * questions);
});
