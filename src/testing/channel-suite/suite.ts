import type FastCheck from 'fast-check';
import type { ChannelBench } from './channel-bench.ts';

/** What an assertion of the runner offers. Those of vitest and of the package `expect` do. */
export type Assertions = {
  toBe(expected: unknown): void;
  toEqual(expected: unknown): void;
  toMatchObject(expected: object): void;
  toContain(expected: unknown): void;
  toHaveLength(length: number): void;
  toBeDefined(): void;
  toBeUndefined(): void;
  toBeGreaterThan(value: number): void;
  toBeLessThan(value: number): void;
  toBeLessThanOrEqual(value: number): void;
  not: { toContain(expected: unknown): void; toBe(expected: unknown): void };
};

/** The context of a running test; `skip` marks it as skipped. */
type RunnerContext = { skip?(reason?: string): unknown };
type RunnerTest = (context?: RunnerContext) => Promise<void>;

/** The functions of the test runner, such as those of vitest, or of `node:test` with the package `expect`. */
export type TestRunner = {
  describe(name: string, group: () => void): unknown;
  it(name: string, test: RunnerTest, timeoutMs?: number): unknown;
  expect(actual: unknown): Assertions;
  /** The module fast-check. Without it, tests with random texts are not registered. */
  fc?: object;
  /** Whether slow tests use their full amounts. */
  isThorough?: boolean;
  /** Registers a test that verifies rules. Default: `it`. */
  verifies?(rules: string | readonly string[], name: string, test: RunnerTest): unknown;
};

/** A test that gets a bench of its own. */
type BenchTest = (bench: ChannelBench) => Promise<void>;

/** What the groups of tests use to register their tests. */
export type Suite = {
  describe(name: string, group: () => void): void;
  it(name: string, test: BenchTest, timeoutMs?: number): void;
  verifies(rules: string | readonly string[], name: string, test: BenchTest): void;
  expect: TestRunner['expect'];
  fc: typeof FastCheck | undefined;
  /** The value for the amount of testing. */
  amount<T>(small: T, full: T): T;
};

/** Thrown by a test that does not apply to the platform. */
class NotApplicable extends Error {}

/** A test for platforms with an ability: `needs` returns what the bench offers for it, or undefined to skip the test. */
export function needing<Needed>(
  needs: (bench: ChannelBench) => Needed | undefined,
  test: (bench: ChannelBench, needed: Needed) => Promise<void>,
): BenchTest {
  return (bench) => {
    const needed = needs(bench);
    return needed === undefined ? Promise.reject(new NotApplicable()) : test(bench, needed);
  };
}

export function createSuite(runner: TestRunner, open: () => Promise<ChannelBench>): Suite {
  const withBench =
    (test: BenchTest): RunnerTest =>
    async (context) => {
      const bench = await open();
      try {
        await test(bench);
      } catch (error) {
        if (!(error instanceof NotApplicable)) throw error;
        context?.skip?.('the platform does not have this ability');
      } finally {
        await bench.close();
      }
    };
  const register = runner.verifies ?? ((_rules, name, test) => runner.it(name, test));
  return {
    describe: (name, group) => void runner.describe(name, group),
    it: (name, test, timeoutMs) => void runner.it(name, withBench(test), timeoutMs),
    verifies: (rules, name, test) => void register(rules, name, withBench(test)),
    expect: runner.expect,
    fc: runner.fc as typeof FastCheck | undefined,
    amount: (small, full) => (runner.isThorough ? full : small),
  };
}
