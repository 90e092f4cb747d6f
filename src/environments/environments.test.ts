import { afterAll, beforeAll, describe, it } from 'vitest';
import { describeEnvironment } from './conformance.ts';
import { createLocalEnvironment } from './local.ts';
import { findSandboxFault } from './sandbox-fault.fixture.ts';
import { createSandboxEnvironment } from './sandbox.ts';
import { createSshEnvironment } from './ssh.ts';
import { type SshServer, sshServerIsMissing, startSshServer } from './ssh-server.fixture.ts';

/** Variables with one that must not reach a command. */
const env = (more: Record<string, string | undefined> = process.env) => ({ ...more, CONFORMANCE_API_KEY: 'secret' });

describeEnvironment('local', async (workingDirectory) => createLocalEnvironment({ workingDirectory, env: env() }));

const sandboxIsMissing = findSandboxFault();
if (sandboxIsMissing !== undefined) leaveOut('sandbox', sandboxIsMissing);
else {
  describeEnvironment('sandbox', (workingDirectory) =>
    createSandboxEnvironment({ workingDirectory, network: false, hidden: [], env: env() }),
  );
}

const serverIsMissing = sshServerIsMissing();
if (serverIsMissing !== undefined) leaveOut('ssh', serverIsMissing);
else {
  describe('with a real server', () => {
    let server: SshServer;
    beforeAll(async () => {
      server = await startSshServer();
    });
    afterAll(() => server.close());
    describeEnvironment('ssh', (workingDirectory) =>
      createSshEnvironment({ host: server.host, workingDirectory, env: env(server.env) }),
    );
  });
}

function leaveOut(name: string, reason: string): void {
  console.warn(`The conformance suite does not run against ${name}: ${reason}.`);
  it.skip(`${name}: ${reason}`);
}
