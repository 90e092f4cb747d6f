import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigurationError } from '../../base/index.ts';
import { type ProgramOptions, type ProgramResult, runProgram } from '../run-program.ts';
import { SANDBOX_FOLDER } from './sandbox-mounts.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';

/** The executable and process name. */
export const BUBBLEWRAP = 'bwrap';

/** Why the sandbox cannot be used, and what to do about it. */
export type SandboxProblem = { message: string; hint: string };

const INSTALL = 'Install it, for example with "apt install bubblewrap".';
const ALLOW_NAMESPACES =
  'Allow user namespaces: sysctl kernel.unprivileged_userns_clone=1, on Ubuntu kernel.apparmor_restrict_unprivileged_userns=0, and in a container the permission to create them.';

/** Finds bubblewrap in a search path. */
export function findBubblewrap(path = '/usr/bin:/bin'): string | undefined {
  const found = path.split(':').find((folder) => folder !== '' && existsSync(join(folder, BUBBLEWRAP)));
  return found === undefined ? undefined : join(found, BUBBLEWRAP);
}

/** Starts a sandbox with these arguments; undefined if that works. */
export async function findSandboxProblem(
  program: string | undefined,
  args: () => readonly string[],
): Promise<SandboxProblem | undefined> {
  if (process.platform !== 'linux')
    return { message: `the sandbox needs Linux, and this is ${process.platform}`, hint: 'Use a container instead.' };
  if (program === undefined) return { message: 'bubblewrap (bwrap) is not installed', hint: INSTALL };
  const { code, errors } = await runSandboxed(program, () => [...args(), '--', '/bin/sh', '-c', ':'], {});
  if (code === 0) return undefined;
  return { message: `bubblewrap cannot start: ${errors.trim()}`, hint: ALLOW_NAMESPACES };
}

/** Whether the sandbox works on this machine at all, whatever the working directory is. */
export function checkBubblewrap(path: string | undefined): Promise<SandboxProblem | undefined> {
  return findSandboxProblem(findBubblewrap(path), () => ['--ro-bind', '/', '/', '--unshare-pid', '--proc', '/proc']);
}

/** An error for a configuration that requires the sandbox. */
export function sandboxError({ message, hint }: SandboxProblem): ConfigurationError {
  return new ConfigurationError(`terminal.backend is sandbox, but ${message}.`, {
    hint: `${hint} Or start with --no-sandbox, or set terminal.backend to local.`,
  });
}

/**
 * Bubblewrap copies all mounts of the machine. It fails if one of them is removed at that moment, such as that of a
 * container which ends. The command has not run then, so it can be repeated.
 */
const SETUP_FAILED = /^bwrap: (?:Can't|Unable to|Failed to|Creating|setting up)\b/im;

/** Whether bubblewrap failed before it started the command. `errors` must be its own stderr. */
export function failedInSetup(exitCode: number | undefined, errors: string): boolean {
  return exitCode === 1 && SETUP_FAILED.test(errors) && !/namespace|permission/i.test(errors);
}

/** Runs a program in the sandbox, and once more if bubblewrap failed before it ran. */
export async function runSandboxed(
  program: string,
  args: () => readonly string[],
  options: ProgramOptions,
): Promise<ProgramResult> {
  const result = await runProgram(program, args(), options);
  return failedInSetup(result.code, result.errors) ? runProgram(program, args(), options) : result;
}

/** Creates the folder for the shell state and the private /tmp of a sandbox. */
export function makeSandboxFolder(): string {
  const folder = makeTemporaryFolder('hermes-sandbox-');
  mkdirSync(join(folder, SANDBOX_FOLDER.tmp));
  mkdirSync(join(folder, SANDBOX_FOLDER.emptyFolder));
  writeFileSync(join(folder, SANDBOX_FOLDER.emptyFile), '');
  return folder;
}
