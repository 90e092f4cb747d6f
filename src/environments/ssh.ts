import { randomBytes } from 'node:crypto';
import { ConfigurationError } from '../base/index.ts';
import type { CommandOptions, Environment, StartOptions } from '../contracts/index.ts';
import { childEnvironment } from './child-environment.ts';
import { createExitTasks, type ExitTasks } from './exit-tasks.ts';
import { pipedProcess } from './piped-process.ts';
import { followCommand, NOT_BEGUN } from './run-command.ts';
import { createShellFiles } from './shell-files.ts';
import { createSshConnection, type SshTarget } from './ssh-connection.ts';
import { DirectoryMissing, followSsh, NotConnected, type SshLaunched } from './ssh-launch.ts';
import { startSshTerminal } from './ssh-terminal.ts';
import { COMMAND_SCRIPT, KILL_SCRIPT, PROBE_SCRIPT, STARTED_SCRIPT, TERMINAL_SCRIPT } from './ssh-scripts.ts';
import { createSshShells, type SshShell } from './ssh-shells.ts';

export type SshOptions = SshTarget & {
  /** Where it begins on the other side; the home folder there by default. */
  workingDirectory?: string | undefined;
  /** What `ssh` itself gets; nothing of it goes to the other side. */
  env?: Readonly<Record<string, string | undefined>>;
  exitTasks?: ExitTasks | undefined;
};

/** Another machine, through the OpenSSH client and the person's own configuration of it. */
export async function createSshEnvironment(options: SshOptions): Promise<Environment> {
  const connection = createSshConnection(options, childEnvironment(options.env ?? process.env));
  const exitTasks = options.exitTasks ?? createExitTasks();
  const begin = options.workingDirectory ?? '~';
  const probe = await connection.run(PROBE_SCRIPT, [begin]).catch(async (thrown: unknown) => {
    await connection.close();
    throw thrown;
  });
  if (probe.code !== 0) {
    await connection.close();
    const where = probe.code === 3 ? `there is no folder ${begin}` : probe.errors.trim();
    throw new ConfigurationError(`${options.host} cannot be used: ${where}`, { hint: 'Check terminal.cwd.' });
  }
  const [shell = '/bin/sh', home = '/', folder = '/tmp', workingDirectory = '/', system = ''] = probe.output
    .toString()
    .split('\0');
  const shells = createSshShells({ shell, folder, directory: workingDirectory });

  async function launch(command: string, call: SshShell, input: boolean): Promise<SshLaunched> {
    const { spawn } = await import('node:child_process');
    await connection.open();
    const mark = randomBytes(9).toString('base64url');
    const text = await shells.asArgument(command, (path, content) => files.writeFile(path, content));
    const parameters = [mark, call.directory, shell, call.script, text, call.report, ...call.rest];
    const child = spawn('ssh', connection.args(COMMAND_SCRIPT, parameters, { shell }), {
      env: connection.env,
      detached: true,
      stdio: [input ? 'pipe' : 'ignore', 'pipe', 'pipe'],
    });
    return followSsh(child, mark, connection);
  }

  /** Again where the connection was found dead before anything was begun. */
  async function begun(command: string, call: SshShell, input: boolean): Promise<SshLaunched> {
    const first = await launch(command, call, input);
    const failure = await first.begun.then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    if (failure instanceof NotConnected) {
      const second = await launch(command, call, input);
      await second.begun.catch((thrown: unknown) => {
        throw thrown instanceof NotConnected ? connection.explain(thrown.message) : thrown;
      });
      return second;
    }
    if (failure !== undefined) throw failure;
    return first;
  }

  const files = createShellFiles({
    runScript: (script, args, input) => connection.run(script, args, input),
    currentDirectory: async () => shells.directory(),
    homeDirectory: async () => home,
  });
  return {
    name: 'ssh',
    workingDirectory,
    shell,
    system: `${system} on the machine ${options.host}, reached over ssh`,
    // Another machine is not this one, but it is one of the person's, and what is done there is done.
    isolated: false,
    currentDirectory: shells.directory,
    async run(command: string, commandOptions: CommandOptions) {
      const call = shells.begin(command, commandOptions.workingDirectory);
      if (commandOptions.signal.aborted) return { ...NOT_BEGUN, workingDirectory: call.directory };
      const launched = await begun(command, call, commandOptions.stdin !== undefined).catch((thrown: unknown) => {
        throw thrown instanceof DirectoryMissing ? shells.missing(call.directory) : thrown;
      });
      const result = await followCommand(launched, commandOptions, exitTasks);
      return { ...result, workingDirectory: call.finish(result.ended === 'exit', launched.directories()) };
    },
    async start(command: string, startOptions: StartOptions = {}) {
      const call = shells.begin(command, startOptions.workingDirectory, false);
      if (startOptions.pty !== undefined) {
        await connection.open();
        const mark = randomBytes(9).toString('base64url');
        const parameters = [mark, call.directory, shell, call.script, command, ...call.rest.slice(0, 2)];
        const args = connection.args(TERMINAL_SCRIPT, parameters, { shell, terminal: true });
        return startSshTerminal({ args, mark, connection, size: startOptions.pty });
      }
      const launched = await begun(command, call, true);
      if (startOptions.endWithProgram) {
        exitTasks.add(launched.endNow);
        void launched.ended.catch(() => undefined).then(() => exitTasks.remove(launched.endNow));
      }
      return pipedProcess(launched, await launched.begun);
    },
    async findProcess({ pid, startTime, mark }) {
      const isRunning = async () => {
        const { output } = await connection.run(STARTED_SCRIPT, [String(pid)]);
        return startTime !== '' && output.toString() === startTime;
      };
      if (!(await isRunning())) return undefined;
      const kill = async () => (await connection.run(KILL_SCRIPT, [String(pid), mark])).code === 0;
      return { pid, isRunning, kill };
    },
    ...files,
    async close() {
      await connection.run('rm -rf "$1"', [folder]).catch(() => undefined);
      await connection.close();
    },
  };
}
