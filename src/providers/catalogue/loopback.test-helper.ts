import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Loopback = { url: string; requests: IncomingMessage[]; close(): void };

/** A server of the test's own on loopback that remembers what it was asked. */
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

/** Answers each path with a value as JSON, and everything else with 404. */
export function answering(paths: Readonly<Record<string, unknown>>): RequestListener {
  return ({ url = '' }, response) => {
    const body = paths[url];
    response.writeHead(body === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body ?? {}));
  };
}
