import type { Environment, ProcessRecord, RunningProcess, StartOptions } from '../contracts/index.ts';
import { childEnvironment } from './child-environment.ts';
import { createExitTasks, type ExitTasks } from './exit-tasks.ts';
import { pipedProcess } from './piped-process.ts';
import { followCommand, NOT_BEGUN } from './run-command.ts';
import { createShellFiles } from './shell-files.ts';
import { type BeginOptions, beginSsh } from './ssh-begin.ts';
import type { SshConnection, SshTarget } from './ssh-connection.ts';
import { leftOverSsh } from './ssh-left.ts';
import { reachMachine } from './ssh-machine.ts';
import { KILL_SCRIPT, STARTED_SCRIPT } from './ssh-scripts.ts';
import { createSshShells } from './ssh-shells.ts';
import { startSshTerminal } from './ssh-terminal.ts';

export type SshOptions = SshTarget & {
  /** Where it begins on the other side; the home folder there by default. */
  workingDirectory?: string | undefined;
  /** What `ssh` itself gets; nothing of it goes to the other side. */
  env?: Readonly<Record<string, string | undefined>>;
  exitTasks?: ExitTasks | undefined;
};

/** Another machine, through the OpenSSH client and the person's own configuration of it. */
export async function createSshEnvironment(options: SshOptions): Promise<Environment> {
  const env = childEnvironment(options.env ?? process.env);
  const machine = await reachMachine(options, options.workingDirectory ?? '~', env);
  const { connection, shell, folder, workingDirectory } = machine;
  const exitTasks = options.exitTasks ?? createExitTasks();
  const shells = createSshShells({ shell, folder, directory: workingDirectory });
  const files = createShellFiles({
    runScript: connection.run,
    currentDirectory: async () => shells.directory(),
    homeDirectory: async () => machine.home,
  });
  const parts: BeginOptions = { connection, shells, shell, writeFile: files.writeFile };
  return {
    name: 'ssh',
    place: nameMachine(options),
    workingDirectory,
    shell,
    system: `${machine.system} on the machine ${options.host}, reached over ssh`,
    // Another machine is not this one, but it is one of the person's, and what is done there is done.
    isolated: false,
    currentDirectory: shells.directory,
    async run(command, commandOptions) {
      const call = shells.begin(command, commandOptions.workingDirectory);
      if (commandOptions.signal.aborted) return { ...NOT_BEGUN, workingDirectory: call.directory };
      const launched = await beginSsh(parts, command, call, commandOptions.stdin !== undefined);
      commandOptions.onBegun?.(await launched.begun);
      const result = await followCommand(launched, commandOptions, exitTasks);
      const left = result.ended === 'exit' ? await leftOverSsh(launched, connection, exitTasks) : undefined;
      return {
        ...result,
        ...(left !== undefined && { left }),
        workingDirectory: call.finish(result.ended === 'exit', launched.directories()),
      };
    },
    async start(command, startOptions = {}) {
      const { process, endNow } = await startOverSsh(parts, command, startOptions);
      if (startOptions.endWithProgram) {
        exitTasks.add(endNow);
        void process.ended.then(() => exitTasks.remove(endNow));
      }
      return process;
    },
    findProcess: (record) => findRemoteProcess(connection, record),
    ...files,
    async close() {
      await connection.run('rm -rf "$1"', [folder]).catch(() => undefined);
      await connection.close();
    },
  };
}

/** As the person names it; two names of one machine are two places, which costs nothing but a look. */
function nameMachine({ host, user, port }: SshTarget): string {
  return `ssh ${user === undefined ? '' : `${user}@`}${host}${port === undefined ? '' : `:${port}`}`;
}

type Started = { process: RunningProcess; endNow(): void };

async function startOverSsh(parts: BeginOptions, command: string, options: StartOptions): Promise<Started> {
  const call = parts.shells.begin(command, options.workingDirectory, false);
  if (options.pty !== undefined) {
    const text = await parts.shells.asArgument(command, parts.writeFile);
    return startSshTerminal(parts, { call, text, size: options.pty });
  }
  const launched = await beginSsh(parts, command, call, true);
  return { process: pipedProcess(launched, await launched.begun), endNow: launched.endNow };
}

async function findRemoteProcess(connection: SshConnection, { pid, startTime, mark }: ProcessRecord) {
  const isRunning = async () => {
    const { output } = await connection.run(STARTED_SCRIPT, [String(pid)]);
    return startTime !== '' && output.toString() === startTime;
  };
  if (!(await isRunning())) return undefined;
  const kill = async () => (await connection.run(KILL_SCRIPT, [String(pid), mark])).code === 0;
  return { pid, isRunning, kill };
}
