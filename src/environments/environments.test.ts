import { afterAll, beforeAll, describe } from 'vitest';
import { describeEnvironment } from './conformance.ts';
import { createContainerEnvironment } from './containers/container.ts';
import { createFakeEngine, type FakeEngine } from './containers/container-engine.fixture.ts';
import { createExitTasks } from './exit-tasks.ts';
import { sandboxLeftOut, sshLeftOut } from './left-out.fixture.ts';
import { createLocalEnvironment } from './local/local.ts';
import { createSandboxEnvironment } from './local/sandbox.ts';
import { createSshEnvironment } from './ssh/ssh.ts';
import { type SshServer, startSshServer } from './ssh/ssh-server.fixture.ts';

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

const rules = { network: true, mountsWorkingDirectory: false };

/** Without an engine, what goes into a container and comes out of it is tried with one that speaks through a shell here. */
describe.each([
  ['docker', 'docker'],
  ['singularity', 'apptainer'],
] as const)('with the command line of an engine', (backend, kind) => {
  let engine: FakeEngine;
  beforeAll(() => {
    engine = createFakeEngine(kind);
  });
  afterAll(() => engine.close());
  describeEnvironment(backend, (workingDirectory) =>
    createContainerEnvironment({
      ...{
        ...rules,
        image: 'none',
        volumes: [],
        extraArguments: [],
        backend,
        program: engine.program,
        home: engine.folder,
        persistent: false,
      },
      ...{ workingDirectory, directory: workingDirectory, env: env(), exitTasks },
    }),
  );
});
