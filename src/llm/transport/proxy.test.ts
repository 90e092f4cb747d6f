import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import { ModelError } from '../../base/index.ts';
import type { ModelRequest } from '../../contracts/index.ts';
import { HELLO, sendJson, startLoopback } from '../loopback.test-helper.ts';
import { createModelClient } from '../model-client.ts';
import { TEST_AUTHORITY } from './certificates.test-helper.ts';
import { createHttpTransport } from './http-transport.ts';
import type { HttpRequest, NetworkVariables } from './http-types.ts';
import { proxyFor } from './network-settings.ts';
import { startProxy, startTlsServer } from './proxy.test-helper.ts';
import { readText } from '../read-text.ts';

const closers: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

function closing<Server extends { close(): unknown }>(server: Server): Server {
  closers.push(() => server.close());
  return server;
}

function requestTo(url: string, extra: Partial<HttpRequest> = {}): HttpRequest {
  const signal = new AbortController().signal;
  return {
    method: 'POST',
    url,
    headers: {},
    body: '{}',
    authHeader: 'bearer',
    stallTimeoutMs: 20_000,
    signal,
    ...extra,
  };
}

async function send(variables: NetworkVariables, url: string, extra: Partial<HttpRequest> = {}) {
  const transport = closing(createHttpTransport(variables));
  const response = await transport.send(requestTo(url, extra));
  const { text } = await readText(response, 10_000);
  await response.release(true);
  return { status: response.status, text };
}

async function errorOf(promise: Promise<unknown>): Promise<ModelError> {
  const thrown = await promise.then(
    () => new Error('it went well'),
    (error: unknown) => error,
  );
  if (!(thrown instanceof ModelError)) throw thrown;
  return thrown;
}

/** A directory with the certificate of the test authority. */
async function authorityFile(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'hermes-ca-'));
  closers.push(() => rm(folder, { recursive: true }));
  const file = join(folder, 'ca.pem');
  await writeFile(file, TEST_AUTHORITY);
  return file;
}

/** An https provider behind a proxy, and the variables for it. */
async function openThroughProxy(proxyOptions: Parameters<typeof startProxy>[0] = {}, login = '') {
  const seen: (string | undefined)[] = [];
  const server = closing(
    await startTlsServer((request, response) => {
      seen.push(request.headers.authorization);
      request.resume().once('end', () => sendJson(response, 200, { from: 'the provider' }));
    }),
  );
  const proxy = closing(await startProxy({ tunnelTo: server.port, ...proxyOptions }));
  const variables = { HTTPS_PROXY: `http://${login}${proxy.host}`, SSL_CERT_FILE: await authorityFile() };
  return { proxy, seen, variables };
}

