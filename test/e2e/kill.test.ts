import { describe, expect } from 'vitest';
import { verifies } from '../spec/verifies.ts';
import { dose } from '../support/dose.ts';
import { killAndResume, MAX_STEPS, randomMoment } from '../support/kill-and-resume.ts';
import { withRandom } from '../support/seeded-random.ts';

const KILLS = dose(2, 50);
/** The number of concurrent runs. Each run has its own home and provider, and mostly waits. */
const LANES = 2;

describe('kill -9', () => {
  verifies(
    'LOOP-11',
    `at ${KILLS} random moments of runs with up to ${MAX_STEPS} tools: no message lost, no finished call run twice`,
    () =>
      withRandom(async (random) => {
        const moments = Array.from({ length: KILLS }, () => randomMoment(random));
        const lanes = Array.from({ length: LANES }, async (_, lane) => {
          for (const moment of moments.filter((_moment, index) => index % LANES === lane)) {
            await expect(killAndResume(moment)).resolves.toBeUndefined();
          }
        });
        await Promise.all(lanes);
      }),
    300_000,
  );
});
