import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { hasLinuxFacilities } from '../../src/util/index.ts';

/**
 * Switches off what only Linux has for the tests of this file, which imports existing test files: they then run the
 * code for other systems, here and in the processes that they start.
 */
export function withoutLinuxFacilities(): void {
  const before = process.env['HERMES_PORTABLE'];
  beforeAll(() => {
    process.env['HERMES_PORTABLE'] = '1';
  });
  afterEach(() => expect(hasLinuxFacilities()).toBe(false));
  afterAll(() => {
    if (before === undefined) delete process.env['HERMES_PORTABLE'];
    else process.env['HERMES_PORTABLE'] = before;
  });
}
