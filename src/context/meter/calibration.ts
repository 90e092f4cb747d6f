/** A request of fewer tokens consists mostly of frame, and says nothing about text. */
const LEAST_TOKENS = 64;
/** Counts beyond this are a mistake of someone, not a way to cut text into tokens. */
const MOST_DIFFERENCE = 8;
const REMEMBERED = 5;

/** By what the plain guess has to be multiplied for one model. */
export interface Calibration {
  factor(): number;
  learn(guessed: number, counted: number): void;
}

/**
 * The middle one of the newest factors: one strange count does not move it, a model that really counts otherwise does
 * within two calls.
 */
export function createCalibration(): Calibration {
  const seen: number[] = [];
  let factor = 1;
  return {
    factor: () => factor,
    learn(guessed, counted) {
      if (!(guessed >= LEAST_TOKENS) || !(counted >= 1)) return;
      const found = (factor * counted) / guessed;
      if (!(found <= MOST_DIFFERENCE && found >= 1 / MOST_DIFFERENCE)) return;
      seen.push(found);
      if (seen.length > REMEMBERED) seen.shift();
      factor = middleOf(seen);
    },
  };
}

function middleOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] as number;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] as number) + upper) / 2;
}
