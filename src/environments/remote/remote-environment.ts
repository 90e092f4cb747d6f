import { ConfigurationError, HermesError } from '../../base/index.ts';
import type {
  CommandOptions,
  CommandResult,
  Environment,
  OrphanedProcess,
  ProcessRecord,
  RunningProcess,
  StartOptions,
} from '../../contracts/index.ts';
import { settlesWithin } from '../../util/index.ts';
import type { ExitTasks } from '../exit-tasks.ts';
import { createOutputListeners, listenToOutputs, pipedProcess } from '../piped-process.ts';
import { followCommand, NOT_STARTED } from '../run-command.ts';
import { createShellFiles } from '../shell-files.ts';
import { newProcessTag } from '../shell-script.ts';
import {
  createRemoteShells,
  type RemoteCommandOptions,
  type RemoteShell,
  startRemoteCommand,
} from './remote-commands.ts';
import type { RemoteConnection, RemoteTerminal } from './remote-connection.ts';
import { createControlStream, type RemoteLaunched } from './remote-launch.ts';
import {
  KILL_SCRIPT,
  ORPHANS_SCRIPT,
  PROBE_SCRIPT,
  RESIZE_SCRIPT,
  START_TIME_SCRIPT,
  TERMINAL_SCRIPT,
} from './remote-scripts.ts';

/** The descriptive properties of the environment. */
export type RemoteDescription = Pick<Environment, 'name' | 'location' | 'system' | 'isolated'>;

