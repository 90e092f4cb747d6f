import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

export type SeenRequest = { request: IncomingMessage; body: string };
export type Loopback = {
  url: string;
  host: string;
  server: Server;
  seen: SeenRequest[];
  /** All connections so far. */
  sockets: Socket[];
  close(): Promise<void>;
};

type Handler = (response: ServerResponse, seen: SeenRequest) => void;

/** Starts a server on a free loopback port. Each handler handles one request, the last one all further requests. */
export async function startLoopback(...handlers: Handler[]): Promise<Loopback> {
  const seen: SeenRequest[] = [];
  const sockets: Socket[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const entry = { request, body: Buffer.concat(chunks).toString() };
      const handler = handlers[Math.min(seen.length, handlers.length - 1)];
      seen.push(entry);
      handler?.(response, entry);
    });
  });
  server.on('connection', (socket) => sockets.push(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { url: `http://${host}`, host, server, seen, sockets, close };
}

export function sendEvents(response: ServerResponse, text: string): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.end(text);
}

export function sendJson(response: ServerResponse, status: number, value: unknown, headers: object = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(value));
}

/** A short, complete chat-completions stream. */
export const HELLO = [
  'data: {"choices":[{"index":0,"delta":{"content":"hello"},"finish_reason":null}]}\n\n',
  'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n',
  'data: [DONE]\n\n',
].join('');
