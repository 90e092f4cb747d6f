import type { ProcessEnding, ProcessRecord } from '../../contracts/index.ts';
import { settlesWithin, withTimeout } from '../../util/index.ts';
import {
  afterDrain,
  type LaunchedCommand,
  type LaunchedChild,
  discardOutput,
  signalOfCode,
} from '../launched-command.ts';
import type { RemoteConnection } from './remote-connection.ts';
import { KILL_SCRIPT } from './remote-scripts.ts';

/**
 * How long to wait for output after the command has exited; it arrives on another stream than the report of the exit.
 */
const DRAIN_MS = 300;
/** How long to wait while output still arrives. */
const MAX_DRAIN_MS = 10_000;
/** How long the report that a command has started may take. */
const BEGIN_MS = 2000;
/** Timeout of the kill script, which normally gives up much earlier. */
const KILL_MS = 20_000;

export type RemoteLaunched = LaunchedCommand & {
  /** Rejects if the command was never started. */
  readonly started: Promise<ProcessRecord>;
  /** Undefined until the command has started. */
  record(): ProcessRecord | undefined;
  /** The final directory of the shell, the previous one, and the final one with links resolved. */
  directories(): readonly string[] | undefined;
  /** Whether processes that the command started were still running when it exited. */
  hasOrphans(): boolean;
};

export class DirectoryMissing extends Error {}

/** The connection failed before anything was started, so the command can be retried. */
export class NotConnected extends Error {}

/** Follows a remote command. */
export function followRemote(child: LaunchedChild, mark: string, connection: RemoteConnection): RemoteLaunched {
  const begun = Promise.withResolvers<ProcessRecord>();
  const ended = Promise.withResolvers<ProcessEnding>();
  // Avoids unhandled rejections if nobody waits for these promises.
  begun.promise.catch(() => undefined);
  ended.promise.catch(() => undefined);
  let record: ProcessRecord | undefined;
  let directories: readonly string[] | undefined;
  let hasLeft = false;
  let drain: NodeJS.Timeout | undefined;
  let outcome: ProcessEnding | undefined;

  const ending = createEnding({ child, mark, connection, started: begun.promise, record: () => record });
  const finish = (found: ProcessEnding) => {
    clearTimeout(drain);
    discardOutput(child);
    ended.resolve(found);
  };
  const fail = (error: Error) => [begun, ended].forEach(({ reject }) => reject(error));
  const control = createControlStream(mark, {
    begun(pid, startTime) {
      record = { pid, startTime, mark };
      begun.resolve(record);
    },
    left: () => (hasLeft = true),
    ended(exitCode, found) {
      directories = found;
      const described = describe(exitCode, found !== undefined);
      outcome = described;
      drain = afterDrain(beginDrain(child, connection, hasLeft), () => finish(described));
      if (!hasLeft) extendDrain(child, drain);
    },
    noDirectory: () => fail(new DirectoryMissing()),
  });
  child.stderr?.on('data', control.push);
  child.once('error', fail);
  child.once('close', (code) => {
    if (outcome !== undefined) finish(outcome);
    else if (ending.isAsked()) finish({ exitCode: undefined, signalName: undefined });
    else if (record === undefined) fail(new NotConnected(control.rest()));
    else if (connection.hasFailed(code ?? -1, control.rest())) fail(lost(connection, control.rest()));
    else finish({ exitCode: code ?? undefined, signalName: undefined });
  });

  return {
    child,
    outputs: child.stdout === null ? [] : [child.stdout],
    started: begun.promise,
    record: () => record,
    ended: ended.promise,
    directories: () => directories,
    hasOrphans: () => hasLeft,
    terminate: ending.end,
    killSync: ending.endNow,
  };
}

type Ended = Pick<RemoteLaunched, 'child' | 'started' | 'record'> & { mark: string; connection: RemoteConnection };

