import { EventEmitter, once } from 'node:events';
import type * as http from 'node:http';
import { createServer, type Socket } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import { ModelError } from '../../base/index.ts';
import { type Loopback, sendJson, startLoopback } from '../loopback.test-helper.ts';
import { sendRequest } from './send-request.ts';
import { createHttpTransport } from './http-transport.ts';
import type { HttpRequest, HttpResponse } from './http-types.ts';

const transport = createHttpTransport();
const closers: (() => void | Promise<void>)[] = [];

afterEach(async () => {
  transport.close();
  for (const close of closers.splice(0)) await close();
});

async function loopback(...handlers: Parameters<typeof startLoopback>): Promise<Loopback> {
  const started = await startLoopback(...handlers);
  closers.push(started.close);
  return started;
}

function requestTo(url: string, extra: Partial<HttpRequest> = {}): HttpRequest {
  const signal = new AbortController().signal;
  return {
    method: 'POST',
    url: `${url}/x`,
    headers: {},
    body: '{"q":"ü"}',
    authHeader: 'bearer',
    stallTimeoutMs: 20_000,
    signal,
    ...extra,
  };
}

async function textOf(response: HttpResponse): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of response.body) chunks.push(chunk);
  await response.release(true);
  return Buffer.concat(chunks).toString();
}

const failureOf = async (promise: Promise<unknown>) => {
  const error = await promise.then(
    () => new Error('it went well'),
    (thrown: unknown) => thrown,
  );
  return error instanceof ModelError ? error.failure : (error as NodeJS.ErrnoException);
};

describe('sending', () => {
  it('posts the body and returns status, headers and bytes', async () => {
    const server = await loopback((response) => sendJson(response, 201, { ok: true }, { 'x-test': '1' }));
    const response = await transport.send(requestTo(server.url, { headers: { 'x-mine': 'yes' } }));
    expect(response.status).toBe(201);
    expect(response.headers['x-test']).toBe('1');
    expect(await textOf(response)).toBe('{"ok":true}');
    expect(server.seen[0]?.body).toBe('{"q":"ü"}');
    expect(server.seen[0]?.request.method).toBe('POST');
    expect(server.seen[0]?.request.headers).toMatchObject({ 'x-mine': 'yes', 'content-length': '10' });
  });

  it('sends a body in parts as the same bytes, also for text with multi-byte characters', async () => {
    const parts = ['{"q":"', '日本'.repeat(50_000), '😀'.repeat(10_000), 'a'.repeat(10), 'ü"}', ''];
    const server = await loopback((response) => sendJson(response, 200, {}));
    await textOf(await transport.send(requestTo(server.url, { body: parts })));
    expect(server.seen[0]?.body).toBe(parts.join(''));
    const length = String(Buffer.byteLength(parts.join('')));
    expect(server.seen[0]?.request.headers['content-length']).toBe(length);
  });

  it('reuses the connection for the next request', async () => {
    const server = await loopback((response) => sendJson(response, 200, {}));
    for (let count = 0; count < 3; count += 1) await textOf(await transport.send(requestTo(server.url)));
    expect(server.sockets).toHaveLength(1);
  });

  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ] as const)('decompresses %s even though it was not requested', async (encoding, compress) => {
    const server = await loopback((response) => {
      response.writeHead(200, { 'content-encoding': encoding });
      response.end(compress('data: 数据\n\n'));
    });
    expect(await textOf(await transport.send(requestTo(server.url)))).toBe('data: 数据\n\n');
  });

  it('reports an unknown content encoding', async () => {
    const server = await loopback((response) => response.writeHead(200, { 'content-encoding': 'snappy' }).end('x'));
    const response = await transport.send(requestTo(server.url));
    expect(await failureOf(textOf(response))).toMatchObject({ kind: 'invalid_response' });
    await response.release(false);
  });
});

describe('abort', () => {
  verifies('CALL-2', 'an abort during a response closes the socket immediately', async () => {
    const server = await loopback((response) => response.writeHead(200).write('first'));
    const controller = new AbortController();
    const reason = new Error('the user pressed stop');
    const response = await transport.send(requestTo(server.url, { signal: controller.signal }));
    const iterator = response.body[Symbol.asyncIterator]();
    expect(Buffer.from((await iterator.next()).value as Uint8Array).toString()).toBe('first');
    const closed = once(server.sockets[0] as NodeJS.EventEmitter, 'close');
    const next = iterator.next();
    controller.abort(reason);
    await expect(next).rejects.toBe(reason);
    await closed;
  });

  it('an abort before the headers closes the socket too', async () => {
    const controller = new AbortController();
    const reason = new Error('stop');
    const arrived = Promise.withResolvers<void>();
    const server = await loopback(() => arrived.resolve());
    const posted = transport.send(requestTo(server.url, { signal: controller.signal }));
    await arrived.promise;
    const closed = once(server.sockets[0] as NodeJS.EventEmitter, 'close');
    controller.abort(reason);
    await expect(posted).rejects.toBe(reason);
    await closed;
  });

  it('an abort before the request sends nothing', async () => {
    const server = await loopback((response) => sendJson(response, 200, {}));
    const reason = new Error('too late');
    await expect(transport.send(requestTo(server.url, { signal: AbortSignal.abort(reason) }))).rejects.toBe(reason);
    expect(server.sockets).toHaveLength(0);
  });
});

