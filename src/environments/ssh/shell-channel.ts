import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { LaunchedChild } from '../launched-command.ts';
import { CONNECTION_LOST, createRemoteChild, type RemoteChild } from '../remote/remote-child.ts';
import type { ProgramResult } from '../run-program.ts';
import { encodeRequest, READY_ID, type ShellRequest, splitAtEnd } from './shell-requests.ts';

/** The output of a program beyond this many characters is not kept as an error message. */
const MAX_ERRORS = 10_000;

/** One `ssh` process whose remote shell runs one request after another. */
export interface ShellChannel {
  /** Runs a script until it exits. The exit code is `CONNECTION_LOST` if the connection was lost. */
  run(words: readonly string[], input?: Uint8Array): Promise<ProgramResult>;
  /** Starts a command. With `exclusive` it has the stdin of the channel, which then ends with it. */
  begin(words: readonly string[], options: { claim: string; exclusive: boolean }): LaunchedChild;
  isOpen(): boolean;
  /** The number of requests that have not ended. */
  load(): number;
  /** Whether the channel keeps this process running. */
  hold(isHeld: boolean): void;
  close(): void;
}

/** A request whose output is being read. Each stream passes it separately. */
type Task = Pick<RemoteChild, 'output' | 'errors' | 'end' | 'fail'> & {
  id: string;
  exclusive: boolean;
  code: number;
  /** How many streams have not ended yet. */
  open: number;
};

/** `onIdle` is called when all requests have ended, `onGone` when the channel is closed. */
export function createShellChannel(
  ssh: ChildProcess,
  { onIdle, onGone }: { onIdle(): void; onGone(): void },
): ShellChannel {
  let startErrors = '';
  const starting = newTask(READY_ID, false, {
    output: async () => undefined,
    errors: async (bytes) => void (startErrors += Buffer.from(bytes).toString()),
    end: () => (startErrors = ''),
    fail: () => undefined,
  });
  let tasks: Task[] = [starting];
  const readers = [
    readStream(ssh.stdout, 'output', () => tasks, leave),
    readStream(ssh.stderr, 'errors', () => tasks, leave),
  ];

  function leave(task: Task): void {
    if (task.open > 0) return;
    tasks = tasks.filter((each) => each !== task);
    task.end(task.code);
    if (task !== starting && tasks.length === 0) onIdle();
  }

  // A closed channel is reported by its exit.
  ssh.stdin?.on('error', () => undefined);
  ssh.once('error', (error) => {
    for (const task of tasks.splice(0)) task.fail(error);
    onGone();
  });
  ssh.once('close', (code) => {
    onGone();
    void endAll(code);
  });

  async function endAll(code: number | null): Promise<void> {
    for (const reader of readers) await reader.flush();
    for (const task of tasks.splice(0)) {
      if (task === starting) continue;
      await task.errors(Buffer.from(startErrors));
      task.end(task.exclusive && code !== null ? code : CONNECTION_LOST);
    }
  }

  function send(request: Omit<ShellRequest, 'id'>, make: (id: string) => Task, input?: Uint8Array): void {
    const id = randomBytes(12).toString('base64url');
    const line = encodeRequest({ ...request, id });
    tasks.push(make(id));
    channel.hold(true);
    ssh.stdin?.write(line);
    if (input !== undefined && input.length > 0) ssh.stdin?.write(input);
  }

  const channel: ShellChannel = {
    run: (words, input) =>
      new Promise((resolve, reject) => {
        const request = { kind: 'script', claim: '', inputBytes: input?.length ?? 0, words } as const;
        send(request, (id) => newTask(id, false, collect(resolve, reject)), input);
      }),
    begin(words, { claim, exclusive }) {
      const near = createRemoteChild(
        exclusive ? ssh.stdin : null,
        () => void ssh.kill('SIGKILL'),
        () => channel.hold(false),
      );
      const kind = exclusive ? 'exclusive' : 'command';
      send({ kind, claim, inputBytes: 0, words }, (id) => newTask(id, exclusive, near));
      return near.child;
    },
    isOpen: () => ssh.exitCode === null && ssh.signalCode === null && ssh.stdin?.writable === true,
    load: () => tasks.length,
    hold(isHeld) {
      const handles = [ssh, ssh.stdin, ssh.stdout, ssh.stderr] as ({ ref?(): void; unref?(): void } | null)[];
      for (const handle of handles) (isHeld ? handle?.ref : handle?.unref)?.call(handle);
    },
    close: () => void ssh.stdin?.end(),
  };
  return channel;
}

function newTask(id: string, exclusive: boolean, near: Pick<RemoteChild, 'output' | 'errors' | 'end' | 'fail'>): Task {
  const { output, errors, end, fail } = near;
  return { id, exclusive, output, errors, end, fail, code: CONNECTION_LOST, open: 2 };
}

/** Collects the output of a script. */
function collect(resolve: (result: ProgramResult) => void, reject: (error: Error) => void) {
  const output: Uint8Array[] = [];
  let errors = '';
  return {
    output: async (bytes: Uint8Array) => void output.push(bytes),
    async errors(bytes: Uint8Array) {
      if (errors.length < MAX_ERRORS) errors += Buffer.from(bytes).toString();
    },
    end: (code: number) => resolve({ code, output: Buffer.concat(output), errors }),
    fail: reject,
  };
}

/** Passes the bytes of one stream to the tasks in order. `flush` passes on what was held back when the stream ended. */
function readStream(
  stream: Readable | null,
  name: 'output' | 'errors',
  tasks: () => readonly Task[],
  leave: (task: Task) => void,
) {
  const passed = new WeakSet<Task>();
  const current = () => tasks().find((task) => !passed.has(task));
  let held: Buffer = Buffer.alloc(0);

  async function take(bytes: Buffer): Promise<void> {
    let data = held.length === 0 ? bytes : Buffer.concat([held, bytes]);
    held = Buffer.alloc(0);
    for (let task = current(); task !== undefined && data.length > 0; task = current()) {
      if (task.exclusive) return task[name](data);
      const part = splitAtEnd(data, task.id);
      if (part.output.length > 0) await task[name](part.output);
      if (!part.isEnd) {
        held = part.held;
        return;
      }
      data = part.rest;
      passed.add(task);
      task.code = part.code;
      task.open -= 1;
      leave(task);
    }
  }

  stream?.on('data', (bytes: Buffer) => {
    // The command waits while its output is not read.
    stream.pause();
    void take(bytes).finally(() => stream.resume());
  });
  return {
    async flush() {
      const task = current();
      if (held.length > 0) await task?.[name](held);
    },
  };
}