describe('a proxy', () => {
  verifies('CALL-13', 'is used with its login, and sees neither the key nor the body', async () => {
    const { proxy, seen, variables } = await openThroughProxy({ login: 'me@work:p:w' }, 'me%40work:p%3Aw@');
    const credential = { secret: 'top-secret', hosts: ['api.hermes.test'] };
    const answer = await send(variables, 'https://api.hermes.test/v1', { credential });
    expect(answer).toEqual({ status: 200, text: '{"from":"the provider"}' });
    expect(seen).toEqual(['Bearer top-secret']);
    expect(proxy.seen.map(({ method, target }) => `${method} ${target}`)).toEqual(['CONNECT api.hermes.test:443']);
    expect(JSON.stringify(proxy.seen)).not.toContain('top-secret');
    expect(Buffer.concat(proxy.tunnelled).toString('latin1')).not.toContain('top-secret');
  });

  it('gets a password with an unencoded percent sign unchanged', async () => {
    const { variables } = await openThroughProxy({ login: 'me:50%off' }, 'me:50%off@');
    expect(await send(variables, 'https://api.hermes.test/v1')).toMatchObject({ status: 200 });
  });

  verifies('CALL-13', 'that requires a login is reported with what to set and without the current value', async () => {
    const { variables } = await openThroughProxy({ login: 'me:right' });
    const missing = await errorOf(send(variables, 'https://api.hermes.test/v1'));
    expect(missing.message).toMatch(/^The proxy 127\.0\.0\.1:\d+ requires a login \(HTTP 407\)\.$/);
    expect(missing.hint).toContain('HTTPS_PROXY');
    expect(missing.hint).toContain('user:password@');
    expect(missing.failure).toMatchObject({ kind: 'connection', retryable: false, rotateCredential: false });

    const wrong = { ...variables, HTTPS_PROXY: variables.HTTPS_PROXY.replace('//', '//me:wrong-word@') };
    const refused = await errorOf(send(wrong, 'https://api.hermes.test/v1'));
    expect(refused.message).toContain('rejected the login');
    expect(`${refused.message} ${refused.hint}`).not.toContain('wrong-word');
  });

  verifies('CALL-13', 'forwards plain http requests too, but never one with a key', async () => {
    const proxy = closing(await startProxy({ login: 'me:right' }));
    const variables = { http_proxy: `http://me:right@${proxy.host}` };
    expect(await send(variables, 'http://plain.hermes.test/v1')).toEqual({ status: 200, text: '{"from":"the proxy"}' });
    expect(proxy.seen[0]?.target).toBe('http://plain.hermes.test/v1');
    const without = await errorOf(send({ HTTP_PROXY: proxy.host }, 'http://plain.hermes.test/v1'));
    expect(without.message).toContain('requires a login');

    const credential = { secret: 'top-secret', hosts: ['plain.hermes.test'] };
    const refused = await errorOf(send(variables, 'http://plain.hermes.test/v1', { credential }));
    expect(refused.message).toContain('unencrypted');
    expect(refused.hint).toContain('NO_PROXY');
    expect(JSON.stringify(proxy.seen)).not.toContain('top-secret');
    expect(proxy.seen).toHaveLength(2);
  });

  verifies('CALL-13', 'that refuses, is unreachable or has an invalid URL is named, with advice', async () => {
    const { proxy, variables } = await openThroughProxy({ refuse: 403 });
    const refused = await errorOf(send(variables, 'https://api.hermes.test/v1'));
    expect(refused.message).toBe(`The proxy ${proxy.host} did not open a connection to api.hermes.test (HTTP 403).`);
    expect(refused.hint).toContain('add it to NO_PROXY');
    expect(refused.failure.retryable).toBe(false);

    const busy = await openThroughProxy({ refuse: 503 });
    expect((await errorOf(send(busy.variables, 'https://api.hermes.test/v1'))).failure.retryable).toBe(true);

    await proxy.close();
    const away = await errorOf(send({ ALL_PROXY: `http://me:pass-word@${proxy.host}` }, 'https://api.hermes.test/'));
    expect(away.message).toContain(`api.hermes.test through the proxy ${proxy.host} failed`);
    expect(away.hint).toContain('ALL_PROXY');
    expect(`${away.message} ${away.hint}`).not.toContain('pass-word');

    const socks = await errorOf(send({ https_proxy: 'socks5://me:pass-word@host:1' }, 'https://api.hermes.test/'));
    expect(socks.message).toBe('https_proxy is the URL of a socks5 proxy, which is not supported.');
    expect(socks.failure.retryable).toBe(false);
  });

  verifies('CALL-13', 'with an untrusted certificate is reported with the variable to set', async () => {
    const { variables } = await openThroughProxy();
    const error = await errorOf(send({ HTTPS_PROXY: variables.HTTPS_PROXY }, 'https://api.hermes.test/'));
    expect(error.failure).toMatchObject({ kind: 'connection', retryable: false });
    expect(error.hint).toContain('SSL_CERT_FILE');
  });

  it('reuses its tunnel for the next request', async () => {
    const { proxy, variables } = await openThroughProxy();
    const transport = closing(createHttpTransport(variables));
    for (let count = 0; count < 3; count += 1) {
      const response = await transport.send(requestTo('https://api.hermes.test/v1'));
      await readText(response, 1000);
      await response.release(true);
    }
    expect(proxy.seen).toHaveLength(1);
  });

  verifies('CALL-13', 'that never responds is a stall, and an abort ends the request immediately', async () => {
    const connected = Promise.withResolvers<void>();
    const sockets: Socket[] = [];
    const silent = createServer((socket) => {
      sockets.push(socket.on('error', () => {}));
      connected.resolve();
    });
    silent.listen(0, '127.0.0.1');
    await once(silent, 'listening');
    closers.push(() => {
      for (const socket of sockets) socket.destroy();
      silent.close();
    });
    const variables = { HTTPS_PROXY: `http://127.0.0.1:${(silent.address() as AddressInfo).port}` };
    const stalled = await errorOf(send(variables, 'https://api.hermes.test/', { stallTimeoutMs: 40 }));
    expect(stalled.failure).toMatchObject({ kind: 'stream_stall', retryable: true });
    const controller = new AbortController();
    const reason = new Error('stop');
    const sent = send(variables, 'https://api.hermes.test/', { signal: controller.signal });
    await connected.promise;
    controller.abort(reason);
    await expect(sent).rejects.toBe(reason);
  });

  it('reports the reason of an abort, not a proxy failure', async () => {
    const { variables } = await openThroughProxy();
    const reason = new Error('stop');
    const signal = AbortSignal.abort(reason);
    await expect(send(variables, 'https://api.hermes.test/', { signal })).rejects.toBe(reason);
  });
});

