import type { CommandOptions, CommandResult, ProcessEnding } from '../contracts/index.ts';
import type { ExitTasks } from './exit-tasks.ts';
import type { LaunchedCommand } from './launched-command.ts';
import { createOutputCollector } from './output-collector.ts';

/** How long the program that connects to a command may take to exit after the command was killed. */
const CONNECTION_EXIT_MS = 2000;

type Stopped = { reason: 'timeout' | 'interrupted'; gone: Promise<boolean> };
type CommandEnding = Omit<CommandResult, 'workingDirectory'>;

/** The result of a command that was aborted before it started. */
export const NOT_STARTED: CommandEnding = { output: '', omitted: 0, exitCode: undefined, ended: 'interrupted' };

/** Follows a command until it exits, times out or is aborted. */
export async function followCommand(
  launched: LaunchedCommand,
  options: CommandOptions,
  exitTasks: ExitTasks,
): Promise<CommandEnding> {
  const collector = createOutputCollector(options);
  for (const stream of launched.outputs) stream.on('data', collector.source());
  writeStdin(launched, options.stdin);
  const watch = watchForStop(launched, options);
  // A command in its own process group does not receive Ctrl-C from the terminal and would keep running.
  exitTasks.addKill(launched.killSync);
  try {
    const ending = await Promise.race([launched.ended, watch.givenUp]);
    const stopped = watch.stopped();
    // Waits for the kill to finish; until then the exit task stays registered.
    const leftRunning = stopped === undefined ? {} : { leftRunning: !(await stopped.gone) };
    return { ...collector.finish(), ...describeEnding(ending, stopped?.reason), ...leftRunning };
  } finally {
    exitTasks.remove(launched.killSync);
    watch.end();
  }
}

function writeStdin({ child }: LaunchedCommand, input: string | Uint8Array | undefined): void {
  // A command may exit without reading its stdin.
  child.stdin?.on('error', () => undefined);
  if (input !== undefined) child.stdin?.end(input);
}

/** Terminates the process tree on timeout or abort. */
function watchForStop(launched: LaunchedCommand, options: CommandOptions) {
  const { promise: givenUp, resolve: giveUp } = Promise.withResolvers<ProcessEnding>();
  let stopped: Stopped | undefined;
  let unnoticed: NodeJS.Timeout | undefined;

  function stop(reason: Stopped['reason']): void {
    if (stopped !== undefined) return;
    const gone = launched.terminate().catch(() => false);
    stopped = { reason, gone };
    // A process that survives SIGKILL, for example while waiting for a dead disk, must not delay the result.
    void gone.then((isGone) => (unnoticed = setTimeout(leave, isGone ? CONNECTION_EXIT_MS : 0, isGone)));
  }

  function leave(isGone: boolean): void {
    // The command is gone, so the program that connects to it is no longer needed.
    if (isGone) launched.child.kill('SIGKILL');
    giveUp({ exitCode: undefined, signalName: undefined });
  }

  const interrupt = () => stop('interrupted');
  const timer = setTimeout(() => stop('timeout'), options.timeoutMs);
  // The signal may have been aborted while the command was starting.
  if (options.signal.aborted) interrupt();
  options.signal.addEventListener('abort', interrupt, { once: true });
  return {
    givenUp,
    stopped: () => stopped,
    end() {
      clearTimeout(timer);
      clearTimeout(unnoticed);
      options.signal.removeEventListener('abort', interrupt);
    },
  };
}

/** The reason for stopping takes precedence over the signal that ended the command. */
function describeEnding({ exitCode, signalName }: ProcessEnding, stoppedBy: Stopped['reason'] | undefined) {
  const signal = signalName === undefined ? {} : { signalName };
  if (stoppedBy !== undefined) return { exitCode: undefined, ended: stoppedBy, ...signal };
  return { exitCode, ended: signalName === undefined ? ('exit' as const) : ('signal' as const), ...signal };
}
