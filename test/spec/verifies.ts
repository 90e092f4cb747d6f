import { expect, it } from 'vitest';
import { RULES, type RuleId } from './rules.ts';

/** A test that verifies a rule of the specification; the coverage test reads these calls. */
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
      // A test without an assertion verifies nothing, and the linter only checks tests written with `it`.
      expect.hasAssertions();
      await test();
    },
    timeout,
  );
}