/** Kills a remote command. If it has not reported its start yet, its processes are found by the process tag alone. */
function createEnding({ child, mark, connection, started, record }: Ended) {
  let isAsked = false;
  const parameters = () => [String(record()?.pid ?? '-'), mark];
  return {
    isAsked: () => isAsked,
    async end() {
      isAsked = true;
      // The report of the start may still be on its way.
      if (record() === undefined) await settlesWithin(started, BEGIN_MS);
      if (record() === undefined) child.kill('SIGKILL');
      return (await withTimeout(connection.run(KILL_SCRIPT, parameters()), KILL_MS)).code === 0;
    },
    endNow() {
      child.kill('SIGKILL');
      connection.runAtExit(KILL_SCRIPT, parameters());
    },
  };
}

/** Waits longer while output arrives, because a slow connection may be behind. */
function extendDrain(child: LaunchedChild, drain: NodeJS.Timeout): void {
  // The first listener would get the output that is buffered for others.
  if (child.stdout?.listenerCount('data') === 0) return;
  const latest = performance.now() + MAX_DRAIN_MS;
  child.stdout?.on('data', () => {
    if (performance.now() < latest) drain.refresh();
  });
}

/**
 * Closes stdin, which the remote script waits for, and returns how long to wait for the remaining output. Orphaned
 * processes may keep the streams open indefinitely; otherwise they end soon.
 */
function beginDrain(child: LaunchedChild, { drainMs = DRAIN_MS }: RemoteConnection, hasLeft: boolean): number {
  child.stdin?.end();
  return hasLeft ? DRAIN_MS : drainMs;
}

/** The error for a command that may have been started, although its start was not reported. */
export function lostBeforeStart(errors: string): Error {
  const said = errors.trim().split('\n').at(-1) ?? '';
  const reason = said === '' ? '' : ` (${said})`;
  return new Error(
    `The connection was lost while the command was being started${reason}. It was not sent again, because it may have been started. Check its effects before you run it again.`,
  );
}

function lost(connection: RemoteConnection, errors: string): Error {
  return new Error(
    `${connection.explain(errors).message} The connection was lost while the command was running; the command may still be running.`,
  );
}

/** A shell that saved its directories exited by itself, so its exit code is not a signal. */
function describe(exitCode: number, byItself: boolean): ProcessEnding {
  const signalName = signalOfCode(exitCode);
  if (byItself || signalName === undefined) return { exitCode, signalName: undefined };
  return { exitCode: undefined, signalName };
}

/** Events that the remote side reports about a command in addition to its output. */
type ControlEvents = {
  begun(pid: number, startTime: string): void;
  /** The command has ended. `directories` contains the final directories of the shell, if it reported them. */
  ended(exitCode: number, directories: readonly string[] | undefined): void;
  /** Processes that the command started were still running when it ended. */
  left(): void;
  /** The directory does not exist; nothing was started. */
  noDirectory(): void;
};

interface ControlStream {
  push(bytes: Buffer): void;
  /** Everything that is not one of our records, such as messages of `ssh`. */
  rest(): string;
}

/** Records consist of a control character, the process tag, text, and NUL; ssh writes to the same stream. */
export function createControlStream(mark: string, events: ControlEvents): ControlStream {
  let pending = '';
  let rest = '';
  let ending: { exitCode: number; from: number } | undefined;
  const start = `\u001E${mark} `;

  function take(): boolean {
    const at = pending.indexOf(start);
    const end = at < 0 ? -1 : pending.indexOf('\0', at);
    if (end < 0) return false;
    const [word = '', first = '', second = ''] = pending.slice(at + start.length, end).split(' ');
    const before = pending.slice(0, at);
    pending = pending.slice(end + 1);
    if (word === 'over' && ending) events.ended(ending.exitCode, directoriesIn(before));
    else rest += before;
    if (word === 'begun') events.begun(Number(first), second);
    if (word === 'ended') ending = { exitCode: Number(first), from: end };
    if (word === 'left') events.left();
    if (word === 'nodir') events.noDirectory();
    return true;
  }

  return {
    push(bytes) {
      // One character per byte: chunks may split at any byte, and names may contain any bytes.
      pending += bytes.toString('latin1');
      while (take());
    },
    rest: () => rest + pending,
  };
}

function directoriesIn(text: string): string[] | undefined {
  const names = text.split('\0').slice(0, -1);
  if (names.length < 2) return undefined;
  // The last one was printed by `pwd`, with a line break.
  return names.map((name, index) => Buffer.from(index === 2 ? name.slice(0, -1) : name, 'latin1').toString());
}
