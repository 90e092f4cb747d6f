import { afterAll, beforeAll, describe } from 'vitest';
import { variablesWithSecret } from '../conformance/bench.ts';
import { describeEnvironment } from '../conformance.ts';
import { createExitTasks } from '../exit-tasks.ts';
import { sshLeftOut } from '../left-out.fixture.ts';
import { createSshEnvironment } from './ssh.ts';
import { type SshServer, startSshServer } from './ssh-server.fixture.ts';

const exitTasks = createExitTasks();

const serverIsMissing = sshLeftOut();
describe.skipIf(serverIsMissing !== '')(`with a real server${serverIsMissing}`, () => {
  let server: SshServer;
  beforeAll(async () => {
    server = await startSshServer();
  });
  afterAll(() => server.close());
  const open = (workingDirectory: string) =>
    createSshEnvironment({ host: server.host, workingDirectory, env: variablesWithSecret(server.env), exitTasks });
  // A server that is not run by the administrator may not hand out terminals.
  describeEnvironment('ssh', open, process.getuid?.() !== 0);
});
