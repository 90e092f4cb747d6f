import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import type { ContainerProcess, Image, ModalClient, Sandbox } from 'modal';
import { withTimeout } from '../../util/index.ts';
import { CONNECTION_LOST, createRemoteChild } from '../remote/remote-child.ts';
import { createCloudTerminal, textOf, writableTo } from './cloud-connection.ts';
import { loadSdk, type SdkPackage } from './cloud-sdk.ts';
import {
  type CloudContainer,
  type CloudService,
  type CloudServiceOptions,
  EXIT_SCRIPT_HEAD,
  EXIT_SCRIPT_TAIL,
} from './cloud-service.ts';

export const MODAL_SDK: SdkPackage = {
  backend: 'modal',
  name: 'modal',
  version: '0.11.1',
  entry: 'dist/index.js',
  exports: 'ModalClient',
};
/** The Modal app that groups the containers. */
const APP = 'hermes-agent';
/** The maximum lifetime that the service allows, and the idle timeout. */
const LIFE_MS = 24 * 3600_000;
const IDLE_MS = 3600_000;
const SNAPSHOT_MS = 300_000;
/** The file with the image id of the filesystem snapshot. */
const SNAPSHOT_FILE = 'image';
const LEAVING_SCRIPT = `${EXIT_SCRIPT_HEAD}
const client = new sdk.ModalClient();
const sandbox = await client.sandboxes.fromName(task.app, task.name).catch((error) => {
  if (error instanceof sdk.NotFoundError) return undefined;
  throw error;
});
for (const words of sandbox === undefined || task.ending === 'remove' ? [] : task.runs) {
  await (await sandbox.exec(words)).wait();
}
if (sandbox !== undefined && task.ending === 'keep') {
  const image = await sandbox.snapshotFilesystem({ timeoutMs: ${SNAPSHOT_MS}, ttlMs: null });
  writeFileSync(task.folder + '/${SNAPSHOT_FILE}', image.imageId);
}
if (task.ending !== 'goes on') await sandbox?.terminate();
${EXIT_SCRIPT_TAIL}`;
/** Terminals start with 80 columns, so the size is set explicitly. */
const RESIZE_SCRIPT = 'stty cols "$1" rows "$2" 2>/dev/null; shift 2; exec "$@"';
/** Bytes per message; larger messages are rejected. */
const CHUNK = 1_000_000;

/** Modal keeps the content as a filesystem snapshot, from which the next container starts. */
export async function createModalService(options: CloudServiceOptions): Promise<CloudService> {
  const { file, module } = await loadSdk(MODAL_SDK, options.home);
  const sdk = module as unknown as typeof import('modal');
  const [tokenId, tokenSecret] = [options.variables['MODAL_TOKEN_ID'], options.variables['MODAL_TOKEN_SECRET']];
  const token = tokenId === undefined || tokenSecret === undefined ? {} : { tokenId, tokenSecret };
  const client = new sdk.ModalClient({ ...token, logger: SILENT });
  const opened = new Set<() => void>();

  const find = async (name: string): Promise<Sandbox | undefined> =>
    client.sandboxes.fromName(APP, name).catch((thrown: unknown) => {
      if (thrown instanceof sdk.NotFoundError) return undefined;
      throw thrown;
    });
  const use = (sandbox: Sandbox): CloudContainer => {
    const container = createModalContainer(sandbox);
    opened.add(container.letGo);
    return container;
  };

  return {
    async find() {
      const sandbox = await withTimeout(find(options.name), options.createMs);
      return sandbox && use(sandbox);
    },
    async create() {
      const making = makeSandbox({ client, sdk, options }).catch(async (thrown: unknown) => {
        // Another process may have created the container at the same moment.
        const other = thrown instanceof sdk.AlreadyExistsError ? await find(options.name) : undefined;
        if (other === undefined) throw thrown;
        return other;
      });
      return use(await withTimeout(making, options.createMs));
    },
    async end(name, folder, keeps) {
      const sandbox = await find(name);
      if (sandbox === undefined) return;
      if (keeps) await saveSnapshot(client, sandbox, join(folder, SNAPSHOT_FILE));
      await sandbox.terminate();
    },
    exitScript: {
      script: LEAVING_SCRIPT,
      data: { file, app: APP },
      env: {
        ...options.env,
        ...(tokenId && { MODAL_TOKEN_ID: tokenId }),
        ...(tokenSecret && { MODAL_TOKEN_SECRET: tokenSecret }),
      },
    },
    async close() {
      for (const letGo of opened) letGo();
      client.close();
    },
  };
}

