import { ConfigurationError } from '../base/index.ts';
import type { EnvironmentVariables } from './paths.ts';
import type { ConfigFile } from './schema.ts';
import type { TerminalSettings } from './settings.ts';

export const DEFAULT_TERMINAL = { backend: 'local', sandboxNetwork: true, keepsBackground: false } as const;

/** `terminal.*`; a variable counts where the file says nothing. */
export function readTerminalSettings(
  section: ConfigFile['terminal'],
  variables: EnvironmentVariables,
): TerminalSettings {
  const variable = (name: string) => variables[name]?.trim() || undefined;
  const directory = section?.cwd ?? variable('TERMINAL_CWD');
  return {
    backend: section?.backend ?? variable('TERMINAL_ENV') ?? DEFAULT_TERMINAL.backend,
    passedVariables: section?.env_passthrough ?? [],
    sandboxNetwork: section?.sandbox_network ?? DEFAULT_TERMINAL.sandboxNetwork,
    keepsBackground: section?.keep_background ?? DEFAULT_TERMINAL.keepsBackground,
    ssh: {
      host: section?.ssh_host ?? variable('TERMINAL_SSH_HOST'),
      user: section?.ssh_user ?? variable('TERMINAL_SSH_USER'),
      port: section?.ssh_port ?? readPort(variable('TERMINAL_SSH_PORT')),
      key: section?.ssh_key ?? variable('TERMINAL_SSH_KEY'),
      // The default of older files means the directory of a start, which the other side does not have.
      directory: directory === '.' ? undefined : directory,
    },
  };
}

function readPort(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const port = Number(text);
  if (Number.isInteger(port) && port > 0 && port < 65_536) return port;
  throw new ConfigurationError(`TERMINAL_SSH_PORT must be the number of a port, not ${text}.`);
}
