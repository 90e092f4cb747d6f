import { operatingSystem, sandboxProgram, type SandboxProgramName } from '../../util/index.ts';
import { findBubblewrap } from './bubblewrap.ts';
import { findStartProblem, type SandboxProblem, type SandboxProgram } from './sandbox-program.ts';
import { findSeatbelt } from './seatbelt.ts';

/** The sandbox program of this system, or why there is none. */
export function findSandboxProgram(
  path: string | undefined,
  name: SandboxProgramName | undefined = sandboxProgram(),
): SandboxProgram | SandboxProblem {
  if (name === 'bubblewrap') {
    const install = 'Install it, for example with "apt install bubblewrap".';
    return findBubblewrap(path) ?? { message: 'bubblewrap (bwrap) is not installed', hint: install };
  }
  if (name === 'seatbelt') {
    const hint = 'Add /usr/bin to PATH.';
    return findSeatbelt(path) ?? { message: 'sandbox-exec, a part of macOS, is not in PATH', hint };
  }
  if (operatingSystem() === 'linux') return { message: 'HERMES_PORTABLE switches it off', hint: 'Unset the variable.' };
  const message = `the sandbox needs Linux or macOS, and this is ${operatingSystem()}`;
  return { message, hint: 'Use a container instead.' };
}

/** Why the sandbox does not work on this machine, whatever the working directory is; undefined if it works. */
export async function checkSandbox(path: string | undefined): Promise<SandboxProblem | undefined> {
  const program = findSandboxProgram(path);
  return 'message' in program ? program : findStartProblem(program, () => program.probeArguments());
}
