import type { Environment, ProcessRecord, RunningProcess, StartOptions } from '../../contracts/index.ts';
import type { ExitTasks } from '../exit-tasks.ts';
import { pipedProcess } from '../piped-process.ts';
import { type BeginOptions, beginRemote } from './remote-begin.ts';
import type { RemoteConnection } from './remote-connection.ts';
import { leftRemotely } from './remote-left.ts';
import type { RemoteMachine } from './remote-machine.ts';
import { KILL_SCRIPT, STARTED_SCRIPT } from './remote-scripts.ts';
import { createRemoteShells } from './remote-shells.ts';
import { startRemoteTerminal } from './remote-terminal.ts';
import { followCommand, NOT_BEGUN } from '../run-command.ts';
import { createShellFiles } from '../shell-files.ts';

/** What it is called and what is to be known of it. */
export type RemoteDescription = Pick<Environment, 'name' | 'place' | 'system' | 'isolated'>;

/** A shell somewhere else, whatever leads there. */
export function createRemoteEnvironment(
  machine: RemoteMachine,
  description: RemoteDescription,
  exitTasks: ExitTasks,
): Environment {
  const { connection, shell, folder, workingDirectory } = machine;
  const shells = createRemoteShells({ shell, folder, directory: workingDirectory });
  const files = createShellFiles({
    runScript: connection.run,
    currentDirectory: async () => shells.directory(),
    homeDirectory: async () => machine.home,
  });
  const removal = ['rm -rf "$1"', [folder]] as const;
  // What lies on the other side goes also where the program leaves in the middle.
  const removeNow = () => connection.leave(...removal);
  exitTasks.add(removeNow);
  const parts: BeginOptions = { connection, shells, shell, writeFile: files.writeFile };
  return {
    ...description,
    workingDirectory,
    shell,
    currentDirectory: shells.directory,
    async run(command, commandOptions) {
      const call = shells.begin(command, commandOptions.workingDirectory);
      if (commandOptions.signal.aborted) return { ...NOT_BEGUN, workingDirectory: call.directory };
      const { signal, timeoutMs, stdin } = commandOptions;
      const launched = await beginRemote(parts, {
        command,
        call,
        input: stdin !== undefined,
        stop: { signal, timeoutMs },
      });
      const record = launched.record();
      if (record !== undefined) commandOptions.onBegun?.(record);
      // The time of one that has not begun is over.
      const following = { ...commandOptions, timeoutMs: record === undefined ? 0 : timeoutMs };
      const result = await followCommand(launched, following, exitTasks);
      const left = result.ended === 'exit' ? await leftRemotely(launched, connection, exitTasks) : undefined;
      return {
        ...result,
        ...(left !== undefined && { left }),
        workingDirectory: call.finish(result.ended === 'exit', launched.directories()),
      };
    },
    async start(command, startOptions = {}) {
      const { process, endNow } = await startRemotely(parts, command, startOptions);
      if (startOptions.endWithProgram) {
        exitTasks.add(endNow);
        void process.ended.then(() => exitTasks.remove(endNow));
      }
      return process;
    },
    findProcess: (record) => findRemoteProcess(connection, record),
    ...files,
    async close() {
      exitTasks.remove(removeNow);
      await connection.run(...removal).catch(() => undefined);
      await connection.close();
    },
  };
}

type Started = { process: RunningProcess; endNow(): void };

async function startRemotely(parts: BeginOptions, command: string, options: StartOptions): Promise<Started> {
  const call = parts.shells.begin(command, options.workingDirectory, false);
  if (options.pty !== undefined) {
    const text = await parts.shells.asArgument(command, parts.writeFile);
    return startRemoteTerminal(parts, { call, text, size: options.pty });
  }
  const launched = await beginRemote(parts, { command, call, input: true });
  return { process: pipedProcess(launched, await launched.begun), endNow: launched.endNow };
}

async function findRemoteProcess(connection: RemoteConnection, { pid, startTime, mark }: ProcessRecord) {
  const isRunning = async () => {
    const { output } = await connection.run(STARTED_SCRIPT, [String(pid)]);
    return startTime !== '' && output.toString() === startTime;
  };
  if (!(await isRunning())) return undefined;
  const kill = async () => (await connection.run(KILL_SCRIPT, [String(pid), mark])).code === 0;
  return { pid, isRunning, kill };
}
