import type { ChildProcess } from 'node:child_process';
import { constants } from 'node:os';
import type { Readable } from 'node:stream';
import type { ProcessEnding, ProcessRecord } from '../contracts/index.ts';
import { startTimeOf } from '../util/index.ts';
import { endTree, killTree, type ProcessTree } from './process-tree.ts';

/** How long output is still awaited after the shell has ended: what it wrote is in the pipe, a background child's is not. */
const DRAIN_MS = 100;

/** What is needed of a process of this machine, or of what stands for one of another. */
export type LaunchedChild = Pick<ChildProcess, 'stdin' | 'stdout' | 'stderr' | 'kill' | 'unref'> & {
  once(event: 'error', listener: (error: Error) => void): unknown;
  once(event: 'close', listener: (code: number | null) => void): unknown;
};

/** A command on its way, whatever runs it. */
export interface Launched<Child extends LaunchedChild = LaunchedChild> {
  readonly child: Child;
  /** Where its output comes from. */
  readonly outputs: readonly Readable[];
  /** When the command has ended and its output is there; rejects if it could not be started. */
  readonly ended: Promise<ProcessEnding>;
  /** Ends it and all it started. True if nothing of it is left. */
  end(): Promise<boolean>;
  /** The same without waiting, for a program that leaves. */
  endNow(): void;
}

export type LaunchOptions = {
  file: string;
  args: readonly string[];
  directory: string;
  env: Record<string, string>;
  mark: string;
  holder?: string;
  input: boolean;
  /** Its second stream is read too. */
  errors?: boolean | undefined;
};

/** Starts a program as the leader of a group of its own, with one pipe for all it prints. */
export async function launch(options: LaunchOptions): Promise<Launched<ChildProcess>> {
  const { spawn } = await import('node:child_process');
  return launchWith(spawn, options);
}

/** Without waiting for anything, so that no abort can come in between. */
export function launchWith(
  spawn: typeof import('node:child_process').spawn,
  { file, args, directory, env, mark, holder, input, errors }: LaunchOptions,
): Launched<ChildProcess> {
  // The script joins both streams, which keeps their order; before that there is only talk of the shell about itself.
  const child = spawn(file, args, {
    cwd: directory,
    env,
    detached: true,
    stdio: [input ? 'pipe' : 'ignore', 'pipe', errors ? 'pipe' : 'ignore'],
  });
  // Without a number nothing was started, and the ending says so.
  const tree: ProcessTree = { pid: child.pid ?? -1, mark, ...(holder !== undefined && { holder }) };
  return {
    child,
    outputs: [child.stdout, child.stderr].filter((stream) => stream !== null),
    ended: untilEnded(child),
    end: async () => child.pid === undefined || endTree(tree),
    endNow: () => {
      if (child.pid !== undefined) killTree(tree);
    },
  };
}

/** What it takes to find the process again. */
export function recordOf(pid: number, mark: string): ProcessRecord {
  return { pid, startTime: startTimeOf(pid), mark };
}

/** The same, looked for when somebody wants it; most commands have ended by then. */
export function lateRecordOf(child: ChildProcess, pid: number, mark: string): ProcessRecord {
  let found: string | undefined;
  return {
    pid,
    mark,
    get startTime() {
      // Until its end was noticed nobody else can have its number.
      found ??= child.exitCode === null && child.signalCode === null ? startTimeOf(pid) : '';
      return found;
    },
  };
}

/** Resolves when the program has ended and its output is there, even if a background child still holds the pipe. */
export function untilEnded(child: ChildProcess): Promise<ProcessEnding> {
  return new Promise((resolve, reject) => {
    let drain: NodeJS.Timeout | undefined;
    const finish = (code: number | null, signalName: NodeJS.Signals | null) => {
      clearTimeout(drain);
      letGo(child);
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
 * Calls back when the time is over and the pipes were looked at since. A busy program hears of several ends at once, of
 * some before it has read what they printed, and may find the time over before it comes to reading.
 */
export function afterDrain(milliseconds: number, done: () => void): NodeJS.Timeout {
  return setTimeout(() => setImmediate(done), milliseconds);
}

/** The pipe of a background child stays open, or its next line would kill it; what it says is dropped. */
export function letGo(child: LaunchedChild): void {
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
