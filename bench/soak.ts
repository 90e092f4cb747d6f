import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import fc from 'fast-check';
import { API_MODES, type ApiMode } from '../src/contracts/index.ts';
import { anyFaultSequence, checkFaultSequence } from '../test/support/fault-sequences.ts';
import { killAndResume, randomMoment } from '../test/support/kill-and-resume.ts';
import { seededRandom } from '../test/support/seeded-random.ts';

/** One kind of stress test: `check` throws if round number `round` failed. */
type Soak = { name: string; check(round: number): Promise<void> };

/**
 * Repeats kills and fault sequences, each for a given time. The rounds depend on the seed, so a failure can be
 * replayed.
 */
async function main(): Promise<void> {
  const { values } = parseArgs({ options: { seconds: { type: 'string', default: '600' }, seed: { type: 'string' } } });
  const seed = Number(values.seed ?? randomInt(2 ** 31));
  console.log(`seed ${seed}\n\n| soak | rounds | seconds |\n|---|---:|---:|`);
  for (const soak of [killsOf(seed), faultsOf(seed)]) await repeat(soak, Number(values.seconds), seed);
}

function killsOf(seed: number): Soak {
  const random = seededRandom(seed);
  return { name: 'killed and resumed', check: () => killAndResume(randomMoment(random)) };
}

function faultsOf(seed: number): Soak {
  return {
    name: 'fault sequences',
    async check(round) {
      const apiMode = API_MODES[round % API_MODES.length] as ApiMode;
      const [sequence] = fc.sample(anyFaultSequence, { numRuns: 1, seed: seed + round });
      if (sequence !== undefined) await checkFaultSequence(apiMode, sequence);
    },
  };
}

async function repeat({ name, check }: Soak, seconds: number, seed: number): Promise<void> {
  const startedAt = performance.now();
  const elapsed = () => (performance.now() - startedAt) / 1000;
  let round = 0;
  for (; elapsed() < seconds; round += 1) {
    try {
      await check(round);
    } catch (thrown) {
      throw new Error(`${name}: round ${round} of seed ${seed} failed; replay it with --seed ${seed}.`, {
        cause: thrown,
      });
    }
  }
  console.log(`| ${name} | ${round} | ${elapsed().toFixed(0)} |`);
}

await main();
