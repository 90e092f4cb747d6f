/** How often random, slow or exhaustive tests are repeated. */
type Dose = 'small' | 'full';

function readDose(): Dose {
  const asked = process.env['HERMES_TEST_DOSE'] ?? 'small';
  if (asked === 'small' || asked === 'full') return asked;
  throw new Error(`HERMES_TEST_DOSE=${asked} is not a known dose. Use small or full.`);
}

const DOSE = readDose();

/** The value for the chosen dose, such as a number of rounds. */
export function dose<T>(small: T, full: T): T {
  return DOSE === 'full' ? full : small;
}

/**
 * The options of a test or a group that runs only in the full dose, because it is slow and the small dose tests the
 * same code another way. docs/testing.md lists these tests.
 *
 *     it('restarts after a crash', fullDoseOnly, async () => { … });
 */
export const fullDoseOnly: { skip?: true } = dose({ skip: true }, {});

const SMALL_SHARE = 1 / 10;
const SMALL_LEAST = 10;

/** The number of runs of a property that has `full` runs in the full dose. */
export function scaledRuns(full: number): number {
  return dose(Math.min(full, Math.max(SMALL_LEAST, Math.ceil(full * SMALL_SHARE))), full);
}

/** In the small dose every nth item from `start` on, so that different starts together cover all items. */
export function someOf<T>(items: readonly T[], nth: number, start = 0): readonly T[] {
  return dose(
    items.filter((_, index) => (index + start) % nth === 0),
    items,
  );
}
