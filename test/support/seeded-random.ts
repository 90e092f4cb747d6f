import { randomInt } from 'node:crypto';

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Runs a random test with a new seed, or with HERMES_TEST_SEED to replay one. A failure names its seed. */
export async function withRandom(run: (random: () => number) => Promise<void>): Promise<void> {
  const seed = Number(process.env['HERMES_TEST_SEED'] ?? randomInt(2 ** 31));
  try {
    await run(seededRandom(seed));
  } catch (thrown) {
    throw new Error(`Failed with seed ${seed}; set HERMES_TEST_SEED=${seed} to replay it.`, { cause: thrown });
  }
}
