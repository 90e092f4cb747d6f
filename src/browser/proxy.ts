import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { type Duplex, pipeline, Transform } from 'node:stream';
import { errorMessage } from '../base/index.ts';
import { pinnedLookup } from '../util/index.ts';
import type { BrowserGuard } from './guard.ts';

/** The proxy through which all traffic of a browser context goes. */
export interface Proxy {
  readonly url: string;
  close(): Promise<void>;
}

/** Marks responses of the proxy itself, so that a refusal is not mistaken for a page. */
export const REFUSED_HEADER = 'x-hermes-refused';

const LOOPBACK = '127.0.0.1';
/** Limit of one response. */
const MAX_BYTES = 100 * 1024 * 1024;
/** Informational responses (1xx) are not final responses. */
const LOWEST_STATUS = 200;
/** Headers that belong to this connection and are not forwarded. */
const HOP_BY_HOP = new Set(['proxy-connection', 'proxy-authorization', 'connection', 'keep-alive', 'te', 'upgrade']);

/**
 * Starts the proxy for all traffic of a context: pages, subresources, redirects, sockets. Each request is checked
 * separately, and the connection goes to the checked address. The browser resolves no names itself.
 */
export async function startProxy(guard: Pick<BrowserGuard, 'check'>): Promise<Proxy> {
  const sockets = new Set<Duplex>();
  const server = createServer((incoming, outgoing) => void forward(guard, incoming, outgoing));
  server.on('connect', ({ url = '' }, client: Duplex) => void tunnel(guard, url, client, sockets));
  // The browser may disconnect in the middle of a request.
  server.on('clientError', (_error, socket) => socket.destroy());
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, LOOPBACK, resolve);
  });
  // The runtime closes the proxy. If it does not, the proxy must not keep the process alive.
  server.unref();
  return {
    url: `http://${LOOPBACK}:${(server.address() as AddressInfo).port}`,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function forward(guard: Pick<BrowserGuard, 'check'>, incoming: IncomingMessage, outgoing: ServerResponse) {
  outgoing.on('error', () => undefined);
  const { url = '', method } = incoming;
  // https requests come through a tunnel.
  if (!URL.canParse(url) || !url.startsWith('http:')) return refuse(outgoing, 'Only absolute http URLs are allowed.');
  let addresses: readonly string[];
  try {
    addresses = await guard.check(url);
  } catch (thrown) {
    return refuse(outgoing, errorMessage(thrown));
  }
  const headers = Object.fromEntries(Object.entries(incoming.headers).filter(([name]) => !HOP_BY_HOP.has(name)));
  const sent = request(new URL(url), { method, headers, agent: false, lookup: pinnedLookup(addresses) });
  sent.once('response', (answer) => forwardResponse(answer, outgoing));
  sent.on('error', (error) => fail(outgoing, error.message));
  // This also covers a server that closes the connection without a valid response.
  sent.once('close', () => {
    if (!outgoing.headersSent) fail(outgoing, 'no response');
  });
  outgoing.on('close', () => sent.destroy());
  pipeline(incoming, sent, () => undefined);
}

/** Forwards a response. An invalid one must not affect other requests. */
function forwardResponse(answer: IncomingMessage, outgoing: ServerResponse): void {
  const { statusCode = 0 } = answer;
  if (statusCode < LOWEST_STATUS) {
    answer.destroy();
    return fail(outgoing, `invalid status ${statusCode}`);
  }
  // The status text of the server is dropped: it is not needed and may contain anything.
  outgoing.writeHead(statusCode, forBrowser(answer));
  pipeline(answer, createSizeLimit(), outgoing, () => undefined);
}

/** Once a response has begun, it can only be aborted. */
function fail(outgoing: ServerResponse, reason: string): void {
  if (outgoing.headersSent) outgoing.destroy();
  else outgoing.writeHead(502, { 'content-type': 'text/plain' }).end(`Could not connect: ${reason}`);
}

/** Removes our own marker header, so that servers cannot forge it. */
function forBrowser({ headers }: IncomingMessage) {
  const { [REFUSED_HEADER]: _, connection: __, 'keep-alive': ___, ...passed } = headers;
  return passed;
}

function refuse(outgoing: ServerResponse, reason: string): void {
  outgoing.writeHead(403, { 'content-type': 'text/plain; charset=utf-8', [REFUSED_HEADER]: '1' }).end(reason);
}

async function tunnel(guard: Pick<BrowserGuard, 'check'>, authority: string, client: Duplex, sockets: Set<Duplex>) {
  sockets.add(client);
  client.on('error', () => undefined).on('close', () => sockets.delete(client));
  const url = `https://${authority}/`;
  if (!URL.canParse(url)) return void client.end('HTTP/1.1 400 Bad Request\r\n\r\n');
  let addresses: readonly string[];
  try {
    addresses = await guard.check(url);
  } catch {
    return void client.end('HTTP/1.1 403 Forbidden\r\n\r\n');
  }
  const { hostname, port } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '');
  const server: Socket = connect({ host, port: Number(port) || 443, lookup: pinnedLookup(addresses) });
  sockets.add(server);
  server.on('close', () => sockets.delete(server));
  server.once('error', () => client.end('HTTP/1.1 502 Bad Gateway\r\n\r\n'));
  server.once('connect', () => {
    client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
    pipeline(client, server, () => undefined);
    pipeline(server, createSizeLimit(), client, () => undefined);
  });
}

function createSizeLimit(): Transform {
  let left = MAX_BYTES;
  return new Transform({
    transform(chunk: Uint8Array, _encoding, done) {
      left -= chunk.length;
      done(left < 0 ? new Error('the response is too large') : null, chunk);
    },
  });
}
