import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { request as sendRequest } from 'node:http';
import fc from 'fast-check';
import { expect, it, onTestFinished } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import { ConfigurationError } from '../base/index.ts';
import { silentLogger } from '../contracts/index.ts';
import { createFakeClock } from '../testing/index.ts';
import type { Route } from './handle-request.ts';
import { createKeyAuthenticator, type HttpServerOptions, startHttpServer } from './index.ts';

const SECRET = 'a-secret-of-at-least-thirty-two-bytes';
const KEY_OF_BEN = 'key-of-ben';
const SHORT = 'a-secret-that-can-be-guessed';
const keys = createKeyAuthenticator([
  { name: 'ana', secret: SECRET },
  { name: 'cleo', secret: SHORT },
  { name: 'ben', hash: createHash('sha256').update(KEY_OF_BEN).digest('hex') },
]);

const ROUTES: Route[] = [
  { method: 'GET', path: '/health', access: 'public', handle: () => ({ json: { ok: true } }) },
  {
    method: 'POST',
    path: '/echo/:name',
    access: keys,
    maxBodyBytes: 1000,
    handle: async (request) => ({
      json: { name: request.parameters['name'] ?? '', caller: request.caller?.name ?? '', body: await request.json() },
    }),
  },
  {
    method: 'GET',
    path: '/fail',
    access: 'public',
    handle() {
      throw new Error('the secret detail');
    },
  },
];

async function start(options: Partial<HttpServerOptions> = {}) {
  const server = await startHttpServer({ port: 0, routes: ROUTES, logger: silentLogger, ...options });
  onTestFinished(() => server.close(0));
  const url = `http://127.0.0.1:${server.port}`;
  return { server, url, port: server.port };
}

const BEARER = { authorization: `Bearer ${SECRET}`, 'content-type': 'application/json' };
const post = (url: string, body: string, headers: Record<string, string> = BEARER) =>
  fetch(url, { method: 'POST', headers, body });

/** Sends raw bytes and returns everything that comes back until the connection ends. */
function exchange(port: number, bytes: string | Uint8Array, options: { end?: boolean } = {}): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    let text = '';
    socket.on('data', (chunk) => (text += chunk.toString('latin1')));
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(text));
    socket.write(bytes);
    if (options.end ?? true) socket.end();
  });
}

/** The status and the code of an error; fails if it does not have the one shape that errors have. */
async function errorOf(response: Response): Promise<[number, string]> {
  expect(response.headers.get('content-type')).toBe('application/json');
  const body = (await response.json()) as { error: { message: string; type: string; param: null; code: string } };
  expect(Object.keys(body.error)).toEqual(['message', 'type', 'param', 'code']);
  return [response.status, body.error.code];
}

it('serves a route with parameters, a caller and a JSON body', async () => {
  const { url } = await start();
  const response = await post(`${url}/echo/a%20b?x=1`, '{"a":[1]}');
  expect(await response.json()).toEqual({ name: 'a b', caller: 'ana', body: { a: [1] } });
  expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  const ben = await post(`${url}/echo/x`, 'null', { ...BEARER, authorization: 'bearer  key of ben' });
  expect(await errorOf(ben)).toEqual([401, 'invalid_key']);
});

