import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { CommandResult, Environment, ProcessRecord, StartOptions } from '../../contracts/index.ts';
import { processStartTime } from '../../util/index.ts';
import { hideSecretVariables } from '../child-environment.ts';
import { createExitTasks, type ExitTasks } from '../exit-tasks.ts';
import { lazyRecordOf, launch, launchSync, recordOf, signalOfCode } from '../launched-command.ts';
import { findOrphanedProcess, pipedProcess } from '../piped-process.ts';
import { terminateTree, isTreeAlive } from '../process-tree.ts';
import { startInPty } from '../pty-process.ts';
import { followCommand, NOT_STARTED } from '../run-command.ts';
import { PROCESS_TAG_VARIABLE, newProcessTag } from '../shell-script.ts';
import { createShellStateStore, type ShellCall } from './shell-state.ts';

/** How to start a shell, after a backend has wrapped it. */
export type ShellStart = { file: string; args: string[]; directory: string; env: Record<string, string> };

export type ShellHostOptions = {
  workingDirectory: string;
  shell: string;
  env: Record<string, string>;
  /** The name of the supervisor processes of the backend, such as bwrap. */
  supervisor?: string;
  /** Wraps the shell in another program. */
  wrap?(start: ShellStart): ShellStart;
  /** Creates the folder for the shell state. */
  folder?(): string;
  exitTasks?: ExitTasks | undefined;
  /** The wrapping program may print errors, which become part of the output. */
  readsStderr?: boolean;
  /** Directories are those of the local machine. */
  localDirectories?: boolean;
};

type Commands = Pick<Environment, 'currentDirectory' | 'run' | 'start' | 'findProcess' | 'close'>;

/** Runs local shells, each with the state of the previous one. */
export function createShellHost(options: ShellHostOptions): Commands & { folder(): string } {
  const { shell, env, supervisor, workingDirectory, wrap = (start: ShellStart) => start } = options;
  const exitTasks = options.exitTasks ?? createExitTasks();
  const carryOver = createShellStateStore({ exitTasks, directory: workingDirectory, shell, folder: options.folder });
  const held = supervisor === undefined ? {} : { holder: supervisor };
  let hidden = false;

  /** Falls back to the working directory if the current directory was removed. */
  function startDirectory(wanted: string | undefined): string | undefined {
    if (wanted !== undefined) return resolve(carryOver.directory(), wanted);
    return options.localDirectories && !existsSync(carryOver.directory()) ? workingDirectory : undefined;
  }

  function prepare({ args, directory, variables, whole }: ShellCall): ShellStart & { mark: string } {
    if (!hidden) hideSecretVariables();
    hidden = true;
    const mark = newProcessTag();
    // Keeps the tag of an outer Hermes process as well, because that may be running this one as a command.
    const marks = [env[PROCESS_TAG_VARIABLE], mark].filter((part) => part !== undefined).join(' ');
    const own = { ...variables, [PROCESS_TAG_VARIABLE]: marks };
    return { ...wrap({ file: shell, args, directory, env: whole ? own : { ...env, ...own } }), mark };
  }

  return {
    currentDirectory: carryOver.directory,
    folder: carryOver.folder,
    async run(command, commandOptions) {
      const { spawn } = await import('node:child_process');
      const directory = startDirectory(commandOptions.workingDirectory);
      // No await from here to the abort listener, so that no abort is missed.
      if (commandOptions.signal.aborted)
        return { ...NOT_STARTED, workingDirectory: directory ?? carryOver.directory() };
      const call = carryOver.prepare(command, { directory });
      const input = commandOptions.stdin !== undefined;
      const start = prepare(call);
      const launched = launchSync(spawn, { ...start, ...held, input, errors: options.readsStderr });
      const { pid } = launched.child;
      if (pid !== undefined) commandOptions.onBegun?.(lazyRecordOf(launched.child, pid, start.mark));
      const result = await followCommand(launched, commandOptions, exitTasks);
      // The supervisor kills all other processes when it exits.
      const left = supervisor === undefined ? findOrphanedProcess(launched, start.mark, exitTasks) : undefined;
      const end = call.finish(result.ended === 'exit');
      const described = supervisor === undefined || end.saved ? result : { ...result, ...signalFromExitCode(result) };
      return { ...described, ...(left !== undefined && { orphaned: left }), workingDirectory: end.directory };
    },
    async start(command, startOptions: StartOptions = {}) {
      const call = carryOver.prepare(command, {
        directory: startDirectory(startOptions.workingDirectory),
        keep: false,
      });
      const start = { ...prepare(call), ...held };
      const { endNow, process } = await startWith({ ...start, errors: options.readsStderr }, startOptions.pty);
      if (startOptions.killOnExit) {
        exitTasks.add(endNow);
        void process.ended.then(() => exitTasks.remove(endNow));
      }
      return process;
    },
    findProcess: async (record) => findLocalProcess(record, supervisor),
    close: async () => carryOver.close(),
  };
}

function findLocalProcess({ pid, startTime, mark }: ProcessRecord, holder: string | undefined) {
  if (startTime === '' || processStartTime(pid) !== startTime) return undefined;
  const tree = { pid, tag: mark, ...(holder !== undefined && { holder }) };
  return { pid, isRunning: async () => isTreeAlive(tree), kill: () => terminateTree(tree) };
}

/**
 * The supervisor reports a signal only as an exit code. If the shell saved its state, it exited by itself and the
 * code is its own.
 */
function signalFromExitCode({ ended, exitCode = 0 }: Pick<CommandResult, 'ended' | 'exitCode'>) {
  const signalName = ended === 'exit' ? signalOfCode(exitCode) : undefined;
  return signalName === undefined ? {} : { ended: 'signal' as const, exitCode: undefined, signalName };
}

type Prepared = ShellStart & { mark: string; holder?: string; errors?: boolean | undefined };

async function startWith(start: Prepared, size: StartOptions['pty']) {
  if (size !== undefined) {
    const { running: process, endNow } = await startInPty({ ...start, size });
    return { process, endNow };
  }
  const launched = await launch({ ...start, input: true });
  const { pid } = launched.child;
  // The start failed; `ended` rejects with the reason.
  if (pid === undefined) await launched.ended;
  return { process: pipedProcess(launched, recordOf(pid ?? 0, start.mark)), endNow: launched.killSync };
}
