import { existsSync, mkdirSync, mkdtempSync, readlinkSync, realpathSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { ConfigurationError } from '../../base/index.ts';
import type { Environment } from '../../contracts/index.ts';
import { childEnvironment } from '../child-environment.ts';
import { createExitTasks, type ExitTasks } from '../exit-tasks.ts';
import { runProgram } from '../run-program.ts';
import { createShellFiles } from '../shell-files.ts';
import { findShell, makePrivateFolder } from './local.ts';
import { createShellHost } from './shell-host.ts';

export type SandboxOptions = {
  workingDirectory: string;
  /** Whether commands have network access. */
  network: boolean;
  /** Folders that are hidden from commands. */
  hidden: readonly string[];
  env?: Readonly<Record<string, string | undefined>>;
  passedVariables?: readonly string[] | undefined;
  exitTasks?: ExitTasks | undefined;
};

/** The executable and process name. */
const BUBBLEWRAP = 'bwrap';

/**
 * Creates an environment on the local machine, which is read-only except for the working directory and a private
 * temporary folder.
 */
export async function createSandboxEnvironment(options: SandboxOptions): Promise<Environment> {
  const workingDirectory = realpathSync(resolve(options.workingDirectory));
  rejectHomeAsWorkingDirectory(workingDirectory);
  const env: Record<string, string> = {
    ...childEnvironment(options.env ?? process.env, options.passedVariables),
    TMPDIR: '/tmp',
  };
  const shell = findShell();
  const program = findBubblewrap(env['PATH']);
  const wrapping = (): string[] => sandboxArguments({ ...options, workingDirectory, folder: folder() });
  const exitTasks = options.exitTasks ?? createExitTasks();
  const { folder, ...commands } = createShellHost({
    workingDirectory,
    shell,
    env,
    exitTasks,
    supervisor: BUBBLEWRAP,
    readsStderr: true,
    folder: makeFolder,
    wrap: (start) => ({
      ...start,
      file: program,
      args: [...wrapping(), '--chdir', start.directory, '--', start.file, ...start.args],
      // bwrap itself must not start in a directory that exists only inside the sandbox.
      directory: '/',
    }),
  });
  await requireNamespaces(program, wrapping()).catch(async (thrown: unknown) => {
    await commands.close();
    throw thrown;
  });
  return {
    name: 'sandbox',
    location: 'sandbox',
    workingDirectory,
    shell,
    system: describeSystem(options.network),
    // The working directory belongs to the host, and the rest of the host is readable.
    isolated: false,
    // This folder also contains the files of the shell state, and has the same path inside the sandbox.
    newFolder: () => makePrivateFolder(folder(), exitTasks),
    ...commands,
    ...createShellFiles({
      currentDirectory: async () => commands.currentDirectory(),
      homeDirectory: async () => env['HOME'] ?? homedir(),
      runScript: (script, args, input) =>
        runProgram(program, [...wrapping(), '--', '/bin/sh', '-c', script, 'sh', ...args], { env, input }),
    }),
  };
}

/** Tells the model about the limits, so that it does not try what cannot work. */
function describeSystem(network: boolean): string {
  const limits = 'in a sandbox where only the working directory and /tmp can be written';
  return `${process.platform}, ${limits}${network ? '' : ', without network'}`;
}

/** Creates the folder for the files of the shell state and the temporary files of commands. */
function makeFolder(): string {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'hermes-sandbox-'));
  mkdirSync(join(folder, 'tmp'));
  return folder;
}

/** Refuses a working directory that contains the user's home, because the sandbox would protect nothing. */
function rejectHomeAsWorkingDirectory(workingDirectory: string): void {
  const home = realpathSync(homedir());
  if (workingDirectory !== '/' && workingDirectory !== home && !home.startsWith(`${workingDirectory}/`)) return;
  throw new ConfigurationError(`The sandbox cannot protect ${home}, because it is inside the working directory.`, {
    hint: 'Start Hermes in a project directory, or set terminal.backend to local.',
  });
}

type Mounts = SandboxOptions & { folder: string };

/** Mounts in order of depth, so that none covers another. */
function sandboxArguments({ workingDirectory, network, hidden, folder }: Mounts): string[] {
  const mounts: [place: string, ...args: string[]][] = [
    ['/tmp', '--bind', join(folder, 'tmp'), '/tmp'],
    ['/run', '--tmpfs', '/run'],
    [workingDirectory, '--bind', workingDirectory, workingDirectory],
    [folder, '--bind', folder, folder],
    ...hidden.filter(existsSync).map((place): [string, ...string[]] => [place, '--tmpfs', place]),
    ...nameServers(),
  ];
  // A working directory inside a hidden folder stays visible, and a hidden folder inside the working directory stays
  // hidden.
  const depth = (place: string) => place.split('/').length;
  return [
    '--ro-bind',
    '/',
    '/',
    '--dev',
    '/dev',
    '--proc',
    '/proc',
    ...mounts.sort(([a], [b]) => depth(a) - depth(b)).flatMap(([, ...args]) => args),
    '--unshare-pid',
    '--unshare-ipc',
    '--unshare-uts',
    '--die-with-parent',
    '--cap-drop',
    'ALL',
    ...(network ? [] : ['--unshare-net']),
  ];
}

/** /run is empty because it contains the sockets of services, but resolv.conf may be a link to a file in there. */
function nameServers(): [string, ...string[]][] {
  try {
    const target = resolve('/etc', readlinkSync('/etc/resolv.conf'));
    return target.startsWith('/run/') ? [[target, '--ro-bind-try', target, target]] : [];
  } catch {
    return [];
  }
}

function findBubblewrap(path = '/usr/bin:/bin'): string {
  const found = path.split(':').find((folder) => folder !== '' && existsSync(join(folder, BUBBLEWRAP)));
  if (found !== undefined) return join(found, BUBBLEWRAP);
  throw new ConfigurationError('terminal.backend is sandbox, but bubblewrap (bwrap) is not installed.', {
    hint: 'Install it, for example with "apt install bubblewrap", or set terminal.backend to local.',
  });
}

async function requireNamespaces(program: string, wrapping: readonly string[]): Promise<void> {
  const { code, errors } = await runProgram(program, [...wrapping, '--', '/bin/sh', '-c', ':'], {});
  if (code === 0) return;
  throw new ConfigurationError(`terminal.backend is sandbox, but bubblewrap cannot start: ${errors.trim()}`, {
    hint: `${ALLOW_NAMESPACES} Or set terminal.backend to local.`,
  });
}

const ALLOW_NAMESPACES =
  'Allow user namespaces: sysctl kernel.unprivileged_userns_clone=1, on Ubuntu kernel.apparmor_restrict_unprivileged_userns=0, and in a container the permission to create them.';