describe('a stalled connection', () => {
  verifies('CALL-2', 'a provider that never responds is a stall, and its socket is closed', async () => {
    const arrived = Promise.withResolvers<void>();
    const server = await loopback(() => arrived.resolve());
    const posted = failureOf(transport.send(requestTo(server.url, { stallTimeoutMs: 40 })));
    expect(await posted).toMatchObject({ kind: 'stream_stall', retryable: true });
  });

  verifies('CALL-2', 'a stream without further data is a stall', async () => {
    const server = await loopback((response) => response.writeHead(200).write('first'));
    const response = await transport.send(requestTo(server.url, { stallTimeoutMs: 60 }));
    expect(await failureOf(textOf(response))).toMatchObject({ kind: 'stream_stall' });
    if (!server.sockets[0]?.destroyed) await once(server.sockets[0] as NodeJS.EventEmitter, 'close');
  });
});

describe('the end of a response', () => {
  verifies('CALL-2', 'is awaited for a shorter time once nothing more is needed', async () => {
    const server = await loopback((response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write('again '), 5);
      response.once('close', () => clearInterval(timer));
    });
    const response = await transport.send(requestTo(server.url));
    response.endWithin(30);
    expect(await failureOf(textOf(response))).toMatchObject({ kind: 'stream_stall' });
  });
});

