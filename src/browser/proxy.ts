import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { type Duplex, pipeline, Transform } from 'node:stream';
import { errorMessage } from '../base/index.ts';
import { pinnedLookup } from '../util/index.ts';
import type { Guard } from './guard.ts';

/** The one way out of a browser context. */
export interface Proxy {
  readonly url: string;
  close(): Promise<void>;
}

/** Set on answers that are ours, so that a refused page is told from one that exists. */
export const REFUSED_HEADER = 'x-hermes-refused';

const LOOPBACK = '127.0.0.1';
/** Of one answer; what is larger is no page that anybody reads. */
const MAX_BYTES = 100 * 1024 * 1024;
/** What is below is an answer to no request. */
const LOWEST_STATUS = 200;
/** Headers that are for this connection, and not for the server behind. */
const HOP_BY_HOP = new Set(['proxy-connection', 'proxy-authorization', 'connection', 'keep-alive', 'te', 'upgrade']);

/**
 * All that a context sends goes through here: pages, their parts, redirects, sockets. Each is looked at on its own, and the
 * connection goes to the address that was looked at. The browser resolves no name itself.
 */
export async function startProxy(guard: Pick<Guard, 'check'>): Promise<Proxy> {
  const sockets = new Set<Duplex>();
  const server = createServer((incoming, outgoing) => void forward(guard, incoming, outgoing));
  server.on('connect', ({ url = '' }, client: Duplex) => void tunnel(guard, url, client, sockets));
  // A browser that ends in the middle of a sentence is no fault of ours.
  server.on('clientError', (_error, socket) => socket.destroy());
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, LOOPBACK, resolve);
  });
  // The runtime closes it; a program that leaves without that must not wait for it.
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

async function forward(guard: Pick<Guard, 'check'>, incoming: IncomingMessage, outgoing: ServerResponse) {
  outgoing.on('error', () => undefined);
  const { url = '', method } = incoming;
  // Everything else comes through a tunnel.
  if (!URL.canParse(url) || !url.startsWith('http:')) return refuse(outgoing, 'Only whole addresses are opened.');
  let addresses: readonly string[];
  try {
    addresses = await guard.check(url);
  } catch (thrown) {
    return refuse(outgoing, errorMessage(thrown));
  }
  const headers = Object.fromEntries(Object.entries(incoming.headers).filter(([name]) => !HOP_BY_HOP.has(name)));
  const sent = request(new URL(url), { method, headers, agent: false, lookup: pinnedLookup(addresses) });
  sent.once('response', (answer) => passOn(answer, outgoing));
  sent.on('error', (error) => fail(outgoing, error.message));
  // Also where it ended without a word, as with an answer in another protocol.
  sent.once('close', () => {
    if (!outgoing.headersSent) fail(outgoing, 'it gave no answer');
  });
  outgoing.on('close', () => sent.destroy());
  pipeline(incoming, sent, () => undefined);
}

/** A server can say whatever it likes; what is no answer must not end more than itself. */
function passOn(answer: IncomingMessage, outgoing: ServerResponse): void {
  const { statusCode = 0 } = answer;
  if (statusCode < LOWEST_STATUS) {
    answer.destroy();
    return fail(outgoing, `status ${statusCode} is none`);
  }
  // Its own words for the status are left out: nobody reads them, and they may hold anything.
  outgoing.writeHead(statusCode, forBrowser(answer));
  pipeline(answer, limited(), outgoing, () => undefined);
}

/** Once an answer has begun, all that can be said is that it breaks off. */
function fail(outgoing: ServerResponse, reason: string): void {
  if (outgoing.headersSent) outgoing.destroy();
  else outgoing.writeHead(502, { 'content-type': 'text/plain' }).end(`It could not be reached: ${reason}`);
}

/** Nobody else gives answers in our name. */
function forBrowser({ headers }: IncomingMessage) {
  const { [REFUSED_HEADER]: _, connection: __, 'keep-alive': ___, ...passed } = headers;
  return passed;
}

function refuse(outgoing: ServerResponse, reason: string): void {
  outgoing.writeHead(403, { 'content-type': 'text/plain; charset=utf-8', [REFUSED_HEADER]: '1' }).end(reason);
}

async function tunnel(guard: Pick<Guard, 'check'>, authority: string, client: Duplex, sockets: Set<Duplex>) {
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
    pipeline(server, limited(), client, () => undefined);
  });
}

function limited(): Transform {
  let left = MAX_BYTES;
  return new Transform({
    transform(chunk: Uint8Array, _encoding, done) {
      left -= chunk.length;
      done(left < 0 ? new Error('the answer is too large') : null, chunk);
    },
  });
}
