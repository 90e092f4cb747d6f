import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The result of the redirect; `issuer` identifies the authorization server, if it was sent. */
export type Redirect = { code: string; issuer?: string } | { error: string };

/** A local server that waits for the OAuth redirect of the browser. */
export interface RedirectReceiver {
  /** The redirect URI with the actual port. */
  readonly redirectUri: string;
  readonly redirect: Promise<Redirect>;
  close(): void;
}

const PAGE = '<!doctype html><meta charset="utf-8"><title>Hermes</title><p>';
const DONE = `${PAGE}You are signed in to Hermes. You can close this window.`;
const REFUSED = `${PAGE}The login was rejected. You can close this window.`;

/** Listens on the port of the address, or on a free port if it has none. */
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
  // Any local program can send requests, including ones with invalid URLs such as `//`.
  const url = URL.parse(request.url ?? '/', 'http://localhost');
  if (request.method !== 'GET' || url?.pathname !== expected.pathname) {
    response.writeHead(404).end();
    return;
  }
  // Rejects requests without our state, so that another page cannot inject its own code.
  if (url.searchParams.get('state') !== expected.state) {
    response.writeHead(400).end();
    return;
  }
  const code = url.searchParams.get('code');
  const page = code === null ? REFUSED : DONE;
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', connection: 'close' });
  // Resolves only after the page was sent, because the process may exit then.
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