describe('broken connections', () => {
  it("returns the system's error if nothing is listening", async () => {
    const server = await loopback(() => {});
    await server.close();
    expect(await failureOf(transport.send(requestTo(server.url)))).toMatchObject({ code: 'ECONNREFUSED' });
  });

  it('returns an error if the connection is reset during a response', async () => {
    const server = await loopback((response) => {
      response.writeHead(200).write('half', () => response.socket?.resetAndDestroy());
    });
    const response = await transport.send(requestTo(server.url));
    expect(await failureOf(textOf(response))).toMatchObject({ code: 'ECONNRESET' });
  });

  it('does not retry if a new connection breaks', async () => {
    const server = await loopback((response) => response.socket?.resetAndDestroy());
    expect(await failureOf(transport.send(requestTo(server.url)))).toMatchObject({ code: 'ECONNRESET' });
    expect(server.seen).toHaveLength(1);
  });

  verifies('CALL-2', 'transparently replaces a dead reused connection', async () => {
    const server = await loopback(
      (response) => sendJson(response, 200, { number: 1 }),
      (response) => response.socket?.resetAndDestroy(),
      (response) => sendJson(response, 200, { number: 2 }),
    );
    expect(await textOf(await transport.send(requestTo(server.url)))).toBe('{"number":1}');
    expect(await textOf(await transport.send(requestTo(server.url)))).toBe('{"number":2}');
    expect(server.sockets).toHaveLength(2);
  });

  it('retries only once, and not after a byte of the response arrived', async () => {
    const server = await loopback(
      (response) => sendJson(response, 200, {}),
      (response) => response.socket?.resetAndDestroy(),
    );
    await textOf(await transport.send(requestTo(server.url)));
    expect(await failureOf(transport.send(requestTo(server.url)))).toMatchObject({ code: 'ECONNRESET' });
    expect(server.seen).toHaveLength(3);

    const partial = await loopback(
      (response) => sendJson(response, 200, {}),
      (response) => response.socket?.write('HTTP/1.1 200 O', () => response.socket?.resetAndDestroy()),
    );
    await textOf(await transport.send(requestTo(partial.url)));
    expect(await failureOf(transport.send(requestTo(partial.url)))).toMatchObject({ code: 'ECONNRESET' });
    expect(partial.seen).toHaveLength(2);
  });

  it('does not hang if the server switches protocols', async () => {
    const server = createServer((socket) => {
      socket.once('data', () => {
        socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    closers.push(() => void server.close());
    const { port } = server.address() as { port: number };
    const connected = once(server, 'connection') as Promise<[NodeJS.EventEmitter]>;
    const failure = await failureOf(transport.send(requestTo(`http://127.0.0.1:${port}`)));
    expect(failure).toMatchObject({ kind: 'invalid_response', message: expect.stringContaining('101') });
    const [socket] = await connected;
    if (!(socket as Socket).destroyed) await once(socket, 'close');
  });

  it('returns an error if a request is closed without a response', async () => {
    const silent = Object.assign(new EventEmitter(), { end: () => {}, destroy: () => {}, reusedSocket: false });
    const request = (() => silent) as unknown as typeof http.request;
    const connector = { request, agent: {} as http.Agent };
    const result = sendRequest(connector, requestTo('http://127.0.0.1:1'), {});
    silent.emit('close');
    expect(await result).toMatchObject({ error: { code: 'ECONNRESET' }, deadConnection: false });
  });

  it('reports a server that does not speak HTTP', async () => {
    const server = createServer((socket) => void socket.end('SSH-2.0-OpenSSH\r\n\r\n'));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    closers.push(() => void server.close());
    const { port } = server.address() as { port: number };
    const failure = await failureOf(transport.send(requestTo(`http://127.0.0.1:${port}`)));
    expect(failure.code).toMatch(/^HPE_|ECONNRESET|EPIPE/);
  });

  it('does not reuse a connection whose response never ends', async () => {
    const server = await loopback((response) => response.writeHead(200).write('done'));
    const response = await transport.send(requestTo(server.url));
    await response.body[Symbol.asyncIterator]().next();
    const closed = once(server.sockets[0] as NodeJS.EventEmitter, 'close');
    await response.release(true);
    await expect(closed).resolves.toBeDefined();
  });
});

describe('the credential', () => {
  const credential = (hosts: string[]) => ({ secret: 'top-secret', hosts });

  it('is sent to its own hosts, in the header that the provider expects', async () => {
    const server = await loopback((response) => sendJson(response, 200, {}));
    const own = credential(['api.example.com', server.host.toUpperCase()]);
    await textOf(await transport.send(requestTo(server.url, { credential: own })));
    await textOf(await transport.send(requestTo(server.url, { credential: own, authHeader: 'x-api-key' })));
    expect(server.seen[0]?.request.headers.authorization).toBe('Bearer top-secret');
    expect(server.seen[1]?.request.headers['x-api-key']).toBe('top-secret');
    expect(server.seen[1]?.request.headers.authorization).toBeUndefined();
  });

  it('is never sent to a foreign host: no request is made', async () => {
    const server = await loopback((response) => sendJson(response, 200, {}));
    for (const hosts of [['api.example.com'], ['127.0.0.1'], ['127.0.0.1:1'], []]) {
      const failure = await failureOf(transport.send(requestTo(server.url, { credential: credential(hosts) })));
      expect(failure).toMatchObject({ kind: 'auth', retryable: false });
      expect(failure.message).toContain(server.host);
      expect(failure.message).not.toContain('top-secret');
    }
    expect(server.sockets).toHaveLength(0);
  });

  it('is rejected before sending if it contains a line break', async () => {
    const server = await loopback((response) => sendJson(response, 200, {}));
    const broken = { secret: 'key\nx-evil: 1', hosts: [server.host] };
    const failure = await failureOf(transport.send(requestTo(server.url, { credential: broken })));
    expect(failure).toMatchObject({ kind: 'auth' });
    expect(failure.message).not.toContain('evil');
  });

  verifies('PROV-4', 'has additional headers that are checked like the secret', async () => {
    const server = await loopback((response) => sendJson(response, 200, {}));
    const own = { secret: 'key', hosts: [server.host], headers: { 'x-account': 'me\nx-evil: 1' } };
    const failure = await failureOf(transport.send(requestTo(server.url, { credential: own })));
    expect(failure).toMatchObject({ kind: 'auth' });
    expect(failure.message).not.toContain('evil');
    expect(server.sockets).toHaveLength(0);
  });

  it('is not sent to a URL with a login', async () => {
    const server = await loopback((response) => sendJson(response, 200, {}));
    const url = server.url.replace('//', '//me:word@');
    const failure = await failureOf(transport.send(requestTo(url)));
    expect(failure).toMatchObject({ kind: 'auth' });
    expect(failure.message).not.toContain('word@');
    expect(server.sockets).toHaveLength(0);
  });

  verifies('PROV-4', 'has additional headers that are sent only to its hosts', async () => {
    const server = await loopback((response) => sendJson(response, 200, {}));
    const login = {
      secret: 'token',
      scheme: 'bearer',
      headers: { 'anthropic-beta': 'login', 'x-account': 'me' },
    } as const;
    const headers = { 'anthropic-beta': 'own' };
    const send = (hosts: string[]) =>
      transport.send(requestTo(server.url, { headers, authHeader: 'x-api-key', credential: { ...login, hosts } }));
    await textOf(await send([server.host]));
    await failureOf(send(['elsewhere.example']));
    expect(server.seen.map(({ request }) => request.headers)).toEqual([
      expect.objectContaining({ authorization: 'Bearer token', 'anthropic-beta': 'own,login', 'x-account': 'me' }),
    ]);
  });

  it('does not follow a redirect', async () => {
    const foreign = await loopback((response) => sendJson(response, 200, {}));
    const server = await loopback((response) => response.writeHead(307, { location: `${foreign.url}/y` }).end());
    const response = await transport.send(requestTo(server.url, { credential: credential([server.host]) }));
    expect(response.status).toBe(307);
    await textOf(response);
    expect(foreign.sockets).toHaveLength(0);
  });
});
