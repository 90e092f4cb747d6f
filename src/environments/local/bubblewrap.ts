import { REPLACED, sandboxArguments } from './bubblewrap-mounts.ts';
import { findProgram, type SandboxProgram } from './sandbox-program.ts';

/** The executable and process name. */
const BUBBLEWRAP = 'bwrap';

const ALLOW_NAMESPACES =
  'Allow user namespaces: sysctl kernel.unprivileged_userns_clone=1, on Ubuntu kernel.apparmor_restrict_unprivileged_userns=0, and in a container the permission to create them.';

/** Bubblewrap, the sandbox on Linux; undefined if it is not in the search path. */
export function findBubblewrap(path: string | undefined): SandboxProgram | undefined {
  const file = findProgram(BUBBLEWRAP, path);
  if (file === undefined) return undefined;
  return {
    title: 'bubblewrap',
    file,
    supervisor: BUBBLEWRAP,
    hint: ALLOW_NAMESPACES,
    argumentsFor: sandboxArguments,
    probeArguments: () => ['--ro-bind', '/', '/', '--unshare-pid', '--proc', '/proc'],
    inDirectory: (directory) => ['--chdir', directory, '--'],
    hasNotRun: failedInSetup,
    temporaryFolder: () => '/tmp',
    replacedFolders: () => REPLACED,
  };
}

/**
 * Bubblewrap copies all mounts of the machine. It fails if one of them is removed at that moment, such as that of a
 * container which ends. The command has not run then, so it can be repeated.
 */
const SETUP_FAILED = /^bwrap: (?:Can't|Unable to|Failed to|Creating|setting up)\b/im;

function failedInSetup(exitCode: number | undefined, errors: string): boolean {
  return exitCode === 1 && SETUP_FAILED.test(errors) && !/namespace|permission/i.test(errors);
}
