import { variablesWithSecret } from '../conformance/bench.ts';
import { describeEnvironment } from '../conformance.ts';
import { createExitTasks } from '../exit-tasks.ts';
import { describeWithSshServer } from '../skip-tests.fixture.ts';
import { createSshEnvironment } from './ssh.ts';

const exitTasks = createExitTasks();

describeWithSshServer((server) => {
  const open = (workingDirectory: string) =>
    createSshEnvironment({
      host: server().host,
      workingDirectory,
      env: variablesWithSecret(server().env),
      exitTasks,
    });
  // A server that does not run as root may not be able to allocate terminals.
  describeEnvironment('ssh', open, { withoutTerminals: process.getuid?.() !== 0, share: { nth: 4 } });
});
