import fc from 'fast-check';
import { expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import type { TrajectoryTurn } from '../trajectory.ts';
import { DEFAULT_GOAL, planCompression } from './compress-line.ts';

const GOAL = { targetTokens: 1000, summaryTokens: 50, keepLast: 4 };

/** `s` system, `h` human, `g` answer, `t` results. */
function turnsOf(text: string): TrajectoryTurn[] {
  const roles = { s: 'system', h: 'human', g: 'gpt', t: 'tool' } as const;
  return [...text].map((letter) => ({ from: roles[letter as keyof typeof roles], value: '' }));
}

verifies('TRAJ-6', 'keeps head and tail and removes as little of the middle as necessary', () => {
  expect(DEFAULT_GOAL).toEqual({ targetTokens: 15_250, summaryTokens: 750, keepLast: 4 });
  const turns = turnsOf('shgtgtgtgtgtgtg');
  const each = (tokens: number) => turns.map(() => tokens);
  expect(planCompression(turns, each(60), GOAL)).toBeUndefined();
  // 1500 tokens: 500 too many, 80 for the summary, 100 each.
  expect(planCompression(turns, each(100), GOAL)).toEqual({ from: 4, to: 10 });
  // Far too many: everything between head and tail is removed, and the answer of the kept results stays.
  expect(planCompression(turns, each(10_000), GOAL)).toEqual({ from: 4, to: 10 });
});

it('removes nothing if there is no middle or the summary would be larger', () => {
  const short = turnsOf('shgtgtg');
  expect(
    planCompression(
      short,
      short.map(() => 10_000),
      GOAL,
    ),
  ).toBeUndefined();
  const turns = turnsOf('shgtgtgtg');
  expect(planCompression(turns, [5000, 1, 1, 1, 1, 1, 1, 1, 1], GOAL)).toBeUndefined();
});

it('never separates results from their answer, and keeps head and tail complete', () => {
  const pieces = fc.array(fc.constantFrom('h', 'g', 'gt'), { minLength: 5, maxLength: 60, size: 'max' });
  const sizes = fc.array(fc.nat({ max: 400 }), { minLength: 130, maxLength: 130 });
  fc.assert(
    fc.property(pieces, sizes, fc.integer({ min: 100, max: 15_000 }), (letters, tokens, targetTokens) => {
      const turns = turnsOf(`sh${letters.join('')}`);
      const range = planCompression(turns, tokens.slice(0, turns.length), { ...GOAL, targetTokens });
      if (range === undefined) return;
      const { from, to } = range;
      expect(from).toBeGreaterThanOrEqual(2);
      expect(to).toBeGreaterThan(from);
      expect(turns.length - to).toBeGreaterThanOrEqual(GOAL.keepLast);
      expect(turns[from]?.from).not.toBe('tool');
      expect(turns[to]?.from).not.toBe('tool');
    }),
    { numRuns: 500 },
  );
});
