import { ConfigurationError } from '../base/index.ts';
import { DEFAULT_CONTAINER, type EnvironmentVariables, type TerminalSettings } from '../config/index.ts';
import type { Environment } from '../contracts/index.ts';
import type { ExitTasks } from './exit-tasks.ts';
import { createLocalEnvironment } from './local/local.ts';

export type EnvironmentOptions = {
  terminal: TerminalSettings;
  workingDirectory: string;
  /** The home directory of Hermes, which a sandbox hides. */
  home: string;
  /** Other files and folders that a sandbox hides. */
  hidden?(): readonly string[];
  /** The user's environment variables, including the API keys of cloud containers. */
  variables?: EnvironmentVariables | undefined;
  /** A local folder whose files are readable in every environment. */
  spillFolder?: string | undefined;
  /** Other such folders, which commands in a sandbox can read too. They may be missing. */
  sharedFolders?: readonly string[] | undefined;
  /** Folders besides the working directory that commands can write, on this machine only. */
  addedFolders?: readonly string[] | undefined;
  exitTasks?: ExitTasks | undefined;
};

const BACKENDS = ['local', 'sandbox', 'ssh', 'docker', 'singularity', 'modal', 'daytona'];

/**
 * Creates the configured environment. It never falls back to another one, because commands could then reach this
 * machine.
 */
export async function createEnvironment(options: EnvironmentOptions): Promise<Environment> {
  const { terminal, workingDirectory, addedFolders, exitTasks } = options;
  const { passedVariables, ssh } = terminal;
  const hidden = () => [options.home, ...(options.hidden?.() ?? [])];
  switch (terminal.backend) {
    case 'local': {
      const confinement = { network: terminal.sandboxNetwork, hidden, addedFolders };
      return createLocalEnvironment({ workingDirectory, passedVariables, exitTasks, confinement });
    }
    case 'sandbox': {
      const { createSandboxEnvironment } = await import('./local/sandbox.ts');
      const rules = { network: terminal.sandboxNetwork, hidden: hidden(), addedFolders };
      return sharing(
        options,
        await createSandboxEnvironment({
          ...rules,
          workingDirectory,
          passedVariables,
          exitTasks,
          sharedFolders: options.sharedFolders,
        }),
      );
    }
    case 'ssh': {
      const { host, directory } = ssh;
      if (host === undefined) throw missingHost();
      const { createSshEnvironment } = await import('./ssh/ssh.ts');
      return sharing(options, await createSshEnvironment({ ...ssh, host, workingDirectory: directory, exitTasks }));
    }
    case 'docker':
    case 'singularity':
      return sharing(options, await createContainer(options, terminal.backend));
    case 'modal':
    case 'daytona':
      return sharing(options, await createCloud(options, terminal.backend));
    default:
      throw new ConfigurationError(
        `terminal.backend: ${terminal.backend} is not a known backend. Use one of ${BACKENDS.join(', ')}.`,
        {
          hint: 'Set terminal.backend in config.yaml or the environment variable TERMINAL_ENV.',
        },
      );
  }
}

async function createContainer(options: EnvironmentOptions, backend: 'docker' | 'singularity'): Promise<Environment> {
  const { terminal, workingDirectory, home, exitTasks } = options;
  const { createContainerEnvironment } = await import('./containers/container.ts');
  const { dockerImage, singularityImage, engine, ...rules } = { ...DEFAULT_CONTAINER, ...terminal.container };
  return createContainerEnvironment({
    volumes: [],
    extraArguments: [],
    ...rules,
    backend,
    program: engine,
    workingDirectory,
    home,
    exitTasks,
    passedVariables: terminal.passedVariables,
    keepsBackground: terminal.keepsBackground,
    image: backend === 'docker' ? dockerImage : singularityImage,
    directory: terminal.ssh.directory,
  });
}

async function createCloud(options: EnvironmentOptions, backend: 'modal' | 'daytona'): Promise<Environment> {
  const { terminal, workingDirectory, home, exitTasks, variables = process.env } = options;
  const { createCloudEnvironment } = await import('./cloud/cloud.ts');
  const { modalImage, daytonaImage, cpu, memory, disk, network, persistent } = {
    cpu: undefined,
    memory: undefined,
    disk: undefined,
    ...DEFAULT_CONTAINER,
    ...terminal.container,
  };
  return createCloudEnvironment({
    backend,
    image: backend === 'modal' ? modalImage : daytonaImage,
    cpu,
    memory,
    disk,
    network,
    persistent,
    workingDirectory,
    home,
    exitTasks,
    variables,
    directory: terminal.ssh.directory,
    passedVariables: terminal.passedVariables,
    keepsBackground: terminal.keepsBackground,
  });
}

function missingHost(): ConfigurationError {
  return new ConfigurationError('terminal.backend is ssh, but terminal.ssh_host is not set.', {
    hint: 'Set terminal.ssh_host in config.yaml or the environment variable TERMINAL_SSH_HOST.',
  });
}

async function sharing(
  { spillFolder, sharedFolders = [] }: EnvironmentOptions,
  environment: Environment,
): Promise<Environment> {
  const folders = spillFolder === undefined ? sharedFolders : [spillFolder, ...sharedFolders];
  if (folders.length === 0) return environment;
  const { withLocalFolder } = await import('./local/with-local-folder.ts');
  return folders.reduce(withLocalFolder, environment);
}
