import { EventEmitter } from 'node:events';
import { PassThrough, type Writable } from 'node:stream';
import type { LaunchedChild } from '../launched-command.ts';

/** The exit code of a command whose connection was lost; real exit codes are never negative. */
export const CONNECTION_LOST = -1;

/** The local side of a command that runs remotely and has no local process of its own. */
export type RemoteChild = {
  child: LaunchedChild;
  /** Resolves when the stream accepts more. */
  output(bytes: Uint8Array): Promise<void>;
  errors(bytes: Uint8Array): Promise<void>;
  /** Ends the output. Listeners are notified when all of it has been read. */
  end(code: number): void;
  /** Reports that the command could not be started. */
  fail(error: Error): void;
};

/** `unref` is called when nothing waits for the command any more. */
export function createRemoteChild(
  stdin: Writable | null,
  stop: () => void,
  unref: () => void = () => undefined,
): RemoteChild {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const events = new EventEmitter();
  let code: number | undefined;
  let open = 2;
  const close = () => {
    if (--open === 0) events.emit('close', code ?? CONNECTION_LOST);
  };
  stdout.once('close', close);
  stderr.once('close', close);
  const child: LaunchedChild = {
    stdin,
    stdout,
    stderr,
    kill() {
      stop();
      return true;
    },
    unref,
    once: (event: string, listener: (...values: never[]) => void) =>
      events.once(event, listener as (...values: unknown[]) => void),
  };
  return {
    child,
    output: (bytes) => push(stdout, bytes),
    errors: (bytes) => push(stderr, bytes),
    end(ending) {
      code ??= ending;
      stdout.end();
      stderr.end();
      // A stream is closed when it was read. Without a start nobody reads the output.
      const isUnread = stdout.listenerCount('data') === 0;
      if (isUnread && (code === CONNECTION_LOST || stdout.readableLength === 0)) stdout.resume();
    },
    fail: (error) => void (events.listenerCount('error') > 0 && events.emit('error', error)),
  };
}

async function push(stream: PassThrough, bytes: Uint8Array): Promise<void> {
  if (stream.writableEnded || stream.write(bytes)) return;
  await new Promise((resolve) => stream.once('drain', resolve));
}
