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
  /** Whether commands reach the network. */
  network: boolean;
  /** Folders that nothing in there may see. */
  hidden: readonly string[];
  env?: Readonly<Record<string, string | undefined>>;
  passedVariables?: readonly string[] | undefined;
  exitTasks?: ExitTasks | undefined;
};

/** The name of its processes. */
const BUBBLEWRAP = 'bwrap';

/** This machine, read-only except for the working directory and a temporary folder of its own. */
export async function createSandboxEnvironment(options: SandboxOptions): Promise<Environment> {
  const workingDirectory = realpathSync(resolve(options.workingDirectory));
  refuseWideDirectory(workingDirectory);
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
    holder: BUBBLEWRAP,
    hasErrors: true,
    folder: makeFolder,
    wrap: (start) => ({
      ...start,
      file: program,
      args: [...wrapping(), '--chdir', start.directory, '--', start.file, ...start.args],
      // Its own directory is none that only exists inside.
      directory: '/',
    }),
  });
  await requireNamespaces(program, wrapping()).catch(async (thrown: unknown) => {
    await commands.close();
    throw thrown;
  });
  return {
    name: 'sandbox',
    place: 'sandbox',
    workingDirectory,
    shell,
    system: describeSystem(options.network),
    // The working directory is that of the host, and the rest of it can be read.
    isolated: false,
    // What shells hand on lies there too, and is seen under the same path inside.
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

/** A model that knows what it cannot do tries something else at once. */
function describeSystem(network: boolean): string {
  const limits = 'in a sandbox where only the working directory and /tmp can be written';
  return `${process.platform}, ${limits}${network ? '' : ', without network'}`;
}

/** For what shells hand on, and for the temporary files of the commands. */
function makeFolder(): string {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'hermes-sandbox-'));
  mkdirSync(join(folder, 'tmp'));
  return folder;
}

/** A sandbox whose writable part is everything that is worth protecting would be one in name only. */
function refuseWideDirectory(workingDirectory: string): void {
  const home = realpathSync(homedir());
  if (workingDirectory !== '/' && workingDirectory !== home && !home.startsWith(`${workingDirectory}/`)) return;
  throw new ConfigurationError(`The sandbox cannot protect ${home}: it is inside the working directory.`, {
    hint: 'Start Hermes in the folder of a project, or set terminal.backend to local.',
  });
}

type Mounts = SandboxOptions & { folder: string };

/** Mounts from the outside in, so that none covers another that is meant to be seen. */
function sandboxArguments({ workingDirectory, network, hidden, folder }: Mounts): string[] {
  const mounts: [place: string, ...args: string[]][] = [
    ['/tmp', '--bind', join(folder, 'tmp'), '/tmp'],
    ['/run', '--tmpfs', '/run'],
    [workingDirectory, '--bind', workingDirectory, workingDirectory],
    [folder, '--bind', folder, folder],
    ...hidden.filter(existsSync).map((place): [string, ...string[]] => [place, '--tmpfs', place]),
    ...nameServers(),
  ];
  // A folder inside a hidden one that was chosen to work in stays visible, and the other way round.
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

/** Sockets of services are in /run, which is why it is empty; where names are looked up may be a link to there. */
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
  'Allow user namespaces: sysctl kernel.unprivileged_userns_clone=1, on Ubuntu kernel.apparmor_restrict_unprivileged_userns=0, and in a container the right to make them.';
