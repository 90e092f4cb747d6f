import { createRequire } from 'node:module';
import type { Parameters } from 'fast-check';
import { scaledRuns } from './dose.ts';

// Replaces `fast-check` in all tests (see vitest.config.ts), so the real package is loaded without the alias.
const real = createRequire(import.meta.url)('fast-check') as typeof import('fast-check');

const DEFAULT_RUNS = 100;

/** `fc.assert` with as many runs as the dose allows. A failure prints its seed; `seed` and `path` replay it. */
const assert = ((property: never, parameters: Parameters<unknown> = {}) => {
  const isReplay = parameters.path !== undefined;
  const numRuns = isReplay ? parameters.numRuns : scaledRuns(parameters.numRuns ?? DEFAULT_RUNS);
  return real.assert(property, { ...parameters, ...(numRuns !== undefined && { numRuns }) });
}) as typeof real.assert;

const scaled = { ...real, assert };

// oxlint-disable-next-line import/no-default-export -- as the package has it
export default scaled;
