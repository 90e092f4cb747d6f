import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Loopback = { url: string; requests: IncomingMessage[]; close(): void };

/** A loopback server that records its requests. */
export async function listen(answer: RequestListener): Promise<Loopback> {
  const requests: IncomingMessage[] = [];
  const server: Server = createServer((request, response) => {
    requests.push(request);
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, requests, close: () => server.close().closeAllConnections() };
}

/** Responds to each path with a JSON value, and with 404 to everything else. */
export function answering(paths: Readonly<Record<string, unknown>>): RequestListener {
  return ({ url = '' }, response) => {
    const body = paths[url];
    response.writeHead(body === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body ?? {}));
  };
}
