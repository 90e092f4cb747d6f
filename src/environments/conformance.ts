import { afterAll, beforeAll, describe } from 'vitest';
import { someOf } from '../../test/support/dose.ts';
import { type Bench, createBench, type OpenEnvironment } from './conformance/bench.ts';
import {
  describeShellState,
  describeShellStateLimits,
  describeCommands,
  describeOutput,
} from './conformance/commands.ts';
import { describeFileNames, describeFiles, describeWriting, describeWritingElsewhere } from './conformance/files.ts';
import {
  describeOrphanedProcesses,
  describeProcesses,
  describeStartedProcesses,
  describeStopping,
  describeTerminals,
} from './conformance/processes.ts';

export type { OpenEnvironment } from './conformance/bench.ts';

/** The groups about processes, which depend on the operating system. */
export const PROCESS_GROUPS = [
  describeStopping,
  describeProcesses,
  describeStartedProcesses,
  describeOrphanedProcesses,
  describeTerminals,
] as const;

const GROUPS = [
  describeCommands,
  describeOutput,
  describeShellState,
  describeShellStateLimits,
  ...PROCESS_GROUPS,
  describeFiles,
  describeFileNames,
  describeWriting,
  describeWritingElsewhere,
] as const;

export type ConformanceOptions = {
  /** For environments that cannot provide pseudo-terminals. */
  withoutTerminals?: boolean;
  /**
   * For an environment whose code is tested completely through another one: the small dose of tests runs only every
   * nth group, beginning with `start`. Environments with different starts cover all groups together.
   */
  share?: { nth: number; start?: number };
  /** The groups to run; all by default. */
  groups?: readonly (typeof GROUPS)[number][];
};

/** The tests that every environment must pass. `open` creates one with the given working directory. */
export function describeEnvironment(
  name: string,
  open: OpenEnvironment,
  { withoutTerminals = false, share = { nth: 1 }, groups = GROUPS }: ConformanceOptions = {},
): void {
  describe(`${name} as an environment`, () => {
    let bench: Bench;
    beforeAll(async () => {
      bench = await createBench(open);
    });
    afterAll(() => bench.close());
    for (const describeGroup of someOf(groups, share.nth, share.start)) describeGroup(() => bench, withoutTerminals);
  });
}