it('refuses with one shape of error, and never shows an internal one', async () => {
  const { url } = await start();
  expect(await errorOf(await fetch(`${url}/nothing`))).toEqual([404, 'not_found']);
  expect(await errorOf(await fetch(`${url}/health`, { method: 'DELETE' }))).toEqual([405, 'wrong_method']);
  expect(await errorOf(await post(`${url}/echo/x`, '{}', {}))).toEqual([401, 'invalid_key']);
  expect(await errorOf(await post(`${url}/echo/x`, '{'))).toEqual([400, 'invalid_json']);
  expect(await errorOf(await post(`${url}/echo/x`, '['.repeat(500)))).toEqual([400, 'invalid_json']);
  expect(await errorOf(await post(`${url}/echo/x`, '{}', { ...BEARER, 'content-type': 'text/plain' }))).toEqual([
    415,
    'not_json',
  ]);
  expect(await errorOf(await post(`${url}/echo/x`, '{}', { ...BEARER, 'content-encoding': 'gzip' }))).toEqual([
    415,
    'unsupported_encoding',
  ]);
  const { error } = (await (await post(`${url}/echo/x`, '['.repeat(500))).json()) as { error: { message: string } };
  expect(error.message).toBe('The body is nested more than 100 levels deep.');
  const unknown = await fetch(`${url}/${'x'.repeat(5000)}?key=secret`);
  const { error: missing } = (await unknown.json()) as { error: { message: string } };
  expect(missing.message).toMatch(/^There is no endpoint GET \/x{100,200}…\. Check the path and the base URL\.$/);
  const failed = await fetch(`${url}/fail`);
  expect(await failed.clone().text()).not.toContain('secret detail');
  expect(await errorOf(failed)).toEqual([500, 'internal_error']);
});

it('refuses bodies over the limit, with and without a length, before it reads them', async () => {
  const { url, port } = await start();
  expect(await errorOf(await post(`${url}/echo/x`, JSON.stringify('x'.repeat(2000))))).toEqual([413, 'body_too_large']);
  const head = `POST /echo/x HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${SECRET}\r\nContent-Type: application/json\r\n`;
  const chunk = `${(600).toString(16)}\r\n${'1'.repeat(600)}\r\n`;
  expect(await exchange(port, `${head}Transfer-Encoding: chunked\r\n\r\n${chunk}${chunk}0\r\n\r\n`)).toContain(' 413 ');
  const waiting = await exchange(port, `${head}Content-Length: 5000\r\nExpect: 100-continue\r\n\r\n`, { end: false });
  expect(waiting).toContain(' 413 ');
  expect(waiting).not.toContain('100 Continue');
});

it('reads a text without an end in linear time', async () => {
  const read: Route = {
    method: 'POST',
    path: '/read',
    access: 'public',
    handle: async ({ json }) => ({ json: await json() }),
  };
  const { url } = await start({ routes: [read] });
  expect(await errorOf(await post(`${url}/read`, `"${'\\"'.repeat(500_000)}`))).toEqual([400, 'invalid_json']);
  expect(await (await post(`${url}/read`, '["[\\"{", {}]')).json()).toEqual(['["{', {}]);
});

verifies('GW-26', 'answers only to its own host names, and only to pages of its own origin', async () => {
  const { port } = await start({ hosts: ['bot.example'], origins: ['https://chat.example'] });
  const ask = async (headers: Record<string, string>, method = 'GET') => {
    const { promise, resolve } = Promise.withResolvers<{ status: number; cors: string | undefined }>();
    const options = { port, host: '127.0.0.1', path: '/health', method, headers, agent: false as const };
    const request = sendRequest(options, (response) => {
      response.resume();
      resolve({ status: response.statusCode ?? 0, cors: response.headers['access-control-allow-origin'] });
    });
    request.end();
    return promise;
  };
  for (const host of ['localhost', `LOCALHOST:${port}`, '127.0.0.1', '[::1]:80', 'bot.example'])
    expect(await ask({ host })).toMatchObject({ status: 200 });
  for (const host of ['evil.example', 'localhost.evil.example', '10.0.0.1', 'bot.example.'])
    expect(await ask({ host })).toMatchObject({ status: 421 });
  expect(await ask({ host: 'a b' })).toMatchObject({ status: 400 });
  const host = `localhost:${port}`;
  expect(await ask({ host, origin: `http://${host}` })).toMatchObject({ status: 200, cors: undefined });
  for (const origin of ['http://evil.example', 'null', 'http://localhost:1', 'https://chat.example.evil'])
    expect(await ask({ host, origin })).toMatchObject({ status: 403 });
  const allowed = { host, origin: 'https://chat.example' };
  expect(await ask(allowed)).toEqual({ status: 200, cors: 'https://chat.example' });
  expect(await ask(allowed, 'OPTIONS')).toEqual({ status: 204, cors: 'https://chat.example' });
});

