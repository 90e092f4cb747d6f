import { describe } from 'vitest';
import { variablesWithSecret } from '../../src/environments/conformance/bench.ts';
import { describeEnvironment, PROCESS_GROUPS } from '../../src/environments/conformance.ts';
import { createLocalEnvironment } from '../../src/environments/index.ts';
import { dose } from '../support/dose.ts';
import { withoutLinuxFacilities } from './without-linux.ts';

withoutLinuxFacilities();

// A command of a test may end before `ps`, which is slow on a busy machine, has seen it.
describe('without the facilities of Linux', { retry: 2 }, () => {
  describeEnvironment(
    'local',
    async (workingDirectory) => createLocalEnvironment({ workingDirectory, env: variablesWithSecret() }),
    { share: { nth: 2, start: 0 }, groups: PROCESS_GROUPS },
  );
});

// They wait for several grace periods, and `ps` takes many times longer than reading /proc.
if (dose(false, true)) {
  await import('../../src/processes/process-table.test.ts');
  await import('../../src/environments/launched-command.test.ts');
  await import('../../src/environments/process-tree.test.ts');
  await import('../../src/environments/local/local.test.ts');
  await import('../../src/mcp/server-process.test.ts');
}
