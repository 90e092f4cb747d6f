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
// bwrap copies all mounts of the machine and fails if one is removed at that moment, such as that of a container which
// another test ends. The command has not run then, so the test can be repeated.
describe.skipIf(sandboxIsMissing !== '')(`with bubblewrap${sandboxIsMissing}`, { retry: 2 }, () => {
  describeEnvironment(
    'sandbox',
    (workingDirectory) =>
      createSandboxEnvironment({ workingDirectory, network: false, hidden: [], env: variablesWithSecret(), exitTasks }),
    { share: { nth: 2 } },
  );
});