verifies('GW-26', 'does not start beyond loopback with a route that needs no key', async () => {
  const open: Route = { method: 'GET', path: '/open', access: 'loopback', handle: () => ({ json: 1 }) };
  const { url } = await start({ routes: [open] });
  expect(await (await fetch(`${url}/open`)).json()).toBe(1);
  await expect(start({ host: '0.0.0.0', routes: [open] })).rejects.toThrow(ConfigurationError);
  const { port } = await start({ host: '0.0.0.0' });
  expect((await fetch(`http://127.0.0.1:${port}/health`)).status).toBe(200);
  await expect(start({ port })).rejects.toThrow('Another program uses');
});

it('makes an address without a key wait, and limits each key on a route of its own', async () => {
  const clock = createFakeClock();
  const limited: Route = {
    method: 'GET',
    path: '/limited',
    access: keys,
    rate: { count: 2, perMs: 60_000 },
    handle: () => ({ json: 1 }),
  };
  const { url } = await start({ clock, strangers: { count: 3, perMs: 60_000 }, routes: [limited] });
  const ask = (key: string, from = '192.0.2.1') =>
    fetch(`${url}/limited`, { headers: { authorization: `Bearer ${key}`, 'x-forwarded-for': from } });
  expect((await ask(SHORT)).status).toBe(200);
  expect((await ask(SHORT)).status).toBe(200);
  const third = await ask(SHORT);
  expect([third.status, third.headers.get('retry-after')]).toEqual([429, '30']);
  for (const status of [401, 401, 401, 429]) expect((await ask('wrong')).status).toBe(status);
  // A short key does not help an address that guesses, so that no guess can be recognised.
  clock.advance(31_000);
  expect((await ask(SHORT, '192.0.2.2')).status).toBe(200);
  for (const status of [401, 429]) expect((await ask('wrong')).status).toBe(status);
  expect((await ask(SHORT)).status).toBe(429);
});

verifies('GW-26', 'does not delay a strong key because others send wrong ones from its address', async () => {
  const { url } = await start({ strangers: { count: 2, perMs: 60_000 } });
  const ask = async (key: string) =>
    (
      await fetch(`${url}/echo/x`, {
        method: 'POST',
        body: '{}',
        headers: { ...BEARER, authorization: `Bearer ${key}` },
      })
    ).status;
  for (const status of [401, 401, 429]) expect(await ask('wrong')).toBe(status);
  expect([await ask(SECRET), await ask(KEY_OF_BEN), await ask('wrong')]).toEqual([200, 200, 429]);
  expect(await ask(SHORT)).toBe(429);
});

it('counts the addresses of one IPv6 network as one client', async () => {
  const { url } = await start({ strangers: { count: 1, perMs: 60_000 } });
  const ask = async (from: string) => (await fetch(`${url}/health`, { headers: { 'x-forwarded-for': from } })).status;
  expect(await ask('2001:db8::1')).toBe(200);
  expect(await ask('2001:db8:0:0:ffff::2')).toBe(429);
  expect(await ask('2001:db8:0:1::1')).toBe(200);
});

it('ends requests whose headers or body do not arrive in time', async () => {
  const { port } = await start({ limits: { headersMs: 60, requestMs: 120 } });
  expect(await exchange(port, 'GET /health HTTP/1.1\r\nHost: loc', { end: false })).toContain(' 408 ');
  const slow = `POST /echo/x HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${SECRET}\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n{`;
  expect(await exchange(port, slow, { end: false })).toContain(' 408 ');
});

it('frees the connections of clients that send nothing and never close', async () => {
  const { url, port } = await start({ limits: { headersMs: 60, requestMs: 60, maxConnections: 2 } });
  const idle = [1, 2].map(() => connect({ port, host: '127.0.0.1', allowHalfOpen: true }).on('error', () => undefined));
  await Promise.all(idle.map((socket) => once(socket, 'connect')));
  const ask = async () => (await fetch(`${url}/health`).catch(() => undefined))?.status;
  await expect.poll(ask, { timeout: 10_000 }).toBe(200);
  for (const socket of idle) socket.destroy();
});

