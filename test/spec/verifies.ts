import { expect, it, type TestContext, type TestOptions } from 'vitest';
import { RULES, type RuleId } from './rules.ts';

type Test = (context: TestContext) => Promise<void> | void;

/**
 * A test that verifies a rule of the specification; the coverage test reads these calls. Like `it`, it takes options
 * before the function, such as `fullDoseOnly`, or a timeout after it.
 */
export function verifies(rules: RuleId | readonly RuleId[], name: string, test: Test, timeout?: number): void;
export function verifies(rules: RuleId | readonly RuleId[], name: string, options: TestOptions, test: Test): void;
export function verifies(
  rules: RuleId | readonly RuleId[],
  name: string,
  second: Test | TestOptions,
  third?: Test | number,
): void {
  const ids = typeof rules === 'string' ? [rules] : rules;
  for (const id of ids) if (!(id in RULES)) throw new Error(`unknown rule ${id} in the test "${name}"`);
  const { test, options } = readArguments(second, third);
  it(`${ids.join(', ')}: ${name}`, options, async (context) => {
    // A test without an assertion verifies nothing, and the linter only checks tests written with `it`.
    expect.hasAssertions();
    await test(context);
  });
}

function readArguments(second: Test | TestOptions, third?: Test | number): { test: Test; options: TestOptions } {
  if (typeof second === 'function')
    return { test: second, options: typeof third === 'number' ? { timeout: third } : {} };
  if (typeof third === 'function') return { test: third, options: second };
  throw new Error('verifies(…) needs a test function');
}
