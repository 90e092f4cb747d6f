import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import { someOf } from '../../../test/support/dose.ts';
import { ModelError } from '../../base/index.ts';
import type { Credential } from '../../contracts/index.ts';
import { PROVIDERS } from '../../providers/index.ts';
import { sendJson, startLoopback } from '../loopback.test-helper.ts';
import { createHttpTransport } from './http-transport.ts';
import type { HttpRequest } from './http-types.ts';
import { startProxy, type TestProxy } from './proxy.test-helper.ts';

// Every request of these tests goes through our own proxy, which sees its target: no DNS lookup is made and no host
// but loopback is reached.

/** The key of each provider with its additional headers. */
const KEYS = PROVIDERS.filter((row) => row.baseUrl?.startsWith('https:')).map((row) => ({
  host: new URL(row.baseUrl as string).host,
  credential: {
    secret: `secret-of-${row.id}`,
    hosts: [new URL(row.baseUrl as string).host],
    headers: { 'x-account': `account-of-${row.id}` },
  } satisfies Credential,
}));
const HOSTS = KEYS.map(({ host }) => host);

/** Letters that look like Latin ones. */
const LOOK_ALIKES: Record<string, string> = { a: 'а', e: 'е', o: 'о', p: 'р', c: 'с', i: 'і' };
const disguise = (host: string) => host.replace(/[aeopci]/, (letter) => LOOK_ALIKES[letter] ?? letter);

/** Hosts of providers, similar hosts, and unrelated ones. */
const anyHost = fc.oneof(
  fc.constantFrom(...HOSTS),
  fc.tuple(fc.constantFrom(...HOSTS), fc.constantFrom(...HOSTS)).map(([one, other]) => `${one}@${other}`),
  fc.tuple(fc.constantFrom(...HOSTS), fc.domain()).map(([own, foreign]) => `${own}@${foreign}`),
  fc.tuple(fc.constantFrom(...HOSTS), fc.domain()).map(([own, foreign]) => `${own}.${foreign}`),
  fc.tuple(fc.domain(), fc.constantFrom(...HOSTS)).map(([foreign, own]) => `${foreign.split('.')[0]}.${own}`),
  fc.constantFrom(...HOSTS).map((host) => host.toUpperCase()),
  fc.constantFrom(...HOSTS).map((host) => `${host}.`),
  fc.constantFrom(...HOSTS).map(disguise),
  fc.constantFrom(...HOSTS).map((host) => host.replace('.', '%2e')),
  fc.constantFrom(...HOSTS).map((host) => `${host}\\evil.example`),
  fc.constantFrom(...HOSTS).map((host) => `evil.example#@${host}`),
  fc.domain(),
  fc.ipV4(),
  fc.ipV6().map((address) => `[${address}]`),
);

const anyUrl = fc
  .tuple(
    fc.constantFrom('https', 'http', 'HTTPS'),
    anyHost,
    fc.option(fc.integer({ min: 1, max: 65_535 }), { nil: undefined }),
  )
  .map(([scheme, host, port]) => `${scheme}://${host}${port === undefined ? '' : `:${port}`}/v1/x`)
  .filter((url) => URL.canParse(url));

let proxy: TestProxy;
beforeAll(async () => {
  proxy = await startProxy({ refuse: 502 });
});
afterAll(() => proxy.close());

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

function requestTo(url: string, credential: Credential, method: HttpRequest['method'] = 'POST'): HttpRequest {
  const signal = new AbortController().signal;
  const body = method === 'GET' ? '' : '{}';
  return { method, url, headers: {}, body, credential, authHeader: 'bearer', stallTimeoutMs: 20_000, signal };
}

describe('no key is sent to a foreign host', () => {
  verifies('PROV-4', 'every key with every kind of host: only its own hosts are called', async () => {
    const variables = { ALL_PROXY: `http://${proxy.host}`, NO_PROXY: '<-loopback>' };
    const transport = createHttpTransport(variables);
    closers.push(() => transport.close());
    const property = fc.asyncProperty(fc.constantFrom(...KEYS), anyUrl, async ({ host, credential }, url) => {
      const before = proxy.seen.length;
      const thrown = await transport.send(requestTo(url, credential)).catch((error: unknown) => error);
      expect(thrown).toBeInstanceOf(ModelError);
      expect((thrown as ModelError).message).not.toContain(credential.secret);
      const called = proxy.seen.slice(before);
      // Compare with the host that the proxy saw, not with the one that we parsed.
      for (const { method, target } of called) expect(`${method} ${target}`).toBe(`CONNECT ${host}:443`);
      expect(JSON.stringify(called)).not.toMatch(/secret-of-|account-of-/);
    });
    await fc.assert(property, { numRuns: 1500 });
    // Make sure that keys are sent at all, because random hosts may never be the key's own.
    for (const { host, credential } of KEYS) {
      const before = proxy.seen.length;
      await transport.send(requestTo(`https://${host}/v1/x`, credential)).catch(() => undefined);
      expect(proxy.seen.slice(before).map(({ target }) => target)).toContain(`${host}:443`);
    }
  });

  verifies('PROV-4', 'no redirect is followed, whatever its kind and target', async () => {
    const foreign = await startLoopback((response) => sendJson(response, 200, {}));
    closers.push(() => foreign.close());
    const transport = createHttpTransport();
    closers.push(() => transport.close());
    const targets = [foreign.url, `//${foreign.host}/y`, `http://127.0.0.1@${foreign.host}/`];
    for (const [index, status] of [300, 301, 302, 303, 307, 308].entries()) {
      for (const location of someOf(targets, 3, index)) {
        const server = await startLoopback((response) => response.writeHead(status, { location: location }).end());
        closers.push(() => server.close());
        for (const { credential } of KEYS) {
          for (const method of ['GET', 'POST'] as const) {
            const own = { ...credential, hosts: [server.host] };
            const response = await transport.send(requestTo(`${server.url}/x`, own, method));
            expect(response.status).toBe(status);
            await response.release(false);
          }
        }
      }
    }
    expect(foreign.sockets).toHaveLength(0);
  });
});
