import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, describe } from 'vitest';
import { type SshServer, sshServerIsMissing, startSshServer } from './ssh/ssh-server.fixture.ts';

/** If set to 1, a missing requirement fails the tests instead of skipping them. */
const REQUIRE_ALL_VARIABLE = 'HERMES_TEST_ALL';

/** Why the sandbox tests are skipped, as a suffix for the test title; empty if they can run. */
export function sandboxSkipReason(): string {
  return skipReason('the sandbox', findSandboxProblem());
}

/** Why the SSH tests are skipped, as a suffix for the test title; empty if they can run. */
export function sshSkipReason(): string {
  return skipReason('a machine over ssh', sshServerIsMissing());
}

/** Runs a suite against an SSH server that is started for it, or skips the suite if `sshd` is missing. */
export function describeWithSshServer(suite: (server: () => SshServer) => void): void {
  const missing = sshSkipReason();
  describe.skipIf(missing !== '')(`with a real server${missing}`, () => {
    let server: SshServer;
    beforeAll(async () => {
      server = await startSshServer();
    });
    afterAll(() => server.close());
    suite(() => server);
  });
}

/** A real container engine for tests: an existing image, and arguments that this machine needs. */
export type RealEngine = { program: string; image: string; extraArguments: string[] };

/**
 * The engine and image that an environment variable names, such as `podman debian-test --runtime=runc`; undefined if
 * it is not set.
 */
export function realEngine(variable: string): RealEngine | undefined {
  const [program, image, ...extraArguments] = process.env[variable]?.split(' ') ?? [];
  return program === undefined || image === undefined ? undefined : { program, image, extraArguments };
}

/**
 * Why the container tests are skipped. Images cannot be built everywhere, so these tests are required only if the
 * variable names an image.
 */
export function containerSkipReason(variable: string): string {
  const engine = realEngine(variable);
  if (engine === undefined) return skipReason('containers', `${variable} does not name an engine and image`, false);
  const { error, status } = spawnSync(engine.program, ['version'], { stdio: 'ignore', timeout: 20_000 });
  return skipReason('containers', error || status !== 0 ? `${engine.program} does not respond` : undefined);
}

function findSandboxProblem(): string | undefined {
  const { error, status, stderr } = spawnSync('bwrap', ['--ro-bind', '/', '/', '--unshare-pid', 'true']);
  if (error) return 'bubblewrap is not installed';
  return status === 0 ? undefined : `bubblewrap cannot start: ${String(stderr).trim()}`;
}

/** Reports a skipped suite as a warning and in the test title. */
export function skipReason(
  name: string,
  reason: string | undefined,
  tryAll = process.env[REQUIRE_ALL_VARIABLE] === '1',
): string {
  if (reason === undefined) return '';
  if (tryAll) throw new Error(`${REQUIRE_ALL_VARIABLE} is set, but ${name} cannot be tested: ${reason}.`);
  console.warn(`Skipped the tests of ${name}: ${reason}.`);
  return ` (skipped: ${reason})`;
}
