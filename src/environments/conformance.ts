import { afterAll, beforeAll, describe } from 'vitest';
import type { Bench, OpenEnvironment } from './conformance/bench.ts';
import { createBench } from './conformance/bench.ts';
import { describeCarryOver } from './conformance/carry-over.ts';
import { describeCommands } from './conformance/commands.ts';
import { describeFiles } from './conformance/files.ts';
import { describeProcesses } from './conformance/processes.ts';
import { describeStopping } from './conformance/stopping.ts';
import { describeWriting } from './conformance/writing.ts';

export type { OpenEnvironment } from './conformance/bench.ts';

/** What every environment must do. `open` gives one that begins in the folder it is given. */
export function describeEnvironment(name: string, open: OpenEnvironment): void {
  describe(`${name} as an environment`, () => {
    let bench: Bench;
    beforeAll(async () => {
      bench = await createBench(open);
    });
    afterAll(() => bench.close());
    const get = () => bench;
    describeCommands(get);
    describeCarryOver(get);
    describeStopping(get);
    describeProcesses(get);
    describeFiles(get);
    describeWriting(get);
  });
}
