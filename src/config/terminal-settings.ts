import { ConfigurationError } from '../base/index.ts';
import type { EnvironmentVariables } from './paths.ts';
import type { ConfigFile } from './schema.ts';
import type { ContainerSettings, TerminalSettings } from './settings.ts';

export const DEFAULT_TERMINAL = { backend: 'local', sandboxNetwork: true, keepsBackground: false } as const;

const IMAGE = 'nikolaik/python-nodejs:python3.11-nodejs20';

export const DEFAULT_CONTAINER = {
  dockerImage: IMAGE,
  singularityImage: `docker://${IMAGE}`,
  modalImage: IMAGE,
  daytonaImage: IMAGE,
  network: true,
  persistent: true,
  mountsWorkingDirectory: false,
} as const;

/** `terminal.*`; variables are used for keys that the file does not set. */
export function readTerminalSettings(
  section: ConfigFile['terminal'],
  variables: EnvironmentVariables,
): TerminalSettings {
  const variable = (name: string) => variables[name]?.trim() || undefined;
  // Apptainer is the new name of Singularity, with the same command line.
  const backend = section?.backend ?? variable('TERMINAL_ENV') ?? DEFAULT_TERMINAL.backend;
  const directory = section?.cwd ?? variable('TERMINAL_CWD');
  return {
    backend: backend === 'apptainer' ? 'singularity' : backend,
    passedVariables: section?.env_passthrough ?? [],
    timeoutSeconds: section?.timeout ?? readSeconds(variable('TERMINAL_TIMEOUT')),
    sandboxNetwork: section?.sandbox_network ?? DEFAULT_TERMINAL.sandboxNetwork,
    keepsBackground: section?.keep_background ?? DEFAULT_TERMINAL.keepsBackground,
    ssh: {
      host: section?.ssh_host ?? variable('TERMINAL_SSH_HOST'),
      user: section?.ssh_user ?? variable('TERMINAL_SSH_USER'),
      port: section?.ssh_port ?? readPort(variable('TERMINAL_SSH_PORT')),
      key: section?.ssh_key ?? variable('TERMINAL_SSH_KEY'),
      // `.` is the default in older files and means the local working directory, which does not exist on the remote
      // side.
      directory: directory === '.' ? undefined : directory,
    },
    container: readContainer(section, variable),
  };
}

/** Text that is no number above 0 is ignored, as if the variable were not set. */
function readSeconds(value: string | undefined): number | undefined {
  const seconds = Number(value);
  return seconds > 0 && Number.isFinite(seconds) ? seconds : undefined;
}

/** The settings with the sandbox switched on or off. Off means the local backend only if the sandbox was on. */
export function withSandbox(terminal: TerminalSettings, sandbox: boolean | undefined): TerminalSettings {
  if (sandbox === undefined) return terminal;
  if (sandbox) return { ...terminal, backend: 'sandbox' };
  return terminal.backend === 'sandbox' ? { ...terminal, backend: 'local' } : terminal;
}

function readContainer(
  section: ConfigFile['terminal'],
  variable: (name: string) => string | undefined,
): ContainerSettings {
  const usual = DEFAULT_CONTAINER;
  return {
    engine: section?.container_engine,
    dockerImage: section?.docker_image ?? variable('TERMINAL_DOCKER_IMAGE') ?? usual.dockerImage,
    singularityImage: section?.singularity_image ?? variable('TERMINAL_SINGULARITY_IMAGE') ?? usual.singularityImage,
    modalImage: section?.modal_image ?? variable('TERMINAL_MODAL_IMAGE') ?? usual.modalImage,
    daytonaImage: section?.daytona_image ?? variable('TERMINAL_DAYTONA_IMAGE') ?? usual.daytonaImage,
    cpu: section?.container_cpu,
    memory: section?.container_memory,
    disk: section?.container_disk,
    network: section?.container_network ?? usual.network,
    persistent: section?.container_persistent ?? usual.persistent,
    volumes: section?.docker_volumes ?? [],
    mountsWorkingDirectory: section?.docker_mount_cwd_to_workspace ?? usual.mountsWorkingDirectory,
    extraArguments: section?.docker_extra_args ?? [],
  };
}

function readPort(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const port = Number(text);
  if (Number.isInteger(port) && port > 0 && port < 65_536) return port;
  throw new ConfigurationError(`TERMINAL_SSH_PORT must be a port number, not ${text}.`);
}
