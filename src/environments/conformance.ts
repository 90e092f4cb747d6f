import { afterAll, beforeAll, describe } from 'vitest';
import { type Bench, createBench, type OpenEnvironment } from './conformance/bench.ts';
import {
  describeCarryOver,
  describeCarryOverLimits,
  describeCommands,
  describeOutput,
} from './conformance/commands.ts';
import { describeFileNames, describeFiles, describeWriting, describeWritingElsewhere } from './conformance/files.ts';
import {
  describeLeftProcesses,
  describeProcesses,
  describeStartedProcesses,
  describeStopping,
  describeTerminals,
} from './conformance/processes.ts';

export type { OpenEnvironment } from './conformance/bench.ts';

/**
 * What every environment must do. `open` gives one that begins in the folder it is given. Some machines cannot give
 * terminals to others.
 */
export function describeEnvironment(name: string, open: OpenEnvironment, withoutTerminals = false): void {
  describe(`${name} as an environment`, () => {
    let bench: Bench;
    beforeAll(async () => {
      bench = await createBench(open);
    });
    afterAll(() => bench.close());
    const get = () => bench;
    describeCommands(get);
    describeOutput(get);
    describeCarryOver(get);
    describeCarryOverLimits(get);
    describeStopping(get);
    describeProcesses(get);
    describeStartedProcesses(get);
    describeLeftProcesses(get);
    describeTerminals(get, withoutTerminals);
    describeFiles(get);
    describeFileNames(get);
    describeWriting(get);
    describeWritingElsewhere(get);
  });
}
