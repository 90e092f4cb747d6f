import type { IncomingMessage } from 'node:http';
import { writeFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { type CloudProcess, collect, endTreeOf, startProcess } from './cloud-processes.fixture.ts';
import { openFakeTerminal } from './cloud-terminal.fixture.ts';
import { acceptSocket, type FarSocket } from './websocket.fixture.ts';

export type ToolboxCall = {
  request: IncomingMessage;
  bytes: Buffer;
  path: string;
  reply(status: number, body: unknown): void;
};

/** A command of a session. Like the service, it logs output as prefixed lines and drops NUL bytes. */
type Session = { process?: CloudProcess; log: Buffer[]; over: boolean; listeners: Set<FarSocket> };

type Toolbox = {
  folder: string;
  sessions: Map<string, Session>;
  running: Set<CloudProcess>;
  sockets: Set<Socket>;
};

export type DaytonaToolbox = ReturnType<typeof createDaytonaToolbox>;

/** The API inside a Daytona container. */
export function createDaytonaToolbox(folder: string) {
  const toolbox: Toolbox = { folder, sessions: new Map(), running: new Set(), sockets: new Set() };
  return {
    answer: (call: ToolboxCall) => answer(toolbox, call),
    connect(request: IncomingMessage, socket: Socket, path: string): void {
      toolbox.sockets.add(socket);
      socket.once('close', () => toolbox.sockets.delete(socket));
      const [, , part = '', id = ''] = path.split('?')[0]?.split('/') ?? [];
      if (part === 'pty') void openTerminal(toolbox, request, socket);
      else follow(toolbox.sessions.get(id), request, socket);
    },
    end() {
      for (const { child } of toolbox.running) endTreeOf(child.pid);
      for (const socket of toolbox.sockets) socket.destroy();
    },
  };
}

async function answer(toolbox: Toolbox, { request, bytes, path, reply }: ToolboxCall): Promise<void> {
  const [, area = '', part = '', id = '', action = ''] = path.split('/');
  if (area === 'files') return upload(request, bytes, reply);
  const body = (bytes.length > 0 ? JSON.parse(bytes.toString()) : {}) as Record<string, unknown>;
  if (part === 'execute') return execute(toolbox, String(body['command']), reply);
  if (request.method === 'POST' && id === '') {
    toolbox.sessions.set(String(body['sessionId']), { log: [], over: false, listeners: new Set() });
    return reply(201, {});
  }
  const session = toolbox.sessions.get(id);
  if (session === undefined) return reply(404, { message: 'session not found' });
  if (request.method === 'DELETE') {
    endTreeOf(session.process?.child.pid);
    toolbox.sessions.delete(id);
    return reply(204, {});
  }
  if (action === 'exec') {
    void begin(toolbox, session, String(body['command']));
    return reply(202, { cmdId: 'command' });
  }
  session.process?.child.stdin?.write(String(body['data']));
  reply(204, {});
}

function start({ folder, running }: Toolbox, words: readonly string[]): CloudProcess {
  const started = startProcess(words, folder);
  running.add(started);
  void started.ended.then(() => running.delete(started));
  return started;
}

async function upload(request: IncomingMessage, bytes: Buffer, reply: ToolboxCall['reply']): Promise<void> {
  const type = request.headers['content-type'] ?? '';
  const form = await new Response(new Uint8Array(bytes), { headers: { 'content-type': type } }).formData();
  const [path, file] = [form.get('files[0].path'), form.get('files[0].file')];
  writeFileSync(path as string, Buffer.from(await (file as File).arrayBuffer()));
  reply(200, {});
}

async function execute(toolbox: Toolbox, command: string, reply: ToolboxCall['reply']): Promise<void> {
  const words = [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
  const started = start(toolbox, words);
  started.child.stdin?.end();
  const output = await collect(started.read('stdout', 0, new AbortController().signal));
  reply(200, { exitCode: await started.ended, result: output.toString() });
}

async function begin(toolbox: Toolbox, session: Session, command: string): Promise<void> {
  const started = start(toolbox, ['/bin/bash', '-c', command]);
  session.process = started;
  await label(session, started.read('stdout', 0, new AbortController().signal));
  await started.ended;
  session.over = true;
  for (const listener of session.listeners) listener.close(1000, '');
}

function follow(session: Session | undefined, request: IncomingMessage, socket: Socket): void {
  const far = acceptSocket(request, socket);
  if (session === undefined) return far.close(1011, 'session not found');
  for (const line of session.log) far.send(line);
  if (session.over) return far.close(1000, '');
  session.listeners.add(far);
  socket.once('close', () => session.listeners.delete(far));
}

async function openTerminal({ folder, running }: Toolbox, request: IncomingMessage, socket: Socket): Promise<void> {
  const { searchParams } = new URL(request.url ?? '', 'http://localhost');
  const size = { columns: Number(searchParams.get('cols')), rows: Number(searchParams.get('rows')) };
  const terminal = openFakeTerminal(['/bin/bash', '-i', '-l'], folder, size);
  running.add(terminal);
  const far = acceptSocket(request, socket, (bytes) => void terminal.child.stdin?.write(bytes));
  far.send(JSON.stringify({ type: 'control', status: 'connected' }));
  for await (const bytes of terminal.read('stdout', 0, new AbortController().signal)) far.send(bytes);
  const exitCode = await terminal.ended;
  running.delete(terminal);
  far.send(JSON.stringify({ type: 'control', status: 'exited', exitCode }));
  far.close(exitCode === 0 ? 1000 : 1011, JSON.stringify({ exitCode }));
}

async function label(session: Session, stream: AsyncGenerator<Buffer>): Promise<void> {
  let pending = '';
  const add = (line: string) => {
    const marked = Buffer.from(`\u0001\u0001\u0001${line.replaceAll('\0', '')}\n`, 'latin1');
    session.log.push(marked);
    for (const listener of session.listeners) listener.send(marked);
  };
  for await (const bytes of stream) {
    const lines = (pending + bytes.toString('latin1')).split('\n');
    pending = lines.pop() ?? '';
    lines.forEach(add);
  }
  if (pending !== '') add(pending);
}