/** An environment with a remote shell, over any connection. */
export function createRemoteEnvironment(
  machine: RemoteMachine,
  description: RemoteDescription,
  exitTasks: ExitTasks,
): Environment {
  const { connection, shell, folder, workingDirectory, realDirectory } = machine;
  const shells = createRemoteShells({ shell, folder, directory: workingDirectory, realDirectory });
  const files = createShellFiles({
    runScript: connection.run,
    currentDirectory: async () => shells.directory(),
    homeDirectory: async () => machine.home,
  });
  const removal = ['rm -rf "$1"', [folder]] as const;
  // The remote folder is removed even if Hermes exits without closing the environment.
  const removeNow = () => connection.runAtExit(...removal);
  exitTasks.add(removeNow);
  const parts: RemoteCommandOptions = { connection, shells, shell, writeFile: files.writeFile };
  return {
    ...description,
    workingDirectory,
    shell,
    currentDirectory: shells.directory,
    knownDirectory: shells.knownDirectory,
    run: (command, options) => runRemotely(parts, command, options, exitTasks),
    async start(command, startOptions = {}) {
      const { process, endNow } = await startRemotely(parts, command, startOptions);
      if (startOptions.killOnExit) {
        exitTasks.addKill(endNow);
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

async function runRemotely(
  parts: RemoteCommandOptions,
  command: string,
  options: CommandOptions,
  exitTasks: ExitTasks,
): Promise<CommandResult> {
  const { signal, timeoutMs, stdin } = options;
  const call = parts.shells.begin(command, options.workingDirectory);
  if (signal.aborted) return { ...NOT_STARTED, workingDirectory: call.directory };
  const launched = await startRemoteCommand(parts, {
    command,
    call,
    input: stdin !== undefined,
    stop: { signal, timeoutMs },
  });
  const record = launched.record();
  if (record !== undefined) options.onBegun?.(record);
  // A command that has not started by now has used up its timeout.
  const remaining = { ...options, timeoutMs: record === undefined ? 0 : timeoutMs };
  const result = await followCommand(launched, remaining, exitTasks);
  const left = result.ended === 'exit' ? await findRemoteOrphan(launched, parts.connection, exitTasks) : undefined;
  return {
    ...result,
    ...(left !== undefined && { orphaned: left }),
    workingDirectory: call.finish(result.ended === 'exit', launched.directories()),
  };
}

type Started = { process: RunningProcess; endNow(): void };

async function startRemotely(parts: RemoteCommandOptions, command: string, options: StartOptions): Promise<Started> {
  const call = parts.shells.begin(command, options.workingDirectory, false);
  if (options.pty !== undefined) {
    const text = await parts.shells.asArgument(command, parts.writeFile);
    return startRemoteTerminal(parts, { call, text, size: options.pty });
  }
  const limitMs = startLimit(parts.connection);
  const stop = { signal: new AbortController().signal, timeoutMs: limitMs };
  const launched = await startRemoteCommand(parts, { command, call, input: true, stop });
  const record = launched.record();
  if (record !== undefined) return { process: pipedProcess(launched, record), endNow: launched.killSync };
  launched.child.kill('SIGKILL');
  // Not awaited, because the remote side may not answer.
  launched.terminate().catch(() => undefined);
  throw notStarted(limitMs);
}

/** How long the remote side may take to start a background process: a container engine may hang. */
const START_TIMEOUT_MS = 60_000;

function startLimit({ startTimeoutMs = START_TIMEOUT_MS }: RemoteConnection): number {
  return startTimeoutMs;
}

function notStarted(limitMs: number): HermesError {
  return new HermesError(`The command did not start within ${limitMs / 1000} s.`, {
    hint: 'Run `hermes doctor` to check where commands run.',
  });
}

async function findRemoteProcess(connection: RemoteConnection, { pid, startTime, mark }: ProcessRecord) {
  const isRunning = async () => {
    const { output } = await connection.run(START_TIME_SCRIPT, [String(pid)]);
    return startTime !== '' && output.toString() === startTime;
  };
  if (!(await isRunning())) return undefined;
  const kill = async () => (await connection.run(KILL_SCRIPT, [String(pid), mark])).code === 0;
  return { pid, isRunning, kill };
}

/** The processes that a finished remote command orphaned; undefined if there are none. */
async function findRemoteOrphan(launched: RemoteLaunched, connection: RemoteConnection, exitTasks: ExitTasks) {
  if (!launched.hasOrphans()) return undefined;
  const onOutput = listenToOutputs(launched.outputs);
  const { pid: group, mark } = await launched.started;
  const ask = (what: string) => connection.run(ORPHANS_SCRIPT, [String(group), mark, what]);
  const members = readMembers((await ask('list')).output.toString());
  // The oldest is the one that is most likely to stay. Numbers of processes do not tell, because they start again.
  const [first] = members.toSorted((a, b) => Number(a.startTime) - Number(b.startTime));
  if (first === undefined) return undefined;
  const endNow = () => connection.runAtExit(ORPHANS_SCRIPT, [String(group), mark, 'kill']);
  const left: OrphanedProcess = {
    pid: first.pid,
    record: { pid: first.pid, startTime: first.startTime, mark },
    members,
    onOutput,
    async isRunning() {
      const isAlive = (await ask('check')).code === 0;
      // Avoids a useless remote call at exit.
      if (!isAlive) exitTasks.remove(endNow);
      return isAlive;
    },
    async kill() {
      const gone = (await ask('kill')).code === 0;
      if (gone) exitTasks.remove(endNow);
      return gone;
    },
    killOnExit: () => exitTasks.add(endNow),
  };
  return left;
}

function readMembers(output: string): { pid: number; startTime: string; command: string }[] {
  return output
    .split('\0')
    .slice(0, -1)
    .map((line) => {
      const [, pid, startTime = '', command = ''] = /^(\d+) (\S*) ([^]*)$/.exec(line) ?? [];
      // Without `ps` every word is followed by a space, including the last one.
      return { pid: Number(pid), startTime, command: command.trimEnd() };
    });
}

type RemoteTerminalOptions = {
  call: RemoteShell;
  text: string;
  size: NonNullable<StartOptions['pty']>;
};

/** Starts a command in a remote terminal. */
async function startRemoteTerminal(
  { connection, shell }: Pick<RemoteCommandOptions, 'connection' | 'shell'>,
  { call, text, size }: RemoteTerminalOptions,
): Promise<{ process: RunningProcess; endNow(): void }> {
  await connection.open();
  const mark = newProcessTag();
  const ending = [...call.rest.slice(0, 2), String(size.rows), String(size.columns)];
  const parameters = [mark, call.directory, shell, call.script, text, ...ending];
  const terminal = await connection.startTerminal({ script: TERMINAL_SCRIPT, parameters, shell, mark, size });
  const { running, endNow } = terminal;
  const output = createOutputListeners();
  const limitMs = startLimit(connection);
  const begun = waitForRecord(running, mark, output.push);
  if (!(await settlesWithin(begun, limitMs))) {
    begun.catch(() => undefined);
    endNow();
    connection.run(KILL_SCRIPT, ['-', mark]).catch(() => undefined);
    throw notStarted(limitMs);
  }
  const record = await begun;
  const kill = async () => (await connection.run(KILL_SCRIPT, [String(record.pid), mark])).code === 0;
  const leave = () => {
    endNow();
    if (!terminal.endsWithTerminal) connection.runAtExit(KILL_SCRIPT, [String(record.pid), mark]);
  };
  const own = { pid: record.pid, record, kill, onOutput: output.listen };
  const { resize, mayMissResize } = terminal;
  const sized = resize && !mayMissResize ? { resize } : resizeByScript(connection, terminal, record);
  return { process: { ...running, ...own, ...sized }, endNow: leave };
}

/** Resizes a terminal with a remote script; later input is sent after the resize. */
function resizeByScript(connection: RemoteConnection, terminal: RemoteTerminal, { pid }: ProcessRecord) {
  let sizing: Promise<unknown> = Promise.resolve();
  return {
    resize(columns: number, rows: number) {
      // The connecting program must know the size too, or it would restore the old one.
      terminal.resize?.(columns, rows);
      const parameters = [pid, columns, rows].map(String);
      sizing = sizing.then(() => connection.run(RESIZE_SCRIPT, parameters)).catch(() => undefined);
    },
    async write(data: string | Uint8Array) {
      await sizing;
      await terminal.running.write(data);
    },
  };
}

/** Reads the process record that our script prints first; all later output belongs to the command. */
function waitForRecord(
  running: RemoteTerminal['running'],
  mark: string,
  push: (text: string) => void,
): Promise<ProcessRecord> {
  return new Promise((resolve, reject) => {
    let early = '';
    let isBegun = false;
    running.onOutput((text) => {
      if (isBegun) return push(text);
      early += text;
      const at = early.indexOf('\u001E');
      const end = at < 0 ? -1 : early.indexOf('\0', at);
      if (end < 0) return;
      isBegun = true;
      const events = { ended() {}, left() {}, noDirectory() {} };
      const begun = (pid: number, startTime: string) => resolve({ pid, startTime, mark });
      createControlStream(mark, { ...events, begun }).push(Buffer.from(early.slice(at, end + 1), 'latin1'));
      push(early.slice(end + 1));
    });
    void running.ended.then(() => reject(new Error(`could not open a terminal: ${early.trim()}`)));
  });
}

/** What is known about the remote machine. */
type RemoteMachine = {
  connection: RemoteConnection;
  shell: string;
  home: string;
  /** A private folder, removed with the connection. */
  folder: string;
  workingDirectory: string;
  /** The working directory with links resolved. */
  realDirectory: string;
  system: string;
};

/** Connects and probes the remote machine once. */
export async function connectToMachine(
  connection: RemoteConnection,
  name: string,
  directory: string,
  makesDirectory = false,
): Promise<RemoteMachine> {
  try {
    const { code, output, errors } = await connection.run(PROBE_SCRIPT, [directory, makesDirectory ? 'make' : '']);
    if (code !== 0) {
      const where = code === 3 ? `the directory ${directory} does not exist` : errors.trim();
      throw new ConfigurationError(`${name} cannot be used: ${where}`, { hint: 'Check terminal.cwd.' });
    }
    const [shell = '/bin/sh', home = '/', folder = '/tmp', workingDirectory = '/', system = '', real = ''] = output
      .toString()
      .split('\0');
    return { connection, shell, home, folder, workingDirectory, realDirectory: real.slice(0, -1), system };
  } catch (thrown) {
    await connection.close();
    throw thrown;
  }
}
