import { expect, it } from 'vitest';
import { RULES, type RuleId } from './rules.ts';

/** A test that proves a rule of the specification; the coverage test reads these calls. */
export function verifies(
  rules: RuleId | readonly RuleId[],
  name: string,
  test: () => Promise<void> | void,
  timeout?: number,
): void {
  const ids = typeof rules === 'string' ? [rules] : rules;
  for (const id of ids) if (!(id in RULES)) throw new Error(`unknown rule ${id} in the test "${name}"`);
  const title = `${ids.join(', ')}: ${name}`;
  it(
    title,
    async () => {
      // A proof without an assertion proves nothing, and the linter sees only tests that are written with `it`.
      expect.hasAssertions();
      await test();
    },
    timeout,
  );
}
