import { mkdtempSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { ConfigurationError } from '../../base/index.ts';
import type { Environment } from '../../contracts/index.ts';
import { childEnvironment } from '../child-environment.ts';
import { createExitTasks, type ExitTasks } from '../exit-tasks.ts';
import { createShellFiles } from '../shell-files.ts';
import {
  BUBBLEWRAP,
  failedInSetup,
  findBubblewrap,
  findSandboxProblem,
  makeSandboxFolder,
  runSandboxed,
  sandboxError,
} from './bubblewrap.ts';
import { type ProjectGuard, removeForbidden } from './project-guards.ts';
import { describeSandboxSystem } from './describe-sandbox.ts';
import { createLocalEnvironment, findShell, asPrivateFolder, PRIVATE_FOLDER } from './local.ts';
import { withQuickLookup } from './quick-lookup.ts';
import { sandboxArguments, type SandboxView } from './sandbox-mounts.ts';
import { createShellHost, type ShellWrapper } from './shell-host.ts';

export type SandboxOptions = Pick<SandboxView, 'workingDirectory' | 'network' | 'hidden'> & {
  env?: Readonly<Record<string, string | undefined>>;
  passedVariables?: readonly string[] | undefined;
  exitTasks?: ExitTasks | undefined;
};

/**
 * Creates an environment on the local machine, which is read-only except for the working directory and a private
 * temporary folder.
 */
export async function createSandboxEnvironment(options: SandboxOptions): Promise<Environment> {
  const workingDirectory = realpathSync(resolve(options.workingDirectory));
  rejectHomeAsWorkingDirectory(workingDirectory);
  const { network, hidden, passedVariables } = options;
  const env: Record<string, string> = {
    ...childEnvironment(options.env ?? process.env, passedVariables),
    TMPDIR: '/tmp',
  };
  const shell = findShell();
  const program = findBubblewrap(env['PATH']);
  const exitTasks = options.exitTasks ?? createExitTasks();
  const view = (): SandboxView => ({
    workingDirectory,
    network,
    hidden,
    folder: folder(),
    visible: [{ path: folder(), writable: true }],
  });
  const wrapper = createBubblewrap(program ?? BUBBLEWRAP, view);
  const { folder, ...commands } = createShellHost({
    workingDirectory,
    shell,
    env,
    exitTasks,
    wrapper,
    folder: makeSandboxFolder,
  });
  const problem = await findSandboxProblem(program, () => sandboxArguments(view()).args);
  if (problem !== undefined) {
    await commands.close();
    throw sandboxError(problem);
  }
  const outside = createLocalEnvironment({ workingDirectory, env: options.env, passedVariables, exitTasks });
  const files = createShellFiles({
    currentDirectory: async () => commands.currentDirectory(),
    homeDirectory: async () => env['HOME'] ?? homedir(),
    runScript: (script, args, input) =>
      runSandboxed(
        program ?? BUBBLEWRAP,
        () => [...sandboxArguments(view()).args, '--', '/bin/sh', '-c', script, 'sh', ...args],
        { env, input },
      ),
  });
  return {
    name: 'sandbox',
    location: 'sandbox',
    workingDirectory,
    shell,
    system: describeSandboxSystem(network),
    // The working directory belongs to the host, and most of the host is readable.
    isolated: false,
    localFiles: true,
    sandbox: { network, outside },
    confinementProblem: async () => undefined,
    // This folder also contains the files of the shell state, and has the same path inside the sandbox.
    newFolder: () => asPrivateFolder(mkdtempSync(join(folder(), PRIVATE_FOLDER)), exitTasks),
    ...commands,
    async close() {
      await Promise.all([commands.close(), outside.close()]);
    },
    ...files,
    ...withQuickLookup(files, { workingDirectory, hidden, currentDirectory: commands.currentDirectory }),
  };
}

/** Runs shells in bubblewrap. The view is determined for each command, because folders to hide may appear. */
export function createBubblewrap(program: string, view: () => SandboxView): ShellWrapper {
  let guards: ProjectGuard[] = [];
  return {
    supervisor: BUBBLEWRAP,
    prefix(directory) {
      const { args, identity, ...sandbox } = sandboxArguments(view());
      ({ guards } = sandbox);
      return { file: program, args: [...args, '--chdir', directory, '--'], identity };
    },
    hasNotRun: failedInSetup,
    onEnded: () => void removeForbidden(guards),
  };
}

/** Refuses a working directory that contains the user's home, because the sandbox would protect little there. */
function rejectHomeAsWorkingDirectory(workingDirectory: string): void {
  const home = realpathSync(homedir());
  if (workingDirectory !== '/' && workingDirectory !== home && !home.startsWith(`${workingDirectory}/`)) return;
  throw new ConfigurationError(`The sandbox cannot protect ${home}, because it is inside the working directory.`, {
    hint: 'Start Hermes in a project directory, or with --no-sandbox, or set terminal.backend to local.',
  });
}
