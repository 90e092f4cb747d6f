import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CloudProcess, endTreeOf, startProcess } from './cloud-processes.fixture.ts';
import {
  encode,
  type Fields,
  GrpcStatus,
  type GrpcHandler,
  messageIn,
  numberIn,
  startGrpcServer,
  STATUS,
  textIn,
} from './grpc-server.fixture.ts';
import { openFakeTerminal } from './cloud-terminal.fixture.ts';

export type ModalSandbox = {
  name: string;
  image: string;
  folder: string;
  running: boolean;
  timeoutSeconds: number;
  idleSeconds: number;
  memory: number;
  milliCpu: number;
  network: number;
};

/** The state of the server, which tests inspect and change. */
export type ModalState = {
  root: string;
  port: number;
  sandboxes: Map<string, ModalSandbox>;
  images: Map<string, string>;
  processes: Map<string, CloudProcess & { sandbox: string }>;
  /** The names of all calls so far. */
  calls: string[];
  /** If set, the response to every call. */
  fault?: GrpcStatus | undefined;
  createDelay?: Promise<void> | undefined;
};

export type ModalServer = Awaited<ReturnType<typeof startModalServer>>;

/** A fake Modal server that runs commands on the local machine. */
export async function startModalServer() {
  const root = mkdtempSync(join(tmpdir(), 'hermes-modal-'));
  const state: ModalState = {
    root,
    port: 0,
    sandboxes: new Map(),
    images: new Map(),
    processes: new Map(),
    calls: [],
  };
  const server = await startGrpcServer({ ...checked(state, controlHandlers(state)), ...routerHandlers(state) });
  state.port = server.port;
  return {
    url: `http://127.0.0.1:${server.port}`,
    state,
    /** Simulates that a sandbox was ended outside Hermes. */
    end: (id: string) => endSandbox(state, id),
    running: () => [...state.sandboxes.values()].filter((sandbox) => sandbox.running),
    async close() {
      for (const id of state.sandboxes.keys()) endSandbox(state, id);
      await server.close();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

/** All calls except those to a container itself require the token. */
function checked(state: ModalState, handlers: Record<string, GrpcHandler>): Record<string, GrpcHandler> {
  const check =
    (name: string, handler: GrpcHandler): GrpcHandler =>
    (request, call) => {
      state.calls.push(name);
      const token = [call.headers['x-modal-token-id'], call.headers['x-modal-token-secret']].join();
      if (state.fault !== undefined) throw state.fault;
      if (token !== 'ak-test,as-test') throw new GrpcStatus(STATUS.unauthenticated, 'Token validation failed');
      return handler(request, call);
    };
  return Object.fromEntries(Object.entries(handlers).map(([name, handler]) => [name, check(name, handler)]));
}

const access = ({ port }: ModalState, id: string) => encode([1, `jwt-${id}`], [2, `https://127.0.0.1:${port}`]);

function controlHandlers(state: ModalState): Record<string, GrpcHandler> {
  const { images, sandboxes } = state;
  return {
    AuthTokenGet: () => encode([1, 'token']),
    AppGetOrCreate: () => encode([1, 'ap-1']),
    EnvironmentGetOrCreate: () => encode([1, 'en-1'], [2, encode([1, 'main'], [2, encode([1, '2025.06'])])]),
    ImageGetOrCreate(request) {
      const [command] = messageIn(request, 2).get(6) ?? [];
      const image = String(command).replace('FROM ', '');
      if (image === 'broken') return encode([1, 'im-0'], [2, encode([1, 2], [2, 'Image build failed: no such image'])]);
      return encode([1, `im-${image}`], [2, encode([1, 1])]);
    },
    ImageFromId(request) {
      const id = textIn(request, 1);
      if (!images.has(id)) throw new GrpcStatus(STATUS.notFound, `Could not find image with ID ${id}`);
      return encode([1, id]);
    },
    ImageDelete(request) {
      images.delete(textIn(request, 1));
      return encode();
    },
    SandboxGetFromNameV2(request) {
      const found = [...sandboxes].find(([, one]) => one.running && one.name === textIn(request, 1));
      if (found === undefined) throw new GrpcStatus(STATUS.notFound, 'no such sandbox');
      return encode([1, found[0]]);
    },
    SandboxGetFromName() {
      throw new GrpcStatus(STATUS.notFound, 'no such sandbox');
    },
    SandboxCreateV2: (request) => createSandbox(state, request),
    SandboxGetTaskIdV2: (request) => encode([1, textIn(request, 1).replace('sb', 'ta')]),
    SandboxGetCommandRouterAccess: (request) => access(state, textIn(request, 1)),
    SandboxTerminateV2(request) {
      endSandbox(state, textIn(request, 1));
      return encode();
    },
  };
}

async function createSandbox(state: ModalState, request: Fields): Promise<Buffer> {
  await state.createDelay;
  const { sandboxes, images, root } = state;
  const definition = messageIn(request, 2);
  const name = textIn(definition, 30);
  const isThere = [...sandboxes.values()].some((one) => one.running && one.name === name);
  if (isThere) throw new GrpcStatus(STATUS.exists, `Sandbox with name ${name} already exists`);
  const [id, image] = [`sb-${sandboxes.size + 1}`, textIn(definition, 3)];
  const folder = join(root, id);
  const kept = images.get(image);
  if (kept === undefined) mkdirSync(folder);
  else cpSync(kept, folder, { recursive: true });
  const resources = messageIn(definition, 5);
  sandboxes.set(id, {
    name,
    image,
    folder,
    running: true,
    network: numberIn(messageIn(definition, 22), 1),
    timeoutSeconds: numberIn(definition, 7),
    idleSeconds: numberIn(definition, 33),
    memory: numberIn(resources, 2),
    milliCpu: numberIn(resources, 3),
  });
  return encode([1, id], [3, id.replace('sb', 'ta')], [5, access(state, id)]);
}

function running({ sandboxes }: ModalState, request: Fields): [id: string, sandbox: ModalSandbox] {
  const id = textIn(request, 1).replace('ta', 'sb');
  const sandbox = sandboxes.get(id);
  if (!sandbox?.running) throw new GrpcStatus(STATUS.notFound, `Sandbox ${id} has been terminated`);
  return [id, sandbox];
}

function processOf(state: ModalState, request: Fields): CloudProcess {
  running(state, request);
  const found = state.processes.get(textIn(request, 2));
  if (found === undefined) throw new GrpcStatus(STATUS.notFound, 'no such exec');
  return found;
}

function routerHandlers(state: ModalState): Record<string, GrpcHandler> {
  return {
    TaskExecStart(request) {
      const [sandbox, { folder }] = running(state, request);
      const words = (request.get(3) ?? []).map(String);
      const start = request.has(9) ? openFakeTerminal : startProcess;
      state.processes.set(textIn(request, 2), { ...start(words, folder), sandbox });
      return encode();
    },
    async *TaskExecStdioRead(request, { closed }) {
      const stream = numberIn(request, 4) === 0 ? 'stdout' : 'stderr';
      for await (const bytes of processOf(state, request).read(stream, numberIn(request, 3), closed))
        yield encode([1, bytes]);
      // A dead container does not end its streams properly.
      running(state, request);
    },
    TaskExecStdinWrite(request) {
      const { stdin } = processOf(state, request).child;
      const [bytes] = request.get(4) ?? [];
      if (bytes instanceof Buffer && bytes.length > 0) stdin?.write(bytes);
      if (numberIn(request, 5) === 1) stdin?.end();
      return encode();
    },
    async TaskExecWait(request) {
      return encode([1, await processOf(state, request).ended]);
    },
    TaskSnapshotFilesystem(request) {
      const [id, { folder }] = running(state, request);
      const image = `im-snapshot-${id}`;
      const kept = join(state.root, image);
      state.images.set(image, kept);
      cpSync(folder, kept, { recursive: true });
      return encode([1, image]);
    },
  };
}

function endSandbox({ sandboxes, processes }: ModalState, id: string): void {
  const sandbox = sandboxes.get(id);
  if (sandbox !== undefined) sandbox.running = false;
  for (const { child, sandbox: owner } of processes.values()) if (owner === id) endTreeOf(child.pid);
}
