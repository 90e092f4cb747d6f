import type { ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { CommandOptions, CommandResult, Environment, ProcessRecord, StartOptions } from '../../contracts/index.ts';
import { processStartTime } from '../../util/index.ts';
import { createExitTasks, type ExitTasks } from '../exit-tasks.ts';
import { lazyRecordOf, launch, type LaunchedCommand, launchSync, recordOf, signalOfCode } from '../launched-command.ts';
import { findOrphanedProcess, pipedProcess } from '../piped-process.ts';
import { isTreeAlive, type ProcessTree, terminateTree } from '../process-tree.ts';
import { followCommand, NOT_STARTED } from '../run-command.ts';
import { PROCESS_TAG_VARIABLE, newProcessTag } from '../shell-script.ts';
import { createShellStateStore, type ShellCall, type ShellFolders } from './shell-state.ts';
import { createWaitingShell, type WaitingShell } from './waiting-shell.ts';

/** How to start a shell, after a backend has wrapped it. */
export type ShellStart = { file: string; args: string[]; directory: string; env: Record<string, string> };

/** A program around the shell that confines it. */
export type ShellWrapper = {
  /**
   * The process name of the program, such as bwrap. It kills all other processes when it exits. Undefined if the program
   * becomes the shell.
   */
  supervisor: string | undefined;
  /** Variables of the shells. */
  variables?: Record<string, string> | undefined;
  /** How to run a program in a directory. The identity stands for everything that the program can see. */
  prefix(directory: string): { file: string; args: string[]; identity: string };
  /** Whether the program failed before it started the shell, so that the command can be repeated. */
  hasNotRun(exitCode: number | undefined, errors: string): boolean;
  /**
   * Called as soon as a command has started, and before `prefix` is called for another one. The returned function is called
   * after the command has ended.
   */
  watchCommand?(): () => void;
};

export type ShellHostOptions = {
  workingDirectory: string;
  shell: string;
  env: Record<string, string>;
  /** Wraps every shell. */
  wrapper?: ShellWrapper;
  /** Wraps the shells of confined commands; undefined if they run like all others. */
  confinement?(): Promise<ShellWrapper | undefined>;
  /** Creates the folders for the shell state. */
  folders?(): ShellFolders;
  exitTasks?: ExitTasks | undefined;
  /** Directories are those of the local machine. */
  localDirectories?: boolean;
};

type Commands = Pick<Environment, 'currentDirectory' | 'run' | 'start' | 'findProcess' | 'close'>;
type Spawn = typeof import('node:child_process').spawn;

/** Runs local shells, each with the state of the previous one. */
export function createShellHost(options: ShellHostOptions): Commands & { folders(): ShellFolders } {
  const { shell, env, workingDirectory, wrapper: usual } = options;
  const exitTasks = options.exitTasks ?? createExitTasks();
  const carryOver = createShellStateStore({ exitTasks, directory: workingDirectory, shell, folders: options.folders });
  const waiting =
    usual?.supervisor !== undefined && shell.endsWith('bash')
      ? createWaitingShell({ shell, env, wrapper: usual, folder: () => carryOver.folders().given, exitTasks })
      : undefined;
  const host: Host = { shell, env, usual, waiting, exitTasks, hideSecrets: createHiding() };

  /** Falls back to the working directory if the current directory was removed. */
  function startDirectory(wanted: string | undefined): string | undefined {
    if (wanted !== undefined) return resolve(carryOver.directory(), wanted);
    return options.localDirectories && !existsSync(carryOver.directory()) ? workingDirectory : undefined;
  }

  return {
    currentDirectory: carryOver.directory,
    folders: carryOver.folders,
    async run(command, commandOptions) {
      const { spawn } = await import('node:child_process');
      await host.hideSecrets();
      const wrapper = commandOptions.confined ? ((await options.confinement?.()) ?? usual) : usual;
      const directory = startDirectory(commandOptions.workingDirectory);
      // No await from here to the abort listener, so that no abort is missed.
      if (commandOptions.signal.aborted)
        return { ...NOT_STARTED, workingDirectory: directory ?? carryOver.directory() };
      // What a confined command leaves must not become a part of shells that run outside the sandbox.
      const call = carryOver.prepare(command, { directory, keep: wrapper === usual });
      const { begun, result } = await runShell(host, spawn, { call, wrapper, given: commandOptions });
      begun.ended?.();
      const isSupervised = wrapper?.supervisor !== undefined;
      // A supervisor has killed everything by now.
      if (wrapper !== undefined && !isSupervised) await killRest(begun);
      const left = wrapper === undefined ? findOrphanedProcess(begun.launched, begun.mark, exitTasks) : undefined;
      const end = call.finish(result.ended === 'exit');
      const described = !isSupervised || end.saved ? result : { ...result, ...signalFromExitCode(result) };
      return { ...described, ...(left !== undefined && { orphaned: left }), workingDirectory: end.directory };
    },
    async start(command, startOptions: StartOptions = {}) {
      await host.hideSecrets();
      const call = carryOver.prepare(command, {
        directory: startDirectory(startOptions.workingDirectory),
        keep: false,
      });
      const { endNow, process } = await startWith(prepare(host, call, usual), startOptions.pty);
      if (startOptions.killOnExit) {
        exitTasks.addKill(endNow);
        void process.ended.then(() => exitTasks.remove(endNow));
      }
      return process;
    },
    findProcess: async (record) => findLocalProcess(record, usual?.supervisor),
    async close() {
      waiting?.close();
      carryOver.close();
    },
  };
}

/** What all shells of one environment share. */
type Host = {
  shell: string;
  env: Record<string, string>;
  usual: ShellWrapper | undefined;
  waiting: WaitingShell | undefined;
  exitTasks: ExitTasks;
  hideSecrets(): Promise<void>;
};

/** Hides the secrets of this process once, before the first command. */
function createHiding(): () => Promise<void> {
  let hidden: Promise<void> | undefined;
  return () => (hidden ??= import('./hide-secrets.ts').then(({ hideSecretVariables }) => hideSecretVariables()));
}

function prepare(host: Host, call: ShellCall, wrapper: ShellWrapper | undefined): Prepared {
  const { shell, env } = host;
  const { args, directory, variables, whole } = call;
  const mark = newProcessTag();
  // Keeps the tag of an outer Hermes process as well, because that may be running this one as a command.
  const marks = [env[PROCESS_TAG_VARIABLE], mark].filter((part) => part !== undefined).join(' ');
  const own = { ...variables, ...wrapper?.variables, [PROCESS_TAG_VARIABLE]: marks };
  const start = { file: shell, args, directory, env: whole ? own : { ...env, ...own } };
  if (wrapper === undefined) return { ...start, mark };
  // The program may print errors, which become part of the output.
  return { ...wrapStart(start, wrapper), mark, holder: wrapper.supervisor, errors: true };
}

type ShellRun = { call: ShellCall; wrapper: ShellWrapper | undefined; given: CommandOptions };

/** Runs a command to its end, and once more if the wrapping program failed before the command ran. */
async function runShell(host: Host, spawn: Spawn, run: ShellRun) {
  const { wrapper, given } = run;
  let begun = begin(host, spawn, run);
  const ended = wrapper?.watchCommand?.();
  // Started while the command runs, so that neither it nor the next one waits for it.
  if (wrapper !== undefined && wrapper === host.usual) setImmediate(() => host.waiting?.refill(spawn));
  let result = await followCommand(begun.launched, given, host.exitTasks);
  begun.done?.();
  if (result.ended === 'exit' && wrapper?.hasNotRun(result.exitCode, begun.errors())) {
    // Not in a shell that was started before the failure, because it may have failed too.
    begun = begin({ ...host, waiting: undefined }, spawn, run);
    result = await followCommand(begun.launched, given, host.exitTasks);
  }
  return { begun: { ...begun, ended }, result };
}

/** Uses the waiting shell if there is one and the command has no stdin. */
function begin(host: Host, spawn: Spawn, { call, wrapper, given }: ShellRun): Begun {
  const input = given.stdin !== undefined;
  const ready = input || wrapper !== host.usual ? undefined : host.waiting?.use(prepare(host, call, undefined));
  const { launched, mark } = ready ?? launchNew(spawn, prepare(host, call, wrapper), input);
  const { pid } = launched.child;
  if (pid !== undefined) given.onBegun?.(lazyRecordOf(launched.child, pid, mark));
  return { launched, mark, done: ready?.done, errors: wrapper === undefined ? () => '' : keepErrors(launched) };
}

/** Kills what a command in a sandbox left running, and waits until it is gone. */
async function killRest({ launched, mark }: Begun): Promise<void> {
  const { pid } = launched.child;
  if (pid === undefined || !isTreeAlive({ pid, tag: mark })) return;
  launched.killSync();
  await launched.terminate();
}

function launchNew(spawn: Spawn, start: Prepared, input: boolean) {
  return { launched: launchSync(spawn, { ...start, input }), mark: start.mark };
}

type Begun = {
  launched: LaunchedCommand<ChildProcess>;
  mark: string;
  errors(): string;
  done?: (() => void) | undefined;
  /** Called after the command has ended. */
  ended?: (() => void) | undefined;
};

function wrapStart(start: ShellStart, wrapper: ShellWrapper): ShellStart {
  const { file, args } = wrapper.prefix(start.directory);
  // The program itself must not start in a directory that exists only inside.
  return { ...start, file, args: [...args, start.file, ...start.args], directory: '/' };
}

/** The number of characters of stderr that are kept. The shell redirects its own stderr to stdout. */
const MAX_ERRORS = 1000;

/** Keeps what the wrapping program prints to stderr. */
function keepErrors({ child }: LaunchedCommand): () => string {
  let text = '';
  child.stderr?.on('data', (bytes: Buffer) => {
    if (text.length < MAX_ERRORS) text += bytes.toString();
  });
  return () => text;
}

/** No process has this pid. */
const NO_PID = -1;

/**
 * Finds what is left of a recorded command. The pid may belong to another process by now, so its group and session
 * count only as long as the start time is the same. Processes that outlived their shell are found by their tag.
 */
function findLocalProcess({ pid, startTime, mark }: ProcessRecord, supervisor: string | undefined) {
  // Without a start time there is no /proc, in which the tag could be found.
  if (startTime === '' || !['', startTime].includes(processStartTime(pid))) return undefined;
  const tree = (): ProcessTree => ({
    pid: processStartTime(pid) === startTime ? pid : NO_PID,
    tag: mark,
    supervisor,
  });
  if (!isTreeAlive(tree())) return undefined;
  return { pid, isRunning: async () => isTreeAlive(tree()), kill: () => terminateTree(tree()) };
}

/**
 * The supervisor reports a signal only as an exit code. If the shell saved its state, it exited by itself and the
 * code is its own.
 */
function signalFromExitCode({ ended, exitCode = 0 }: Pick<CommandResult, 'ended' | 'exitCode'>) {
  const signalName = ended === 'exit' ? signalOfCode(exitCode) : undefined;
  return signalName === undefined ? {} : { ended: 'signal' as const, exitCode: undefined, signalName };
}

type Prepared = ShellStart & { mark: string; holder?: string | undefined; errors?: boolean };

async function startWith(start: Prepared, size: StartOptions['pty']) {
  if (size !== undefined) {
    const { startInPty } = await import('../pty-process.ts');
    const { running: process, endNow } = await startInPty({ ...start, size });
    return { process, endNow };
  }
  const launched = await launch({ ...start, input: true });
  const { pid } = launched.child;
  // The start failed; `ended` rejects with the reason.
  if (pid === undefined) await launched.ended;
  return { process: pipedProcess(launched, recordOf(pid ?? 0, start.mark)), endNow: launched.killSync };
}
