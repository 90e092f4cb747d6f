import type { ChildProcess } from 'node:child_process';
import { constants } from 'node:os';
import type { Readable } from 'node:stream';
import type { ProcessEnding, ProcessRecord } from '../contracts/index.ts';
import { processStartTime } from '../util/index.ts';
import { terminateTree, killTree, type ProcessTree } from './process-tree.ts';

/**
 * How long to wait for output after the shell has exited. Its own output is already in the pipe; a background child
 * may keep the pipe open.
 */
const DRAIN_MS = 100;

/** The part of `ChildProcess` that is needed; remote commands implement it too. */
export type LaunchedChild = Pick<ChildProcess, 'stdin' | 'stdout' | 'stderr' | 'kill' | 'unref'> & {
  once(event: 'error', listener: (error: Error) => void): unknown;
  once(event: 'close', listener: (code: number | null) => void): unknown;
};

/** A running command of any environment. */
export interface LaunchedCommand<Child extends LaunchedChild = LaunchedChild> {
  readonly child: Child;
  readonly outputs: readonly Readable[];
  /** Resolves when the command has exited and its output was read; rejects if it could not be started. */
  readonly ended: Promise<ProcessEnding>;
  /** Terminates the process tree. True if no process is left. */
  terminate(): Promise<boolean>;
  /** Kills the process tree synchronously, for use at exit. */
  killSync(): void;
}

export type LaunchOptions = {
  file: string;
  args: readonly string[];
  directory: string;
  env: Record<string, string>;
  mark: string;
  holder?: string | undefined;
  input: boolean;
  /** Also read stderr. */
  errors?: boolean | undefined;
  /** File descriptor 3 is a pipe. */
  signal?: boolean;
};

/** Starts a program as the leader of its own process group, with one pipe for all output. */
export async function launch(options: LaunchOptions): Promise<LaunchedCommand<ChildProcess>> {
  const { spawn } = await import('node:child_process');
  return launchSync(spawn, options);
}

/** Like `launch`, but synchronous, so that no abort can occur in between. */
export function launchSync(
  spawn: typeof import('node:child_process').spawn,
  { file, args, directory, env, mark, holder, input, errors, signal }: LaunchOptions,
): LaunchedCommand<ChildProcess> {
  // The script redirects stderr to stdout, which keeps their order. Before that, stderr has only messages of the
  // shell itself.
  const child = spawn(file, args, {
    cwd: directory,
    env,
    detached: true,
    stdio: [input ? 'pipe' : 'ignore', 'pipe', errors ? 'pipe' : 'ignore', ...(signal ? ['pipe' as const] : [])],
  });
  // Without a pid, the program could not be started, which `ended` reports.
  const tree: ProcessTree = { pid: child.pid ?? -1, tag: mark, supervisor: holder };
  return {
    child,
    outputs: [child.stdout, child.stderr].filter((stream) => stream !== null),
    ended: untilEnded(child),
    terminate: async () => child.pid === undefined || terminateTree(tree),
    killSync: () => {
      if (child.pid !== undefined) killTree(tree);
    },
  };
}

/** The data that identifies the process after a restart. */
export function recordOf(pid: number, mark: string): ProcessRecord {
  return { pid, startTime: processStartTime(pid), mark };
}

/** Like `recordOf`, but the start time is read only when needed, because most commands have exited by then. */
export function lazyRecordOf(child: ChildProcess, pid: number, mark: string): ProcessRecord {
  let found: string | undefined;
  return {
    pid,
    mark,
    get startTime() {
      // The pid cannot be reused before Node has collected the exit status.
      found ??= child.exitCode === null && child.signalCode === null ? processStartTime(pid) : '';
      return found;
    },
  };
}

/** Resolves when the program has exited and its output was read, even if a background child keeps the pipe open. */
export function untilEnded(child: ChildProcess): Promise<ProcessEnding> {
  return new Promise((resolve, reject) => {
    let drain: NodeJS.Timeout | undefined;
    const finish = (code: number | null, signalName: NodeJS.Signals | null) => {
      clearTimeout(drain);
      discardOutput(child);
      resolve({ exitCode: code ?? undefined, signalName: signalName ?? undefined });
    };
    child.once('error', (error) => {
      clearTimeout(drain);
      reject(error);
    });
    child.once('exit', (code, signalName) => {
      drain = afterDrain(DRAIN_MS, () => finish(code, signalName));
    });
    child.once('close', finish);
  });
}

/**
 * Calls back after the time limit and one more poll of the pipes. In a busy process the exit event and the timer may
 * both be handled before the output is read.
 */
export function afterDrain(milliseconds: number, done: () => void): NodeJS.Timeout {
  return setTimeout(() => setImmediate(done), milliseconds);
}

/**
 * Keeps the pipe of a background child open, because closing it would kill the child at its next write. Its output is
 * discarded.
 */
export function discardOutput(child: LaunchedChild): void {
  for (const stream of [child.stdout, child.stderr]) {
    if (!stream || stream.destroyed) continue;
    stream.removeAllListeners('data');
    stream.resume();
    (stream as { unref?(): void }).unref?.();
  }
  child.unref();
}

/** `SIGTERM` for 15; undefined for an unknown number. */
export function signalNameOf(number: number): string | undefined {
  return Object.entries(constants.signals).find(([, value]) => value === number)?.[0];
}

/** The signal that a shell reports as an exit code above 128. */
export function signalOfCode(exitCode: number): string | undefined {
  return exitCode > 128 ? signalNameOf(exitCode - 128) : undefined;
}
