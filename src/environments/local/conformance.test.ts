import { describe } from 'vitest';
import { variablesWithSecret } from '../conformance/bench.ts';
import { describeEnvironment } from '../conformance.ts';
import { createExitTasks } from '../exit-tasks.ts';
import { sandboxSkipReason } from '../skip-tests.fixture.ts';
import { createLocalEnvironment } from './local.ts';
import { createSandboxEnvironment } from './sandbox.ts';

/** All environments share these exit tasks, as in a process with many sessions. */
const exitTasks = createExitTasks();

describeEnvironment('local', async (workingDirectory) =>
  createLocalEnvironment({ workingDirectory, env: variablesWithSecret(), exitTasks }),
);

const sandboxIsMissing = sandboxSkipReason();
describe.skipIf(sandboxIsMissing !== '')(`with bubblewrap${sandboxIsMissing}`, () => {
  describeEnvironment(
    'sandbox',
    (workingDirectory) =>
      createSandboxEnvironment({ workingDirectory, network: false, hidden: [], env: variablesWithSecret(), exitTasks }),
    { share: { nth: 2 } },
  );
});
