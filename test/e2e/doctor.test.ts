import { chmodSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { verifies } from '../spec/verifies.ts';
import { configFor, useCliFixture } from '../support/cli-fixture.ts';
import { runHermes } from '../support/run-hermes.ts';
import { fullDoseOnly } from '../support/dose.ts';

const cli = useCliFixture();
const SECRET = 'sk-a-secret-of-some-length-WXYZ';
const doctor = async (args: string[] = [], env: Record<string, string> = {}) => {
  const result = await runHermes(['doctor', ...args], { home: cli.home, env });
  expect(result.stdout + result.stderr).not.toContain(SECRET);
  return result;
};

/** A server with a custom request handler. */
async function serve(listener: RequestListener) {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () => {
    server.closeAllConnections();
    return new Promise<void>((resolve) => server.close(() => resolve()));
  };
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, [Symbol.asyncDispose]: close };
}

const modelAt = (url: string, model = 'm') =>
  cli.home.write(
    'config.yaml',
    `model: { provider: custom, default: ${model}, base_url: "${url}/v1", api_key: ${SECRET} }\n`,
  );

describe('hermes doctor and models', () => {
  it('reports a missing file neither as readable nor as an error', async () => {
    const { stdout } = await doctor(['--offline']);
    expect(stdout).toContain(`✓ There is no configuration file ${join(cli.home.path, 'config.yaml')} yet; `);
    expect(stdout).not.toContain('is valid.');
  });

  it('reports unknown keys with their line', async () => {
    await cli.configure('agnt:\n  max_turns: 5\n');
    const { exitCode, stdout } = await doctor(['--offline']);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/! \S+config\.yaml, line \d+: agnt\S* is not a known key and is ignored\.\n/);
  });

  it('finds nothing wrong if the host answers and has the model', async () => {
    await cli.configure();
    const { exitCode, stdout } = await doctor();
    expect([exitCode, stdout]).toEqual([
      0,
      expect.stringMatching(/✓ model custom\/test-model: 127\.0\.0\.1:\d+ responds and has test-model\./),
    ]);
    expect(cli.server.requests).toHaveLength(0);
  });

  it.each<[string, RequestListener, RegExp, number]>([
    [
      'a refused key',
      (_, out) => void out.writeHead(401).end('{"error":{"message":"no"}}'),
      /✗ .*rejects the key from .*model\.api_key \(HTTP 401\)\.\n +Set a valid key with `hermes model`\.\n/,
      1,
    ],
    [
      'a web page',
      (_, out) => void out.writeHead(200, { 'content-type': 'text/html' }).end('<html>Welcome</html>'),
      /✗ .*.*returns a web page instead.*\n +Correct base_url/,
      1,
    ],
    [
      'a wrong path',
      (_, out) => void out.writeHead(404, { 'content-type': 'application/json' }).end('{}'),
      /✗ .*No model API was found at .*\(HTTP 404\)/,
      1,
    ],
    [
      'a redirect',
      (_, out) => void out.writeHead(301, { location: 'https://elsewhere.example' }).end(),
      /✗ .*redirects to another address/,
      1,
    ],
    [
      'a model that does not exist',
      (_, out) => void out.end('{"data":[{"id":"m1"}]}'),
      /✗ .*does not list the model "m"\.\n +Similar names: m1/,
      1,
    ],
    ['an empty list', (_, out) => void out.end('{"data":[]}'), /! .*lists no models\.\n +Load or enable a model/, 0],
    ['trouble of its own', (_, out) => void out.writeHead(503).end('{}'), /! .*reports a server error/, 0],
    [
      'a wrong clock',
      (_, out) =>
        void out.writeHead(200, { date: new Date(Date.now() + 3_600_000).toUTCString() }).end('{"data":[{"id":"m"}]}'),
      /✗ .*60 minutes behind the clock of .*\n +Set the clock/,
      1,
    ],
    [
      'an API without a list',
      (request, out) =>
        void out
          .writeHead(request.method === 'POST' ? 400 : 404, { 'content-type': 'application/json' })
          .end('{"error":{"message":"model is missing"}}'),
      /✓ .*responds, but does not list/,
      0,
    ],
  ])('says what to do about %s', async (_, listener, words, exitCode) => {
    await using server = await serve(listener);
    await modelAt(server.url);
    const result = await doctor();
    expect(result.stdout).toMatch(words);
    expect(result.exitCode).toBe(exitCode);
  });

  it('reports a refused connection, a proxy that requires a login, and an untrusted certificate', async () => {
    await modelAt('http://127.0.0.1:9');
    expect((await doctor()).stdout).toMatch(
      /✗ model .*The connection to 127\.0\.0\.1:9 failed.*\n +No server is listening there/,
    );
    await using proxy = await serve((_, out) => void out.writeHead(407).end());
    const env = { HTTP_PROXY: proxy.url.replace('//', '//me:hunter2@') };
    await cli.home.write(
      'config.yaml',
      'model: { provider: custom, default: m, base_url: "http://models.example/v1" }\n',
    );
    const { exitCode, stdout } = await doctor([], env);
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/✗ .*The proxy 127\.0\.0\.1:\d+ rejected the login \(HTTP 407\)\.\n +Set the user name/);
    expect(stdout).not.toContain('hunter2');
  });

  it('finds unusable fallbacks and auxiliary models, expired logins, and files that others can read', async () => {
    const task = 'auxiliary:\n  vision: { provider: nowhere, model: v }\n  title_generation: { enabled: false }\n';
    const fallback = 'fallback_providers:\n  - { provider: xai, model: f1 }\n';
    await cli.home.write('config.yaml', configFor(cli.server) + task + fallback);
    const login = {
      id: 'a1',
      label: 'old',
      auth_type: 'oauth',
      source: 'manual:login',
      access_token: SECRET,
      expires_at_ms: 1000,
    };
    await cli.home.write('auth.json', JSON.stringify({ version: 1, credential_pool: { nous: [login] } }));
    for (const path of [cli.home.userHome, cli.home.path]) chmodSync(path, 0o755);
    chmodSync(join(cli.home.path, 'auth.json'), 0o644);
    const { exitCode, stdout } = await doctor(['--json']);
    expect(exitCode).toBe(1);
    const { ok, findings } = JSON.parse(stdout) as { ok: boolean; findings: { status: string; message: string }[] };
    expect(ok).toBe(false);
    const wrong = findings.filter(({ status }) => status === 'wrong').map(({ message }) => message);
    expect(wrong).toEqual([
      expect.stringContaining('auth.json (mode 644)'),
      'The login old of nous has expired.',
      'fallback 1 xai/f1: No API key was found for xAI.',
      expect.stringMatching(/^auxiliary\.vision nowhere\/v: .*"nowhere" is not a known provider/),
    ]);
  });

  verifies('BOUND-3', '--offline makes no requests', async () => {
    let connections = 0;
    await using counting = await serve((_, out) => {
      connections += 1;
      out.end();
    });
    await modelAt(counting.url);
    expect(await doctor(['--offline'])).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('can be opened'),
    });
    expect(connections).toBe(0);
  });

  it('waits five seconds for silent hosts, all in parallel', fullDoseOnly, async () => {
    await using silent = await serve(() => undefined);
    await modelAt(silent.url);
    const again = `fallback_providers:\n  - { provider: custom, model: f, base_url: "${silent.url}/v2" }\n`;
    await cli.home.write('config.yaml', (await cli.home.read('config.yaml')) + again);
    const { exitCode, stdout } = await doctor();
    expect(exitCode).toBe(1);
    expect(stdout.match(/did not respond within 5 s/g)).toHaveLength(2);
  });
});
