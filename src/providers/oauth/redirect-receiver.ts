import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What the browser brought back; `issuer` where it says who gave the code. */
export type Redirect = { code: string; issuer?: string } | { error: string };

/** Waits on this machine for the browser to come back from the provider. */
export interface RedirectReceiver {
  /** The address the browser is to be sent to, with the port that was found. */
  readonly redirectUri: string;
  readonly redirect: Promise<Redirect>;
  close(): void;
}

const PAGE = '<!doctype html><meta charset="utf-8"><title>Hermes</title><p>';
const DONE = `${PAGE}Hermes has what it needs. You can close this window.`;
const REFUSED = `${PAGE}The login was refused. You can close this window.`;

/** Listens where the address says, on a free port where it names none. */
export async function receiveRedirect(address: string, state: string): Promise<RedirectReceiver> {
  const { createServer } = await import('node:http');
  const { promise, resolve } = Promise.withResolvers<Redirect>();
  const { pathname, port } = new URL(address);
  const server = createServer((request, response) => answer(request, response, { pathname, state, resolve }));
  await listen(server, port === '' ? 0 : Number(port));
  const redirectUri = new URL(address);
  redirectUri.port = String((server.address() as AddressInfo).port);
  return {
    redirectUri: redirectUri.href,
    redirect: promise,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

export function isLoopback(address: string): boolean {
  const url = URL.parse(address);
  return url?.protocol === 'http:' && ['127.0.0.1', 'localhost'].includes(url.hostname);
}

type Expected = { pathname: string; state: string; resolve: (redirect: Redirect) => void };

function answer(request: IncomingMessage, response: ServerResponse, expected: Expected): void {
  // Anyone on this machine can ask, with addresses such as `//` that are none.
  const url = URL.parse(request.url ?? '/', 'http://localhost');
  if (request.method !== 'GET' || url?.pathname !== expected.pathname) {
    response.writeHead(404).end();
    return;
  }
  // Whoever does not know the state was not sent by us: another page must not be able to hand us its code.
  if (url.searchParams.get('state') !== expected.state) {
    response.writeHead(400).end();
    return;
  }
  const code = url.searchParams.get('code');
  const page = code === null ? REFUSED : DONE;
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', connection: 'close' });
  // Only when the page is on its way may the process go on, and perhaps end.
  response.end(page, () =>
    expected.resolve(code === null ? { error: url.searchParams.get('error') ?? 'no code' } : read(code, url)),
  );
}

function read(code: string, { searchParams }: URL): Redirect {
  const issuer = searchParams.get('iss');
  return { code, ...(issuer !== null && { issuer }) };
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
}
