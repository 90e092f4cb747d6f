import type { Writable } from 'node:stream';
import type { ContainerProcess, Sandbox } from 'modal';
import { createCloudChild, LOST, writableTo } from './cloud-child.ts';
import { textOf } from './cloud-connection.ts';
import type { CloudContainer } from './cloud-service.ts';
import { createCloudTerminal } from './cloud-terminal.ts';

/** A terminal there begins with 80 columns; it has to be told of its size. */
const SIZED = 'stty cols "$1" rows "$2" 2>/dev/null; shift 2; exec "$@"';

type Process = ContainerProcess<Uint8Array>;

/** A container of Modal, in which the SDK starts processes with three streams. */
export function createModalContainer(sandbox: Sandbox): CloudContainer & { letGo(): void } {
  const stops = new Set<() => void>();
  const start = async (words: readonly string[], pty = false): Promise<Process> =>
    sandbox.exec([...words], { mode: 'binary', pty });

  return {
    async begin(words, input) {
      const started = await start(words);
      const streams = [readerOf(started.stdout), readerOf(started.stderr)];
      const stop = () => streams.forEach((stream) => void stream.cancel().catch(() => undefined));
      const near = createCloudChild(input ? writerTo(started) : null, stop);
      stops.add(stop);
      if (!input) await started.closeStdin();
      const [output, errors] = streams;
      const read = Promise.all([drain(output, near.output), drain(errors, near.errors)]);
      void read
        .then(async () => near.end(await started.wait()))
        .catch(async (thrown: unknown) => {
          await near.errors(Buffer.from(`${textOf(thrown)}\n`));
          near.end(LOST);
        })
        .finally(() => stops.delete(stop));
      return near.child;
    },
    async beginTerminal(words, { columns, rows }) {
      const sized = ['/bin/sh', '-c', SIZED, 'sh', String(columns), String(rows), ...words];
      const started = await start(sized, true);
      const reader = readerOf(started.stdout);
      const writer = started.stdin.getWriter();
      const stop = () => void reader.cancel().catch(() => undefined);
      stops.add(stop);
      const { promise: ended, resolve } = Promise.withResolvers<number | undefined>();
      const { terminal, push } = createCloudTerminal({ write: (bytes) => writer.write(bytes), ended, stop });
      void drain(reader, async (bytes) => push(bytes))
        .then(async () => resolve(await started.wait()))
        .catch(() => resolve(undefined))
        .finally(() => stops.delete(stop));
      return terminal;
    },
    async run(words, input) {
      const started = await start(words);
      const read = [started.stdout.readBytes(), started.stderr.readBytes()] as const;
      const [output, errors] = await Promise.all([...read, feed(started, input)]);
      // Its code is asked for in the end: of a container that has died meanwhile it would be awaited for ever.
      const code = await started.wait();
      return { code, output: Buffer.from(output), errors: Buffer.from(errors).toString() };
    },
    letGo() {
      for (const stop of stops) stop();
      sandbox.detach();
    },
  };
}

/** One that ends without reading says why itself. */
async function feed(started: Process, input: Uint8Array = new Uint8Array()): Promise<void> {
  const writer = started.stdin.getWriter();
  try {
    for (let at = 0; at < input.length; at += CHUNK) await writer.write(input.subarray(at, at + CHUNK));
    await writer.close();
  } catch {
    await writer.abort().catch(() => undefined);
  }
}

/** What is sent at once; more than a message holds would be refused. */
const CHUNK = 1_000_000;

type Reader = ReadableStreamDefaultReader<Uint8Array>;

const readerOf = (stream: Process['stdout']) => stream.getReader() as Reader;

async function drain(reader: Reader | undefined, take: (bytes: Uint8Array) => Promise<void>): Promise<void> {
  for (;;) {
    const next = await reader?.read();
    if (next === undefined || next.done) return;
    await take(next.value);
  }
}

function writerTo(started: Process): Writable {
  const writer = started.stdin.getWriter();
  return writableTo({ write: (bytes) => writer.write(bytes), end: () => writer.close() });
}
