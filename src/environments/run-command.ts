import type { CommandOptions, CommandResult, ProcessEnding } from '../contracts/index.ts';
import type { ExitTasks } from './exit-tasks.ts';
import type { Launched } from './launched.ts';
import { createOutputCollector } from './output-collector.ts';

/** How long what leads to a command may take to notice that all of it is gone. */
const NOTICE_MS = 2000;

type Stopped = { reason: 'timeout' | 'interrupted'; gone: Promise<boolean> };
type CommandEnding = Omit<CommandResult, 'workingDirectory'>;

/** Of a command that was not begun, because it was aborted before. */
export const NOT_BEGUN: CommandEnding = { output: '', omitted: 0, exitCode: undefined, ended: 'interrupted' };

/** Follows a command until it ends, its time is over, or the signal is aborted. */
export async function followCommand(
  launched: Launched,
  options: CommandOptions,
  exitTasks: ExitTasks,
): Promise<CommandEnding> {
  const collector = createOutputCollector(options);
  for (const stream of launched.outputs) stream.on('data', collector.source());
  feed(launched, options.stdin);
  const watch = watchForStop(launched, options);
  // In a group of its own a command does not see the Ctrl-C of the terminal, and would go on without anyone.
  exitTasks.add(launched.endNow);
  try {
    const ending = await Promise.race([launched.ended, watch.givenUp]);
    const stopped = watch.stopped();
    // Only now is it known what there is to say about the rest of it; and until then a leaving program kills it.
    const leftRunning = stopped === undefined ? {} : { leftRunning: !(await stopped.gone) };
    return { ...collector.finish(), ...describeEnding(ending, stopped?.reason), ...leftRunning };
  } finally {
    exitTasks.remove(launched.endNow);
    watch.end();
  }
}

function feed({ child }: Launched, input: string | Uint8Array | undefined): void {
  // A command that ends without reading its input is no fault.
  child.stdin?.on('error', () => undefined);
  if (input !== undefined) child.stdin?.end(input);
}

/** Stops everything the command started on time-out or abort. */
function watchForStop(launched: Launched, options: CommandOptions) {
  const { promise: givenUp, resolve: giveUp } = Promise.withResolvers<ProcessEnding>();
  let stopped: Stopped | undefined;
  let unnoticed: NodeJS.Timeout | undefined;

  function stop(reason: Stopped['reason']): void {
    if (stopped !== undefined) return;
    const gone = launched.end().catch(() => false);
    stopped = { reason, gone };
    // What not even SIGKILL ends, such as a program that waits for a dead disk, must not hold up the answer.
    void gone.then((isGone) => (unnoticed = setTimeout(leave, isGone ? NOTICE_MS : 0, isGone)));
  }

  function leave(isGone: boolean): void {
    // Nothing is left that it could lead to.
    if (isGone) launched.child.kill('SIGKILL');
    giveUp({ exitCode: undefined, signalName: undefined });
  }

  const interrupt = () => stop('interrupted');
  const timer = setTimeout(() => stop('timeout'), options.timeoutMs);
  // It may have been aborted while the command was on its way.
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

/** Why we stopped it says more than the signal it then ended by. */
function describeEnding({ exitCode, signalName }: ProcessEnding, stoppedBy: Stopped['reason'] | undefined) {
  const signal = signalName === undefined ? {} : { signalName };
  if (stoppedBy !== undefined) return { exitCode: undefined, ended: stoppedBy, ...signal };
  return { exitCode, ended: signalName === undefined ? ('exit' as const) : ('signal' as const), ...signal };
}
