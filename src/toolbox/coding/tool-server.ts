import { timingSafeEqual } from 'node:crypto';
import { chmodSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { errorMessage, isJsonObject, type JsonObject, parseJson } from '../../base/index.ts';

/** One line is one call, and no call needs more: a file that is written is the largest there is. */
const LONGEST_LINE = 16_000_000;

export type ToolAnswer = { ok: boolean; text: string };

export type ToolServerOptions = {
  /** Where it listens: a path in a private folder. */
  path: string;
  /** Who says this first is let in, once; nobody else ever is. */
  token: string;
  answer(tool: string, args: JsonObject): Promise<ToolAnswer>;
};

export interface ToolServer {
  close(): void;
}

/** Lets one program call tools: lines of JSON over a socket, each answered when it is done. */
export async function openToolServer({ path, token, answer }: ToolServerOptions): Promise<ToolServer> {
  const sockets = new Set<Socket>();
  let used = false;
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    // A program that goes away is no fault of ours.
    socket.on('error', () => undefined);
    let entered = false;
    readLines(socket, (line) => {
      if (entered) return void reply(socket, line, answer);
      if (used || !isSame(line, token)) return void socket.destroy();
      entered = true;
      used = true;
      // From here on there is no door at all.
      server.close();
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, resolve);
  });
  chmodSync(path, 0o600);
  return {
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

function readLines(socket: Socket, take: (line: string) => void): void {
  // Put together only when a line is whole: otherwise a long one would be copied with each of its pieces.
  let pieces: string[] = [];
  let length = 0;
  socket.setEncoding('utf8');
  socket.on('data', (text: string) => {
    const lines = text.split('\n');
    const rest = lines.pop() ?? '';
    for (const line of lines) {
      if (!socket.destroyed) take(pieces.join('') + line);
      [pieces, length] = [[], 0];
    }
    pieces.push(rest);
    length += rest.length;
    if (length > LONGEST_LINE) socket.destroy();
  });
}

async function reply(socket: Socket, line: string, answer: ToolServerOptions['answer']): Promise<void> {
  const call = parseJson(line);
  const { id, tool, args = {} } = isJsonObject(call) ? call : {};
  const understood = typeof tool === 'string' && isJsonObject(args);
  const answered = understood ? await answer(tool, args).catch(failed) : NO_CALL;
  if (!socket.destroyed) socket.write(`${JSON.stringify({ id: id ?? null, ...answered })}\n`);
}

const NO_CALL: ToolAnswer = {
  ...{ ok: false, text: 'A call has the form tools.NAME({ … }), with one object of arguments.' },
};

/** Nobody waits for this promise, and the script waits for an answer. */
function failed(thrown: unknown): ToolAnswer {
  return { ok: false, text: errorMessage(thrown) };
}

/** Takes as long for one that is nearly right as for any other. */
function isSame(given: string, token: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(token)];
  return a.length === b.length && timingSafeEqual(a, b);
}
