import { spawnSync } from 'node:child_process';
import { sshServerIsMissing } from './ssh-server.fixture.ts';

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
