import { existsSync, mkdtempSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { ConfigurationError } from '../../base/index.ts';
import type { Environment } from '../../contracts/index.ts';
import type { SandboxProgramName } from '../../util/index.ts';
import { childEnvironment } from '../child-environment.ts';
import { createExitTasks, type ExitTasks } from '../exit-tasks.ts';
import { createShellFiles } from '../shell-files.ts';
import { describeSandboxSystem } from './describe-sandbox.ts';
import { findSandboxProgram } from './find-sandbox.ts';
import { createLocalEnvironment, findShell, asPrivateFolder, PRIVATE_FOLDER } from './local.ts';
import { withQuickLookup } from './quick-lookup.ts';
import { findStartProblem, makeSandboxFolder, runSandboxed, sandboxError, wrapShells } from './sandbox-program.ts';
import { SANDBOX_FOLDER, type SandboxView } from './sandbox-view.ts';
import { createShellHost } from './shell-host.ts';
import type { ShellFolders } from './shell-state.ts';

export type SandboxOptions = Pick<SandboxView, 'workingDirectory' | 'addedFolders' | 'network' | 'hidden'> & {
  env?: Readonly<Record<string, string | undefined>>;
  passedVariables?: readonly string[] | undefined;
  exitTasks?: ExitTasks | undefined;
  /** Folders that commands can read although they are inside a hidden one. Missing ones are ignored. */
  sharedFolders?: readonly string[] | undefined;
  /** The sandbox of this system by default. */
  program?: SandboxProgramName | undefined;
};

/**
 * Creates an environment on the local machine, which is read-only except for the working directory and a private
 * temporary folder.
 */
export async function createSandboxEnvironment(options: SandboxOptions): Promise<Environment> {
  const workingDirectory = realpathSync(resolve(options.workingDirectory));
  const addedFolders = options.addedFolders?.map((path) => realpathSync(path)) ?? [];
  rejectHome(workingDirectory, 'the working directory');
  for (const path of addedFolders) rejectHome(path, path);
  const { network, hidden, passedVariables, sharedFolders = [] } = options;
  const env: Record<string, string> = childEnvironment(options.env ?? process.env, passedVariables);
  const shell = findShell();
  const program = findSandboxProgram(env['PATH'], options.program);
  if ('message' in program) throw sandboxError(program);
  const exitTasks = options.exitTasks ?? createExitTasks();
  const view = (): SandboxView => ({
    workingDirectory,
    addedFolders,
    network,
    hidden,
    folder: folders().whole,
    visible: [
      { path: folders().given, writable: false },
      { path: folders().left, writable: true },
      ...sharedFolders.flatMap((path) => (existsSync(path) ? [{ path: realpathSync(path), writable: false }] : [])),
    ],
  });
  const wrapper = wrapShells(program, view);
  const { folders, ...commands } = createShellHost({
    workingDirectory,
    shell,
    env,
    exitTasks,
    wrapper,
    folders: makeFolders,
  });
  env['TMPDIR'] = program.temporaryFolder(folders().whole);
  const problem = await findStartProblem(program, () => program.argumentsFor(view()).args);
  if (problem !== undefined) {
    await commands.close();
    throw sandboxError(problem);
  }
  const replaced = program.replacedFolders();
  const outside = createLocalEnvironment({ workingDirectory, env: options.env, passedVariables, exitTasks });
  const files = createShellFiles({
    currentDirectory: async () => commands.currentDirectory(),
    homeDirectory: async () => env['HOME'] ?? homedir(),
    runScript: (script, args, input) =>
      runSandboxed(program, () => program.argumentsFor(view()).args, ['/bin/sh', '-c', script, 'sh', ...args], {
        env,
        input,
      }),
  });
  return {
    name: 'sandbox',
    location: 'sandbox',
    workingDirectory,
    shell,
    system: describeSandboxSystem(network, options.program, addedFolders.length > 0),
    // The working directory belongs to the host, and most of the host is readable.
    isolated: false,
    localFiles: true,
    sandbox: { network, outside, ...(env['TMPDIR'] !== '/tmp' && { temporaryFolder: '$TMPDIR' }) },
    confinementProblem: async () => undefined,
    // This folder also contains the files for shells, and has the same path inside the sandbox.
    newFolder: () => asPrivateFolder(mkdtempSync(join(folders().given, PRIVATE_FOLDER)), exitTasks),
    ...commands,
    async close() {
      await Promise.all([commands.close(), outside.close()]);
    },
    ...files,
    ...withQuickLookup(files, { workingDirectory, hidden, replaced, currentDirectory: commands.currentDirectory }),
  };
}

function makeFolders(): ShellFolders {
  const whole = makeSandboxFolder();
  return { whole, given: join(whole, SANDBOX_FOLDER.given), left: join(whole, SANDBOX_FOLDER.left) };
}

/** Refuses a writable folder that contains the user's home, because the sandbox would protect little there. */
function rejectHome(folder: string, name: string): void {
  const home = realpathSync(homedir());
  if (folder !== '/' && folder !== home && !home.startsWith(`${folder}/`)) return;
  throw new ConfigurationError(`The sandbox cannot protect ${home}, because it is inside ${name}.`, {
    hint: 'Start Hermes in a project directory, or with --no-sandbox, or set terminal.backend to local.',
  });
}
