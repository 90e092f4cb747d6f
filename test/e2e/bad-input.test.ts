import { createServer as createTlsServer } from 'node:https';
import { createServer } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import { expect, it } from 'vitest';
import {
  TEST_AUTHORITY,
  TEST_CERTIFICATE,
  TEST_CERTIFICATE_KEY,
} from '../../src/llm/transport/certificates.test-helper.ts';
import { createProviderServer } from '../../src/testing/index.ts';
import { useCliFixture } from '../support/cli-fixture.ts';
import { fastClock, runHermes } from '../support/run-hermes.ts';

// Common provider mistakes, run through the real command: the message and the hint.

const cli = useCliFixture();
const hermes = (args: string[], env: Record<string, string> = {}) =>
  runHermes(args, { home: cli.home, env, clock: fastClock });
const SECRET = 'sk-a-secret-of-some-length-WXYZ';
const configure = (baseUrl: string, key = SECRET) =>
  cli.home.write(
    'config.yaml',
    `model:\n  provider: custom\n  default: test-model\n  base_url: ${JSON.stringify(baseUrl)}\n  api_key: ${JSON.stringify(key)}\n`,
  );
async function ask(env: Record<string, string> = {}) {
  const result = await hermes(['-z', 'hi'], env);
  expect(result.stdout + result.stderr).not.toMatch(/sk-a-secret|hunter2/);
  return result;
}
async function listen(server: Server) {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { port, [Symbol.asyncDispose]: () => new Promise<void>((resolve) => void server.close(() => resolve())) };
}

it('a key with a line break, and invalid base URLs', async () => {
  await configure(`${cli.server.url}/v1`, `${SECRET}\n`);
  expect(await ask()).toMatchObject({
    exitCode: 2,
    stderr: expect.stringMatching(/contains a line break\.\n +Copy the key again/),
  });
  await configure(cli.server.url.replace('http://', ''));
  expect(await ask()).toMatchObject({
    exitCode: 2,
    stderr: expect.stringMatching(/that includes its scheme: http:\/\/127/),
  });
  await configure(cli.server.url.replace('//', '//me:hunter2@'));
  expect(await ask()).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('without a user name or password'),
  });
  await configure(`${cli.server.url}/v1/chat/completions`);
  const taken = await ask();
  expect(taken).toMatchObject({ exitCode: 0, stdout: 'ok\n', stderr: expect.stringContaining('which was ignored') });
});

it('a model that does not exist, and a server without models', async () => {
  await configure(`${cli.server.url}/v1`);
  const missing = { type: 'status', status: 404, code: 'model_not_found', message: 'There is no such model' } as const;
  cli.server.setScript(() => ({ fault: missing }));
  const { exitCode, stderr } = await hermes(['--model', 'tset-model', '-z', 'hi']);
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining('Similar models: test-model')]);
  await using empty = await createProviderServer({ models: [], script: () => ({ fault: missing }) });
  await configure(`${empty.url}/v1`);
  expect((await ask()).stderr).toContain('lists no models: load or enable one there');
});

it('a web page instead of a provider', async () => {
  const page = createServer(
    (_, out) => void out.writeHead(200, { 'content-type': 'text/html' }).end('<html>Hello</html>'),
  );
  await using server = await listen(page);
  await configure(`http://127.0.0.1:${server.port}/v1`);
  const { exitCode, stderr } = await ask();
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining('The URL belongs to a website, not a model API')]);
  page.closeAllConnections();
});

it('an untrusted certificate, which a CA file fixes', async () => {
  const secure = createTlsServer({ cert: TEST_CERTIFICATE, key: TEST_CERTIFICATE_KEY }, (_, out) => {
    out.writeHead(401, { 'content-type': 'application/json' }).end('{"error":{"message":"wrong key"}}');
  });
  await using server = await listen(secure);
  await configure(`https://127.0.0.1:${server.port}/v1`);
  const { exitCode, stderr } = await ask();
  expect([exitCode, stderr]).toEqual([1, expect.stringMatching(/certificate[^]*SSL_CERT_FILE/)]);
  expect((await hermes(['doctor'])).stdout).toMatch(/✗ model .*certificate.*\n.*SSL_CERT_FILE/);
  await cli.home.write('authority.pem', TEST_AUTHORITY);
  const env = { SSL_CERT_FILE: `${cli.home.path}/authority.pem` };
  expect((await ask(env)).stderr).toContain('wrong key');
  secure.closeAllConnections();
});

it('a proxy that requires a login', async () => {
  const proxy = createServer((_, out) => void out.writeHead(407).end());
  proxy.on('connect', (_, socket) => socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n'));
  await using server = await listen(proxy);
  await configure('https://models.example/v1');
  const { exitCode, stderr } = await ask({ HTTPS_PROXY: `http://127.0.0.1:${server.port}` });
  expect([exitCode, stderr]).toEqual([
    1,
    expect.stringMatching(/requires a login \(HTTP 407\)[^]*Set the user name and password/),
  ]);
  const again = await ask({ HTTPS_PROXY: `http://me:hunter2@127.0.0.1:${server.port}` });
  expect(again.stderr).toContain('rejected the login');
  proxy.closeAllConnections();
});
