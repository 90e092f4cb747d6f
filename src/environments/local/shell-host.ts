import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { CommandResult, Environment, ProcessRecord, StartOptions } from '../../contracts/index.ts';
import { startTimeOf } from '../../util/index.ts';
import { hideSecretVariables } from '../child-environment.ts';
import { createExitTasks, type ExitTasks } from '../exit-tasks.ts';
import { lateRecordOf, launch, launchWith, recordOf, signalOfCode } from '../launched.ts';
import { findLeftProcess, pipedProcess } from '../piped-process.ts';
import { endTree, isTreeAlive } from '../process-tree.ts';
import { startInPty } from '../pty-process.ts';
import { followCommand, NOT_BEGUN } from '../run-command.ts';
import { MARK_VARIABLE, newMark } from '../shell-script.ts';
import { createCarryOver, type ShellCall } from './carry-over.ts';

/** How a shell is started, after a backend had its say. */
export type Start = { file: string; args: string[]; directory: string; env: Record<string, string> };

export type ShellHostOptions = {
  workingDirectory: string;
  shell: string;
  env: Record<string, string>;
  /** The name of the processes that hold all others, where a backend has such. */
  holder?: string;
  /** Puts something around the shell. */
  wrap?(start: Start): Start;
  /** Where the shells keep what they hand on. */
  folder?(): string;
  exitTasks?: ExitTasks | undefined;
  /** What is around the shell may have something to say, which is then part of the output. */
  hasErrors?: boolean;
  /** Directories are those of this machine. */
  seesDirectories?: boolean;
};

type Commands = Pick<Environment, 'currentDirectory' | 'run' | 'start' | 'findProcess' | 'close'>;

/** Runs shells of this machine, each going on where the last one ended. */
export function createShellHost(options: ShellHostOptions): Commands & { folder(): string } {
  const { shell, env, holder, workingDirectory, wrap = (start: Start) => start } = options;
  const exitTasks = options.exitTasks ?? createExitTasks();
  const carryOver = createCarryOver({ exitTasks, directory: workingDirectory, shell, folder: options.folder });
  const held = holder === undefined ? {} : { holder };
  let hidden = false;

  /** A directory that was removed meanwhile cannot be gone on from. */
  function startDirectory(wanted: string | undefined): string | undefined {
    if (wanted !== undefined) return resolve(carryOver.directory(), wanted);
    return options.seesDirectories && !existsSync(carryOver.directory()) ? workingDirectory : undefined;
  }

  function prepare({ args, directory, variables, whole }: ShellCall): Start & { mark: string } {
    if (!hidden) hideSecretVariables();
    hidden = true;
    const mark = newMark();
    // Also those around it find it: a command of ours may itself be an agent that runs commands.
    const marks = [env[MARK_VARIABLE], mark].filter((part) => part !== undefined).join(' ');
    const own = { ...variables, [MARK_VARIABLE]: marks };
    return { ...wrap({ file: shell, args, directory, env: whole ? own : { ...env, ...own } }), mark };
  }

  return {
    currentDirectory: carryOver.directory,
    folder: carryOver.folder,
    async run(command, commandOptions) {
      const { spawn } = await import('node:child_process');
      const directory = startDirectory(commandOptions.workingDirectory);
      // From here to the listener nothing waits, so no abort can be missed.
      if (commandOptions.signal.aborted) return { ...NOT_BEGUN, workingDirectory: directory ?? carryOver.directory() };
      const call = carryOver.begin(command, { directory });
      const input = commandOptions.stdin !== undefined;
      const start = prepare(call);
      const launched = launchWith(spawn, { ...start, ...held, input, errors: options.hasErrors });
      const { pid } = launched.child;
      if (pid !== undefined) commandOptions.onBegun?.(lateRecordOf(launched.child, pid, start.mark));
      const result = await followCommand(launched, commandOptions, exitTasks);
      // What holds the others takes them along when it ends.
      const left = holder === undefined ? findLeftProcess(launched, start.mark, exitTasks) : undefined;
      const end = call.finish(result.ended === 'exit');
      const told = holder === undefined || end.told ? result : { ...result, ...signalIn(result) };
      return { ...told, ...(left !== undefined && { left }), workingDirectory: end.directory };
    },
    async start(command, startOptions: StartOptions = {}) {
      const call = carryOver.begin(command, { directory: startDirectory(startOptions.workingDirectory), keep: false });
      const start = { ...prepare(call), ...held };
      const { endNow, process } = await startWith({ ...start, errors: options.hasErrors }, startOptions.pty);
      if (startOptions.endWithProgram) {
        exitTasks.add(endNow);
        void process.ended.then(() => exitTasks.remove(endNow));
      }
      return process;
    },
    findProcess: async (record) => findLocalProcess(record, holder),
    close: async () => carryOver.close(),
  };
}

function findLocalProcess({ pid, startTime, mark }: ProcessRecord, holder: string | undefined) {
  if (startTime === '' || startTimeOf(pid) !== startTime) return undefined;
  const tree = { pid, mark, ...(holder !== undefined && { holder }) };
  return { pid, isRunning: async () => isTreeAlive(tree), kill: () => endTree(tree) };
}

/** What holds the others can tell of a signal only by a code. One that a shell wrote down nothing before is none of its. */
function signalIn({ ended, exitCode = 0 }: Pick<CommandResult, 'ended' | 'exitCode'>) {
  const signalName = ended === 'exit' ? signalOfCode(exitCode) : undefined;
  return signalName === undefined ? {} : { ended: 'signal' as const, exitCode: undefined, signalName };
}

type Prepared = Start & { mark: string; holder?: string; errors?: boolean | undefined };

async function startWith(start: Prepared, size: StartOptions['pty']) {
  if (size !== undefined) {
    const { running: process, endNow } = await startInPty({ ...start, size });
    return { process, endNow };
  }
  const launched = await launch({ ...start, input: true });
  const { pid } = launched.child;
  // It could not be started: what was wrong is in the ending.
  if (pid === undefined) await launched.ended;
  return { process: pipedProcess(launched, recordOf(pid ?? 0, start.mark)), endNow: launched.endNow };
}
