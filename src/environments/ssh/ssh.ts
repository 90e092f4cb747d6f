import type { Environment } from '../../contracts/index.ts';
import { childEnvironment } from '../child-environment.ts';
import { createExitTasks, type ExitTasks } from '../exit-tasks.ts';
import { createRemoteEnvironment } from '../remote/remote-environment.ts';
import { reachMachine } from '../remote/remote-machine.ts';
import { createSshConnection, type SshTarget } from './ssh-connection.ts';

export type SshOptions = SshTarget & {
  /** Where it begins on the other side; the home folder there by default. */
  workingDirectory?: string | undefined;
  /** What `ssh` itself gets; nothing of it goes to the other side. */
  env?: Readonly<Record<string, string | undefined>>;
  exitTasks?: ExitTasks | undefined;
};

/** Another machine, through the OpenSSH client and the person's own configuration of it. */
export async function createSshEnvironment(options: SshOptions): Promise<Environment> {
  const exitTasks = options.exitTasks ?? createExitTasks();
  const connection = createSshConnection(options, childEnvironment(options.env ?? process.env), exitTasks);
  const machine = await reachMachine(connection, options.host, options.workingDirectory ?? '~');
  const description = {
    name: 'ssh',
    place: nameMachine(options),
    system: `${machine.system} on the machine ${options.host}, reached over ssh`,
    // Another machine is not this one, but it is one of the person's, and what is done there is done.
    isolated: false,
  };
  return createRemoteEnvironment(machine, description, exitTasks);
}

/** As the person names it; two names of one machine are two places, which costs nothing but a look. */
function nameMachine({ host, user, port }: SshTarget): string {
  return `ssh ${user === undefined ? '' : `${user}@`}${host}${port === undefined ? '' : `:${port}`}`;
}
