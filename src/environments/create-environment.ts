import { ConfigurationError } from '../base/index.ts';
import type { TerminalSettings } from '../config/index.ts';
import type { Environment } from '../contracts/index.ts';
import type { ExitTasks } from './exit-tasks.ts';
import { createLocalEnvironment } from './local.ts';

export type EnvironmentOptions = {
  terminal: TerminalSettings;
  workingDirectory: string;
  /** Hermes's own folder, which a sandbox does not show. */
  home: string;
  /** A folder of this machine whose files can be read in every environment. */
  spillFolder?: string | undefined;
  exitTasks?: ExitTasks | undefined;
};

/** The environment that is set. It is never another one: what was to be kept away from this machine stays away. */
export async function createEnvironment(options: EnvironmentOptions): Promise<Environment> {
  const { terminal, workingDirectory, exitTasks } = options;
  const { passedVariables, ssh } = terminal;
  switch (terminal.backend) {
    case 'local':
      return createLocalEnvironment({ workingDirectory, passedVariables, exitTasks });
    case 'sandbox': {
      const { createSandboxEnvironment } = await import('./sandbox.ts');
      const rules = { network: terminal.sandboxNetwork, hidden: [options.home] };
      return sharing(
        options,
        await createSandboxEnvironment({ ...rules, workingDirectory, passedVariables, exitTasks }),
      );
    }
    case 'ssh': {
      const { host, directory } = ssh;
      if (host === undefined) throw missingHost();
      const { createSshEnvironment } = await import('./ssh.ts');
      return sharing(options, await createSshEnvironment({ ...ssh, host, workingDirectory: directory, exitTasks }));
    }
    default:
      throw new ConfigurationError(
        `terminal.backend is ${terminal.backend}, which is not one of local, sandbox, ssh.`,
        {
          hint: 'Set one of these in config.yaml, or the variable TERMINAL_ENV.',
        },
      );
  }
}

function missingHost(): ConfigurationError {
  return new ConfigurationError('terminal.backend is ssh, but no host is set.', {
    hint: 'Set terminal.ssh_host in config.yaml, or the variable TERMINAL_SSH_HOST.',
  });
}

async function sharing({ spillFolder }: EnvironmentOptions, environment: Environment): Promise<Environment> {
  if (spillFolder === undefined) return environment;
  const { withLocalFolder } = await import('./with-local-folder.ts');
  return withLocalFolder(environment, spillFolder);
}
