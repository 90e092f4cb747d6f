import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** The environment variables in a fake cloud container. */
export const containerEnv = (home: string) => ({
  PATH: process.env['PATH'] ?? '/usr/bin:/bin',
  HOME: home,
  TMPDIR: home,
});

/** A command in a container, with all its output so far. */
export type CloudProcess = {
  child: Pick<ChildProcess, 'pid' | 'stdin'>;
  /** Reads a stream from an offset until it ends. */
  read(stream: 'stdout' | 'stderr', offset: number, stop: AbortSignal): AsyncGenerator<Buffer>;
  ended: Promise<number>;
};

export function startProcess(words: readonly string[], home: string): CloudProcess {
  const [file = '', ...args] = words;
  const child = spawn(file, args, { cwd: home, env: containerEnv(home), detached: true });
  child.stdin.on('error', () => undefined);
  const streams = { stdout: keep(child.stdout), stderr: keep(child.stderr) };
  const { promise: ended, resolve } = Promise.withResolvers<number>();
  child.once('error', () => resolve(127));
  child.once('exit', (code, signal) => resolve(code ?? (signal === 'SIGKILL' ? 137 : 143)));
  return { child, ended, read: (stream, offset, stop) => streams[stream](offset, stop) };
}

/** Retains all output of a stream and returns a function that reads it from any offset. */
export function keep(stream: NodeJS.ReadableStream) {
  let all = Buffer.alloc(0);
  let over = false;
  let more = Promise.withResolvers<void>();
  const tell = () => {
    more.resolve();
    more = Promise.withResolvers();
  };
  stream.on('data', (bytes: Buffer) => {
    all = Buffer.concat([all, bytes]);
    tell();
  });
  stream.once('close', () => {
    over = true;
    tell();
  });
  return async function* (offset: number, stop: AbortSignal) {
    stop.addEventListener('abort', tell, { once: true });
    for (let at = offset; ; ) {
      if (stop.aborted) return;
      const waiting = more.promise;
      if (at < all.length) {
        const next = all.subarray(at, at + 65_536);
        at += next.length;
        yield next;
      } else if (over) return;
      else await waiting;
    }
  };
}

/** Reads a stream completely. */
export async function collect(stream: AsyncIterable<unknown>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** Kills a process and its descendants, as the end of a container does. */
export function endTreeOf(pid: number | undefined): void {
  if (pid === undefined) return;
  const children = childrenByParent();
  const all = (one: number): number[] => [one, ...(children.get(one) ?? []).flatMap(all)];
  for (const one of all(pid)) {
    try {
      process.kill(one, 'SIGKILL');
    } catch {
      // The process has already exited.
    }
  }
}

function childrenByParent(): Map<number, number[]> {
  const found = new Map<number, number[]>();
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'latin1');
      const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
      found.set(parent, [...(found.get(parent) ?? []), Number(name)]);
    } catch {
      // The process has exited in the meantime.
    }
  }
  return found;
}
