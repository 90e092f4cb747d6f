import { EventEmitter } from 'node:events';
import { PassThrough, Writable } from 'node:stream';
import type { LaunchedChild } from '../launched.ts';

/** The near end of a command that an SDK runs somewhere else. */
export type CloudChild = {
  child: LaunchedChild;
  /** Resolves when more can be taken. */
  output(bytes: Uint8Array): Promise<void>;
  errors(bytes: Uint8Array): Promise<void>;
  /** Nothing more comes. Whoever waits hears of it when all that came was read. */
  end(code: number): void;
};

/** What is said of a command whose way was lost; a real code is never below 0. */
export const LOST = -1;

export function createCloudChild(stdin: Writable | null, stop: () => void): CloudChild {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const events = new EventEmitter();
  let code: number | undefined;
  let open = 2;
  const close = () => {
    if (--open === 0) events.emit('close', code ?? LOST);
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
    // Nothing on this side waits for it but its streams.
    unref: () => undefined,
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
    },
  };
}

async function push(stream: PassThrough, bytes: Uint8Array): Promise<void> {
  if (stream.writableEnded || stream.write(bytes)) return;
  await new Promise((resolve) => stream.once('drain', resolve));
}

/** A stream to whatever takes bytes one after the other. */
export function writableTo(target: { write(bytes: Uint8Array): Promise<void>; end(): Promise<void> }): Writable {
  return new Writable({
    write: (chunk: Uint8Array, _, done) => settle(target.write(chunk), done),
    final: (done) => settle(target.end(), done),
  });
}

function settle(promise: Promise<void>, done: (error?: Error) => void): void {
  const [succeed, fail] = [() => done(), (error: unknown) => done(error as Error)];
  void promise.then(succeed, fail);
}
