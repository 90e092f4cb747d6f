import { createHash } from 'node:crypto';
import type { Distribution } from './distributions.ts';

const DRAWN_BYTES = 6;

/**
 * The tool sets of one prompt. They follow from the seed and the prompt alone, so a run that is taken up again draws the
 * same. Where chance leaves none, the likeliest one is taken: an agent without tools is nobody's wish.
 */
export function sampleToolsets(distribution: Distribution, { seed, key }: { seed: number; key: string }): string[] {
  const sets = Object.entries(distribution).filter(([, percent]) => percent > 0);
  const drawn = sets.filter(([name, percent]) => chance(`${seed}\n${key}\n${name}`) * 100 < percent);
  const [likeliest] = sets.toSorted(([, first], [, second]) => second - first);
  return (drawn.length === 0 && likeliest ? [likeliest] : drawn).map(([name]) => name);
}

/** A number from 0 to 1, without 1. */
function chance(text: string): number {
  return createHash('sha256').update(text).digest().readUIntBE(0, DRAWN_BYTES) / 2 ** (DRAWN_BYTES * 8);
}
