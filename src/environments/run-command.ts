import type { ChildProcess } from 'node:child_process';
import type { CommandOptions, CommandResult } from '../contracts/index.ts';
import { createOutputCollector } from './output-collector.ts';
import { isGroupAlive, type RunningCommands, signalGroup } from './process-group.ts';

/** How long a command may go on after SIGTERM before it is killed. */
const TERMINATION_GRACE_MS = 2000;
/** How long SIGKILL may take to show. */
const KILL_MS = 500;
/** How long output is still awaited after the shell has ended: what it wrote is in the pipe, a background child's is not. */
const DRAIN_MS = 100;

export type SpawnOptions = {
  shell: string;
  workingDirectory: string;
  env: Record<string, string>;
  running: RunningCommands;
};

type Ending = { code: number | null; signalName: NodeJS.Signals | null };

/** Runs a command in a shell and process group of its own, until it ends, its time is over, or the signal is aborted. */
export async function runCommand(
  command: string,
  options: CommandOptions,
  { shell, workingDirectory, env, running }: SpawnOptions,
): Promise<CommandResult> {
  const { spawn } = await import('node:child_process');
  // From here to the listener nothing waits, so no abort can be missed.
  if (options.signal.aborted)
    return { output: '', omitted: 0, exitCode: undefined, ended: 'interrupted', workingDirectory };
  // One pipe for both streams keeps their order. The second pipe only sees what the shell says before that, such as a
  // syntax error in the first line.
  const child = spawn(shell, ['-c', `exec 2>&1; ${command}`], {
    cwd: workingDirectory,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const collector = createOutputCollector(options);
  child.stdout.on('data', collector.source());
  child.stderr.on('data', collector.source());
  const watch = watchForStop(child, options);
  running.add(child);
  try {
    const ending = await untilEnded(child);
    const stoppedBy = watch.stoppedBy();
    // Only now is it known what there is to say about the rest of the group; and until then a leaving program kills it.
    const leftRunning = stoppedBy === undefined ? {} : { leftRunning: !(await untilGroupEnded(child)) };
    return { ...collector.finish(), ...describeEnding(ending, stoppedBy), ...leftRunning, workingDirectory };
  } finally {
    running.remove(child);
    watch.end();
  }
}

/** Stops the whole process group on time-out or abort: politely first, then for good. */
function watchForStop(child: ChildProcess, options: CommandOptions) {
  let stoppedBy: 'timeout' | 'interrupted' | undefined;
  let killer: NodeJS.Timeout | undefined;

  function stop(reason: 'timeout' | 'interrupted'): void {
    if (stoppedBy !== undefined) return;
    stoppedBy = reason;
    signalGroup(child, 'SIGTERM');
    killer = setTimeout(() => signalGroup(child, 'SIGKILL'), TERMINATION_GRACE_MS);
  }

  const interrupt = () => stop('interrupted');
  const timer = setTimeout(() => stop('timeout'), options.timeoutMs);
  options.signal.addEventListener('abort', interrupt, { once: true });
  return {
    stoppedBy: () => stoppedBy,
    end() {
      clearTimeout(timer);
      options.signal.removeEventListener('abort', interrupt);
      clearTimeout(killer);
    },
  };
}

/** Resolves when the shell has ended and its output is there, even if a background child still holds the pipe. */
function untilEnded(child: ChildProcess): Promise<Ending> {
  return new Promise((resolve, reject) => {
    let drain: NodeJS.Timeout | undefined;
    const finish = (ending: Ending) => {
      clearTimeout(drain);
      letGo(child);
      resolve(ending);
    };
    child.once('error', (error) => {
      clearTimeout(drain);
      reject(error);
    });
    child.once('exit', (code, signalName) => {
      drain = setTimeout(() => finish({ code, signalName }), DRAIN_MS);
    });
    child.once('close', (code, signalName) => finish({ code, signalName }));
  });
}

/** The pipe of a background child stays open, or its next line would kill it; what it says is dropped. */
function letGo(child: ChildProcess): void {
  for (const stream of [child.stdout, child.stderr]) {
    if (!stream || stream.destroyed) continue;
    stream.removeAllListeners('data');
    stream.resume();
    (stream as { unref?(): void }).unref?.();
  }
  child.unref();
}

/** True as soon as nothing of the group is left: what ignores SIGTERM gets its SIGKILL meanwhile. */
async function untilGroupEnded(child: ChildProcess): Promise<boolean> {
  const deadline = performance.now() + TERMINATION_GRACE_MS + KILL_MS;
  for (let pause = 5; isGroupAlive(child); pause = Math.min(pause * 2, 100)) {
    if (performance.now() > deadline) return false;
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
  return true;
}

/** Why we stopped it says more than the signal it then ended by. */
function describeEnding(ending: Ending, stoppedBy: 'timeout' | 'interrupted' | undefined) {
  const exitCode = ending.code ?? undefined;
  const signalName = ending.signalName ?? undefined;
  if (stoppedBy !== undefined) return { exitCode: undefined, ended: stoppedBy, signalName };
  return { exitCode, ended: signalName === undefined ? ('exit' as const) : ('signal' as const), signalName };
}
