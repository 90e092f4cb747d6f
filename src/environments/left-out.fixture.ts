import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, describe } from 'vitest';
import { type SshServer, sshServerIsMissing, startSshServer } from './ssh/ssh-server.fixture.ts';

/** Set where everything has to be tried: then what is missing is a failure. */
const TRY_ALL = 'HERMES_TEST_ALL';

/** Why the sandbox cannot be tried here, as the end of a test's name; empty where it can. */
export function sandboxLeftOut(): string {
  return leftOut('the sandbox', findSandboxFault());
}

/** The same for another machine over ssh. */
export function sshLeftOut(): string {
  return leftOut('another machine over ssh', sshServerIsMissing());
}

/** Runs a suite against an SSH server that is started for it, or skips the suite where there is no `sshd`. */
export function describeWithSshServer(suite: (server: () => SshServer) => void): void {
  const missing = sshLeftOut();
  describe.skipIf(missing !== '')(`with a real server${missing}`, () => {
    let server: SshServer;
    beforeAll(async () => {
      server = await startSshServer();
    });
    afterAll(() => server.close());
    suite(() => server);
  });
}

/** What a real engine is tried with: an image that it has, and what else this machine makes necessary. */
export type RealEngine = { program: string; image: string; extraArguments: string[] };

/** The engine and image that a variable names, such as `podman debian-test --runtime=runc`; undefined without it. */
export function realEngine(variable: string): RealEngine | undefined {
  const [program, image, ...extraArguments] = process.env[variable]?.split(' ') ?? [];
  return program === undefined || image === undefined ? undefined : { program, image, extraArguments };
}

/** Why no container can be tried here. Images cannot be made everywhere, so only one that is named has to be there. */
export function containerLeftOut(variable: string): string {
  const engine = realEngine(variable);
  if (engine === undefined) return leftOut('containers', `${variable} names no engine and image`, false);
  const { error, status } = spawnSync(engine.program, ['version'], { stdio: 'ignore', timeout: 20_000 });
  return leftOut('containers', error || status !== 0 ? `${engine.program} does not answer` : undefined);
}

function findSandboxFault(): string | undefined {
  const { error, status, stderr } = spawnSync('bwrap', ['--ro-bind', '/', '/', '--unshare-pid', 'true']);
  if (error) return 'bubblewrap is not installed';
  return status === 0 ? undefined : `bubblewrap cannot start: ${String(stderr).trim()}`;
}

/** What is not tried is said, in the list of the tests and beside it. */
export function leftOut(name: string, reason: string | undefined, tryAll = process.env[TRY_ALL] === '1'): string {
  if (reason === undefined) return '';
  if (tryAll) throw new Error(`${TRY_ALL} is set, but ${name} cannot be tried: ${reason}.`);
  console.warn(`Not tried: ${name}, because ${reason}.`);
  return `: left out, because ${reason}`;
}