it('streams events, and tells the handler when the client is gone', async () => {
  const gone = Promise.withResolvers<void>();
  const events: Route = {
    method: 'GET',
    path: '/events',
    access: 'public',
    handle: ({ signal }) => ({
      events: (async function* () {
        signal.addEventListener('abort', () => gone.resolve());
        yield { id: '1\nevent: forged', event: 'text', data: 'a\nb' };
        await gone.promise;
      })(),
    }),
  };
  const { url } = await start({ routes: [events] });
  const leaving = new AbortController();
  const response = await fetch(`${url}/events`, { signal: leaving.signal });
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  const read = await response.body?.getReader().read();
  expect(new TextDecoder().decode(read?.value)).toBe('id: 1 event: forged\nevent: text\ndata: a\ndata: b\n\n');
  leaving.abort();
  await gone.promise;
});

it('lets running requests end when it closes, and disconnects those that do not', async () => {
  const [begun, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const slow: Route = {
    method: 'GET',
    path: '/slow/:kind',
    access: 'public',
    async handle({ parameters, signal }) {
      begun.resolve();
      if (parameters['kind'] === 'endless') await new Promise((resolve) => signal.addEventListener('abort', resolve));
      else await gate.promise;
      return { json: 'done' };
    },
  };
  const first = await start({ routes: [slow] });
  const answer = fetch(`${first.url}/slow/ends`);
  await begun.promise;
  const closing = first.server.close(10_000);
  gate.resolve();
  expect(await (await answer).json()).toBe('done');
  await closing;
  await expect(fetch(`${first.url}/slow/ends`)).rejects.toThrow();
  const second = await start({ routes: [slow] });
  const cut = fetch(`${second.url}/slow/endless`).catch(() => 'cut');
  await second.server.close(50);
  expect(await cut).toBe('cut');
});

const REQUEST = `POST /echo/x HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${SECRET}\r\nContent-Type: application/json\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}`;

it('answers anything that is not a valid request with an error, and serves the next one', async () => {
  const { port, url } = await start({ strangers: { count: 1e6, perMs: 1 } });
  const noise = fc.uint8Array({ minLength: 1, maxLength: 300 });
  /** A valid request with a piece replaced: everything up to it has been parsed already. */
  const damaged = fc
    .tuple(
      fc.nat(REQUEST.length - 1),
      fc.nat(20),
      fc.oneof(fc.string(), fc.constantFrom('\r\n', '\r\n\r\n', '\0', ':')),
    )
    .map(([at, length, piece]) => Buffer.from(REQUEST.slice(0, at) + piece + REQUEST.slice(at + length)));
  const bytes = fc.oneof({ weight: 1, arbitrary: noise }, { weight: 3, arbitrary: damaged });
  await fc.assert(
    fc.asyncProperty(bytes, async (sent) => {
      const answer = await exchange(port, sent);
      for (const [, status] of answer.matchAll(/^HTTP\/1\.1 (\d{3})/gm))
        expect(['200', '400', '401', '404', '405', '408', '413', '415', '417', '421', '403', '431']).toContain(status);
    }),
    { numRuns: 300 },
  );
  expect((await fetch(`${url}/health`)).status).toBe(200);
});

it.each([
  ['two Host headers', 'GET /health HTTP/1.1\r\nHost: localhost\r\nHost: evil\r\n\r\n', 400],
  ['no Host header', 'GET /health HTTP/1.1\r\n\r\n', 400],
  ['a proxy request', 'GET http://localhost/health HTTP/1.1\r\nHost: localhost\r\n\r\n', 400],
  ['two lengths', 'POST /health HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab', 400],
  [
    'a length and chunks',
    'POST /health HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    400,
  ],
  ['large headers', `GET /health HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
  ['a folded header', 'GET /health HTTP/1.1\r\nHost: localhost\r\nX: a\r\n b\r\n\r\n', 400],
  ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
])('refuses %s', async (_, bytes, status) => {
  const { port } = await start();
  expect(await exchange(port, bytes)).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
});
