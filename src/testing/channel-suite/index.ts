import { describeAbilities } from './abilities.ts';
import { describeBasics } from './basics.ts';
import type { ChannelBench } from './channel-bench.ts';
import { describeGroups } from './groups.ts';
import { describeReceiving } from './receiving.ts';
import { describeRendering } from './rendering.ts';
import { describeSending } from './sending.ts';
import { createSuite, type TestRunner } from './suite.ts';

export {
  type BenchFile,
  callTimeout,
  type ChannelBench,
  type Receiving,
  type ReceivingOptions,
  startReceiving,
  textsOf,
} from './channel-bench.ts';
export type { Assertions, TestRunner } from './suite.ts';

/**
 * Registers the tests that the adapter of every platform must pass. `openBench` starts a platform with one direct chat for
 * each test. The test runner is passed, so that any can be used.
 */
export function describeChannel(name: string, openBench: () => Promise<ChannelBench>, runner: TestRunner): void {
  runner.describe(`${name} as a channel`, () => {
    const suite = createSuite(runner, openBench);
    for (const describeGroup of [
      describeBasics,
      describeReceiving,
      describeSending,
      describeRendering,
      describeAbilities,
      describeGroups,
    ])
      describeGroup(suite);
  });
}