const nothing = () => undefined;

/** A logger that prints nothing, because the SDK would print in the middle of a chat. */
const SILENT = { debug: nothing, info: nothing, warn: nothing, error: nothing };

type Making = { client: ModalClient; sdk: typeof import('modal'); options: CloudServiceOptions };

async function makeSandbox({ client, sdk, options }: Making): Promise<Sandbox> {
  const app = await client.apps.fromName(APP, { createIfMissing: true });
  const kept = readSnapshotId(join(options.folder, SNAPSHOT_FILE));
  const image: Image =
    kept === undefined
      ? client.images.fromRegistry(options.image)
      : await client.images.fromId(kept).catch((thrown: unknown) => {
          if (!(thrown instanceof sdk.NotFoundError)) throw thrown;
          return client.images.fromRegistry(options.image);
        });
  return client.sandboxes.create(app, image, {
    name: options.name,
    timeoutMs: LIFE_MS,
    idleTimeoutMs: IDLE_MS,
    blockNetwork: !options.network,
    ...(options.cpu !== undefined && { cpu: options.cpu }),
    ...(options.memory !== undefined && { memoryMiB: options.memory }),
  });
}

async function saveSnapshot(client: ModalClient, sandbox: Sandbox, file: string): Promise<void> {
  const before = readSnapshotId(file);
  const image = await sandbox.snapshotFilesystem({ timeoutMs: SNAPSHOT_MS, ttlMs: null });
  writeFileSync(file, image.imageId);
  // The previous snapshot is no longer needed and costs money.
  if (before !== undefined && before !== image.imageId) await client.images.delete(before).catch(nothing);
}

function readSnapshotId(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim() || undefined;
  } catch {
    return undefined;
  }
}

type Process = ContainerProcess<Uint8Array>;

/** A Modal container, in which the SDK starts processes with three streams. */
function createModalContainer(sandbox: Sandbox): CloudContainer & { letGo(): void } {
  const stops = new Set<() => void>();
  const start = async (words: readonly string[], pty = false): Promise<Process> =>
    sandbox.exec([...words], { mode: 'binary', pty });

  return {
    async begin(words, input) {
      const started = await start(words);
      const streams = [readerOf(started.stdout), readerOf(started.stderr)];
      const stop = () => streams.forEach((stream) => void stream.cancel().catch(() => undefined));
      const near = createRemoteChild(input ? writerTo(started) : null, stop);
      stops.add(stop);
      if (!input) await started.closeStdin();
      const [output, errors] = streams;
      const read = Promise.all([drain(output, near.output), drain(errors, near.errors)]);
      void read
        .then(async () => near.end(await started.wait()))
        .catch(async (thrown: unknown) => {
          await near.errors(Buffer.from(`${textOf(thrown)}\n`));
          near.end(CONNECTION_LOST);
        })
        .finally(() => stops.delete(stop));
      return near.child;
    },
    async beginTerminal(words, { columns, rows }) {
      const sized = ['/bin/sh', '-c', RESIZE_SCRIPT, 'sh', String(columns), String(rows), ...words];
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
      // Ask for the exit code last: for a container that died meanwhile the call would never return.
      const code = await started.wait();
      return { code, output: Buffer.from(output), errors: Buffer.from(errors).toString() };
    },
    letGo() {
      for (const stop of stops) stop();
      sandbox.detach();
    },
  };
}

/** A process that exits without reading its input reports the reason itself. */
async function feed(started: Process, input: Uint8Array = new Uint8Array()): Promise<void> {
  const writer = started.stdin.getWriter();
  try {
    for (let at = 0; at < input.length; at += CHUNK) await writer.write(input.subarray(at, at + CHUNK));
    await writer.close();
  } catch {
    await writer.abort().catch(() => undefined);
  }
}

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
