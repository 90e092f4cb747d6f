import { afterAll, beforeAll, describe } from 'vitest';
import { describeEnvironment } from './conformance.ts';
import { createExitTasks } from './exit-tasks.ts';
import { sandboxLeftOut, sshLeftOut } from './left-out.fixture.ts';
import { createLocalEnvironment } from './local.ts';
import { createSandboxEnvironment } from './sandbox.ts';
import { createSshEnvironment } from './ssh.ts';
import { type SshServer, startSshServer } from './ssh-server.fixture.ts';

/** Variables with one that must not reach a command. */
const env = (more: Record<string, string | undefined> = process.env) => ({ ...more, CONFORMANCE_API_KEY: 'secret' });

/** One for all, as in a program with many sessions. */
const exitTasks = createExitTasks();

describeEnvironment('local', async (workingDirectory) =>
  createLocalEnvironment({ workingDirectory, env: env(), exitTasks }),
);

const sandboxIsMissing = sandboxLeftOut();
describe.skipIf(sandboxIsMissing !== '')(`with bubblewrap${sandboxIsMissing}`, () => {
  describeEnvironment('sandbox', (workingDirectory) =>
    createSandboxEnvironment({ workingDirectory, network: false, hidden: [], env: env(), exitTasks }),
  );
});

const serverIsMissing = sshLeftOut();
describe.skipIf(serverIsMissing !== '')(`with a real server${serverIsMissing}`, () => {
  let server: SshServer;
  beforeAll(async () => {
    server = await startSshServer();
  });
  afterAll(() => server.close());
  const open = (workingDirectory: string) =>
    createSshEnvironment({ host: server.host, workingDirectory, env: env(server.env), exitTasks });
  // A server that is not run by the administrator may not hand out terminals.
  describeEnvironment('ssh', open, process.getuid?.() !== 0);
});
