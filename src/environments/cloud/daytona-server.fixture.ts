import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { collect } from './cloud-processes.fixture.ts';
import { createDaytonaToolbox, type DaytonaToolbox } from './daytona-toolbox.fixture.ts';

/** The request with which a sandbox was created, and its state. */
export type DaytonaSandbox = {
  id: string;
  name: string;
  state: string;
  request: Record<string, unknown>;
  folder: string;
};

/** The state of the server, which tests inspect and change. */
export type DaytonaState = {
  root: string;
  url: string;
  sandboxes: Map<string, DaytonaSandbox>;
  toolboxes: Map<string, DaytonaToolbox>;
  calls: string[];
  /** If set, the response to every call. */
  fault?: [status: number, message: string] | undefined;
  createDelay?: Promise<void> | undefined;
};

export type DaytonaServer = Awaited<ReturnType<typeof startDaytonaServer>>;

/** A fake Daytona server that runs commands on the local machine. */
export async function startDaytonaServer() {
  const root = mkdtempSync(join(tmpdir(), 'hermes-daytona-'));
  const state: DaytonaState = { root, url: '', sandboxes: new Map(), toolboxes: new Map(), calls: [] };
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => void answer(state, request, response));
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.on('upgrade', (request, socket) => {
    const [, , id = '', ...path] = (request.url ?? '').split('/');
    state.toolboxes.get(id)?.connect(request, socket as Socket, `/${path.join('/')}`);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  state.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    state,
    url: state.url,
    /** Simulates that a sandbox was stopped outside Hermes. */
    end: (id: string) => endSandbox(state, id),
    states: () => [...state.sandboxes.values()].map((sandbox) => sandbox.state),
    async close() {
      for (const id of state.sandboxes.keys()) endSandbox(state, id);
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
      rmSync(root, { recursive: true, force: true });
    },
  };
}

const find = ({ sandboxes }: DaytonaState, idOrName: string) =>
  sandboxes.get(idOrName) ?? [...sandboxes.values()].find(({ name }) => name === idOrName);

const describe = ({ url }: DaytonaState, { id, name, state, request }: DaytonaSandbox) => ({
  id,
  name,
  state,
  organizationId: 'org',
  labels: request['labels'],
  env: {},
  user: 'daytona',
  target: 'local',
  cpu: 1,
  gpu: 0,
  memory: 1,
  disk: 3,
  public: false,
  toolboxProxyUrl: `${url}/toolbox`,
});

async function answer(state: DaytonaState, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const bytes = await collect(request);
  const path = (request.url ?? '').split('?')[0] ?? '';
  state.calls.push(`${request.method} ${path}`);
  const reply = (status: number, body: unknown) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  };
  const [status, message] = state.fault ?? [];
  if (status !== undefined) return reply(status, { statusCode: status, message });
  if (request.headers.authorization !== 'Bearer dtn_test') return reply(401, { message: 'Invalid credentials' });
  const [, area, id = '', ...rest] = path.split('/');
  if (area !== 'toolbox') {
    return control(state, { method: request.method ?? '', id, action: rest.join('/'), bytes, reply });
  }
  const toolbox = state.toolboxes.get(id);
  const isUp = toolbox !== undefined && find(state, id)?.state === 'started';
  if (!isUp) return reply(400, { message: `sandbox ${id} is not running` });
  await toolbox.answer({ request, bytes, path: `/${rest.join('/')}`, reply });
}

type Control = {
  method: string;
  id: string;
  action: string;
  bytes: Buffer;
  reply(status: number, body: unknown): void;
};

async function control(state: DaytonaState, { method, id, action, bytes, reply }: Control): Promise<void> {
  if (method === 'POST' && id === '') {
    return make(state, JSON.parse(bytes.toString()) as Record<string, unknown>, reply);
  }
  const sandbox = find(state, decodeURIComponent(id));
  if (sandbox === undefined) return reply(404, { message: `Sandbox with ID or name ${id} not found` });
  if (method === 'DELETE') {
    endSandbox(state, sandbox.id);
    state.sandboxes.delete(sandbox.id);
    return reply(200, describe(state, { ...sandbox, state: 'destroyed' }));
  }
  if (action === 'stop') endSandbox(state, sandbox.id);
  if (action === 'start') sandbox.state = 'started';
  reply(200, describe(state, sandbox));
}

async function make(state: DaytonaState, request: Record<string, unknown>, reply: Control['reply']): Promise<void> {
  await state.createDelay;
  const [id, name] = [`sandbox-${state.toolboxes.size + 1}`, String(request['name'])];
  if (find(state, name) !== undefined) return reply(409, { message: `Sandbox with name ${name} already exists` });
  const folder = join(state.root, id);
  mkdirSync(folder);
  const sandbox = { id, name, state: 'started', request, folder };
  state.sandboxes.set(id, sandbox);
  state.toolboxes.set(id, createDaytonaToolbox(folder));
  reply(200, describe(state, sandbox));
}

function endSandbox({ sandboxes, toolboxes }: DaytonaState, id: string): void {
  const sandbox = sandboxes.get(id);
  if (sandbox !== undefined) sandbox.state = 'stopped';
  toolboxes.get(id)?.end();
}