describe('choosing a proxy', () => {
  const found = (url: string, variables: NetworkVariables) => proxyFor(new URL(url), variables)?.host;
  const P = { HTTPS_PROXY: 'http://p:1' };

  verifies('CALL-13', 'depends on the scheme, in both spellings, lower case first', () => {
    expect(found('https://a.example/', P)).toBe('p:1');
    expect(found('http://a.example/', P)).toBeUndefined();
    expect(found('http://a.example/', { HTTP_PROXY: 'p:2' })).toBe('p:2');
    expect(found('https://a.example/', { all_proxy: 'http://p:3' })).toBe('p:3');
    expect(found('https://a.example/', { ...P, https_proxy: 'http://small:1', ALL_PROXY: 'http://all:1' })).toBe(
      'small:1',
    );
    expect(found('https://a.example/', { HTTPS_PROXY: '  ', ALL_PROXY: '' })).toBeUndefined();
  });

  verifies('CALL-13', 'skips loopback addresses unless configured otherwise', () => {
    const all = { ALL_PROXY: 'http://p:1' };
    for (const host of ['localhost', 'x.localhost', '127.0.0.1:11434', '127.9.9.9', '[::1]:80', '[::ffff:127.0.0.1]']) {
      expect(found(`http://${host}/`, all), host).toBeUndefined();
      expect(found(`http://${host}/`, { ...all, NO_PROXY: '<-loopback>' }), host).toBe('p:1');
    }
    expect(found('http://192.168.1.2/', all)).toBe('p:1');
  });

  it.each([
    ['example.com', 'https://example.com/', true],
    ['example.com', 'https://api.example.com/', true],
    ['.example.com', 'https://api.example.com/', true],
    ['*.example.com', 'https://api.example.com/', true],
    ['EXAMPLE.com', 'https://api.Example.COM./', true],
    ['example.com', 'https://notexample.com/', false],
    ['example.com:8443', 'https://example.com:8443/', true],
    ['example.com:8443', 'https://example.com/', false],
    ['example.com:443', 'https://example.com/', true],
    ['a.example, example.com  b.example', 'https://b.example/', true],
    ['*', 'https://anything.example/', true],
    ['10.0.0.0/8', 'https://10.1.2.3/', true],
    ['10.0.0.0/8', 'https://11.1.2.3/', false],
    ['fd00::/8', 'https://[fd12::1]/', true],
    ['fd00::1', 'https://[fd00::1]/', true],
    ['[fd00::1]:8443', 'https://[fd00::1]:8443/', true],
    ['10.0.0.0/99', 'https://10.1.2.3/', false],
    ['', 'https://example.com/', false],
  ])('NO_PROXY=%s bypasses the proxy for %s: %s', (list, url, passes) => {
    for (const name of ['NO_PROXY', 'no_proxy'])
      expect(found(url, { ...P, [name]: list })).toBe(passes ? undefined : 'p:1');
  });
});

describe('certificates', () => {
  const REQUEST: ModelRequest = { system: '', messages: [], tools: [], toolChoice: 'auto', stream: true };
  const ask = (port: number, variables: NetworkVariables) => {
    const options = { apiMode: 'chat_completions', model: 'm', stallTimeoutMs: 20_000, variables } as const;
    const client = createModelClient({ ...options, baseUrl: `https://localhost:${port}/v1` });
    return client.stream(REQUEST, { signal: new AbortController().signal, onEvent: () => {} });
  };
  const provider = async () =>
    closing(
      await startTlsServer((request, response) => {
        request.resume().once('end', () => {
          response.writeHead(200, { 'content-type': 'text/event-stream' });
          response.end(HELLO);
        });
      }),
    );

  verifies('CALL-13', 'are rejected if untrusted, with the variable to set', async () => {
    const { port } = await provider();
    const error = await errorOf(ask(port, {}));
    expect(error.failure).toMatchObject({ kind: 'connection', retryable: false });
    expect(error.message).toContain(`localhost:${port}`);
    expect(error.message).not.toContain('--use-system-ca');
    expect(error.hint).toContain('SSL_CERT_FILE');
  });

  for (const name of ['SSL_CERT_FILE', 'REQUESTS_CA_BUNDLE', 'CURL_CA_BUNDLE', 'NODE_EXTRA_CA_CERTS']) {
    verifies('CALL-13', `of an authority in ${name} are trusted as well`, async () => {
      const { port } = await provider();
      expect((await ask(port, { [name]: await authorityFile() })).text).toBe('hello');
    });
  }

  verifies('CALL-13', 'are reported if the file is missing or contains none', async () => {
    const { port } = await provider();
    const missing = await errorOf(ask(port, { SSL_CERT_FILE: '/nowhere/ca.pem' }));
    expect(missing.message).toContain('SSL_CERT_FILE: could not read /nowhere/ca.pem');
    expect(missing.failure.retryable).toBe(false);
    const empty = await authorityFile();
    await writeFile(empty, 'nothing');
    expect((await errorOf(ask(port, { SSL_CERT_FILE: empty }))).message).toContain('no certificate');
  });

  it('are not loaded for a local server without TLS', async () => {
    const server = await startLoopback((response) => sendJson(response, 200, {}));
    closers.push(() => server.close());
    expect((await send({ SSL_CERT_FILE: '/nowhere/ca.pem', HTTPS_PROXY: 'bad://' }, server.url)).status).toBe(200);
  });
});
