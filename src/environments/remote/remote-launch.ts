import type { ProcessEnding, ProcessRecord } from '../../contracts/index.ts';
import { endsWithin, withinTime } from '../../util/index.ts';
import { afterDrain, type Launched, type LaunchedChild, letGo, signalOfCode } from '../launched.ts';
import type { RemoteConnection } from './remote-connection.ts';
import { KILL_SCRIPT } from './remote-scripts.ts';

/** How long output is awaited after the command has ended: it comes by another way than the word about its end. */
const DRAIN_MS = 300;
/** How long the word that a command has begun may take before it is taken for one that never will. */
const BEGIN_MS = 2000;
/** How long the script that ends a command may take; it gives up by itself much earlier. */
const KILL_MS = 20_000;

export type RemoteLaunched = Launched & {
  /** Rejects where the command was never begun. */
  readonly begun: Promise<ProcessRecord>;
  /** Undefined as long as it has not begun. */
  record(): ProcessRecord | undefined;
  /** The directory of the shell in the end, and the one before. */
  directories(): readonly string[] | undefined;
  /** Whether something that it started was still there when it ended. */
  hasLeft(): boolean;
};

export class DirectoryMissing extends Error {}

/** The connection was gone before anything was begun, so it can be tried again. */
export class NotConnected extends Error {}

/** Follows a command that runs on the other side. */
export function followRemote(child: LaunchedChild, mark: string, connection: RemoteConnection): RemoteLaunched {
  const begun = Promise.withResolvers<ProcessRecord>();
  const ended = Promise.withResolvers<ProcessEnding>();
  // Whoever waits for neither is not to be told of a failure by the end of the program.
  begun.promise.catch(() => undefined);
  ended.promise.catch(() => undefined);
  let record: ProcessRecord | undefined;
  let directories: readonly string[] | undefined;
  let hasLeft = false;
  let drain: NodeJS.Timeout | undefined;
  let outcome: ProcessEnding | undefined;

  const ending = createEnding({ child, mark, connection, begun: begun.promise, record: () => record });
  const finish = (found: ProcessEnding) => {
    clearTimeout(drain);
    letGo(child);
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
    begun: begun.promise,
    record: () => record,
    ended: ended.promise,
    directories: () => directories,
    hasLeft: () => hasLeft,
    end: ending.end,
    endNow: ending.endNow,
  };
}

type Ended = Pick<RemoteLaunched, 'child' | 'begun' | 'record'> & { mark: string; connection: RemoteConnection };

/** Ends a command over there, also one that has not begun and may never do so: then only its mark leads to what runs. */
function createEnding({ child, mark, connection, begun, record }: Ended) {
  let isAsked = false;
  const parameters = () => [String(record()?.pid ?? '-'), mark];
  return {
    isAsked: () => isAsked,
    async end() {
      isAsked = true;
      // The word that it has begun may be on its way.
      if (record() === undefined) await endsWithin(begun, BEGIN_MS);
      if (record() === undefined) child.kill('SIGKILL');
      return (await withinTime(connection.run(KILL_SCRIPT, parameters()), KILL_MS)).code === 0;
    },
    endNow() {
      child.kill('SIGKILL');
      connection.leave(KILL_SCRIPT, parameters());
    },
  };
}

/**
 * The other side waits for the end of the input, which nobody reads any more. Says how long this one waits for the rest
 * of the output: what is left may hold the streams for as long as it likes; otherwise their end comes soon.
 */
function beginDrain(child: LaunchedChild, { drainMs = DRAIN_MS }: RemoteConnection, hasLeft: boolean): number {
  child.stdin?.end();
  return hasLeft ? DRAIN_MS : drainMs;
}

function lost(connection: RemoteConnection, errors: string): Error {
  return new Error(
    `${connection.explain(errors).message} The connection was lost while the command ran; it may go on.`,
  );
}

/** A shell that wrote down where it was has ended by itself, whatever its code looks like. */
function describe(exitCode: number, byItself: boolean): ProcessEnding {
  const signalName = signalOfCode(exitCode);
  if (byItself || signalName === undefined) return { exitCode, signalName: undefined };
  return { exitCode: undefined, signalName };
}

/** Events that the remote side reports about a command in addition to its output. */
type ControlEvents = {
  begun(pid: number, startTime: string): void;
  /** With the shell's final directories, if it reported them. */
  ended(exitCode: number, directories: readonly string[] | undefined): void;
  /** Processes that it started were still running when it ended. */
  left(): void;
  /** The directory does not exist; nothing was started. */
  noDirectory(): void;
};

interface ControlStream {
  push(bytes: Buffer): void;
  /** Everything that is not one of our records: messages of `ssh`. */
  rest(): string;
}

/** Records are framed by a control character, the mark of the command, and NUL; ssh writes to the same stream. */
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
  return names.length < 2 ? undefined : names.map((name) => Buffer.from(name, 'latin1').toString());
}
