import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { API_MODES } from '../../src/contracts/index.ts';
import { verifies } from '../spec/verifies.ts';
import { scaledRuns } from '../support/dose.ts';
import { anyFaultSequence, checkFaultSequence } from '../support/fault-sequences.ts';

const SEQUENCES = 500;
const PER_MODE = Math.ceil(SEQUENCES / API_MODES.length);

describe('soak', () => {
  for (const apiMode of API_MODES) {
    verifies(
      ['LOOP-4', 'LOOP-6', 'LOOP-10'],
      `${scaledRuns(PER_MODE)} random fault sequences in ${apiMode}: one terminal event each, a valid history`,
      async () => {
        await fc.assert(
          fc.asyncProperty(anyFaultSequence, async (sequence) => {
            await expect(checkFaultSequence(apiMode, sequence)).resolves.toBeUndefined();
          }),
          { numRuns: PER_MODE, seed: 20_261_115 },
        );
      },
      180_000,
    );
  }
});
