import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { TEST_CERTIFICATE, TEST_CERTIFICATE_KEY } from './certificates.test-helper.ts';

export type SeenByProxy = { method: string; target: string; headers: IncomingHttpHeaders };

export type TestProxy = {
  /** `127.0.0.1:PORT` */
  host: string;
  /** Everything that the proxy itself could read, in order. */
  seen: SeenByProxy[];
  /** All bytes that were sent to servers through its tunnels. */
  tunnelled: Buffer[];
  close(): Promise<void>;
};

export type TestProxyOptions = {
  /** The required login, as `user:password`. */
  login?: string;
  /** The status for every CONNECT request. */
  refuse?: number;
  /** The loopback port that all tunnels connect to, whatever host was requested. */
  tunnelTo?: number;
};

/** A forward proxy on loopback with tunnels, plain requests and an optional login. */
export async function startProxy(options: TestProxyOptions = {}): Promise<TestProxy> {
  const seen: SeenByProxy[] = [];
  const tunnelled: Buffer[] = [];
  const sockets = new Set<Socket>();
  const mayPass = (headers: IncomingHttpHeaders) =>
    options.login === undefined ||
    headers['proxy-authorization'] === `Basic ${Buffer.from(options.login).toString('base64')}`;
  const server = createServer((request, response) => {
    seen.push({ method: request.method ?? '', target: request.url ?? '', headers: request.headers });
    response.writeHead(mayPass(request.headers) ? 200 : 407).end('{"from":"the proxy"}');
  });
  server.on('connection', (socket) => sockets.add(socket));
  server.on('connect', (request, socket: Socket) => {
    seen.push({ method: 'CONNECT', target: request.url ?? '', headers: request.headers });
    const status = options.refuse ?? (mayPass(request.headers) ? 200 : 407);
    socket.on('error', () => {});
    if (status !== 200) return void socket.end(`HTTP/1.1 ${status} No\r\n\r\n`);
    const upstream = connect(options.tunnelTo ?? 0, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      socket.pipe(upstream).pipe(socket);
    });
    sockets.add(upstream);
    socket.on('data', (bytes: Buffer) => tunnelled.push(bytes));
    upstream.on('error', () => socket.destroy());
    return undefined;
  });
  const port = await listenOnLoopback(server);
  const close = async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  };
  return { host: `127.0.0.1:${port}`, seen, tunnelled, close };
}

/** An https server on loopback with a certificate of our test authority. */
export async function startTlsServer(listener: RequestListener) {
  const server = createTlsServer({ key: TEST_CERTIFICATE_KEY, cert: TEST_CERTIFICATE }, listener);
  const port = await listenOnLoopback(server);
  const close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { port, close };
}

async function listenOnLoopback(server: ReturnType<typeof createServer>): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}
