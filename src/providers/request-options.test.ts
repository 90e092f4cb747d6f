import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import { ModelError } from '../base/index.ts';
import { loadSettings } from '../config/index.ts';
import type { ModelRequest, ModelRoute, RouteSource } from '../contracts/index.ts';
import { mergeFields, rawArray, writeBody } from '../llm/json-text.ts';
import { HELLO, type Loopback, sendEvents, sendJson, startLoopback } from '../llm/loopback.test-helper.ts';
import { diagnoseRoutes } from './diagnosis/index.ts';
import { openOffline } from './open-offline.ts';
import { resolveRoutes } from './resolve-routes.ts';

const ASKED: ModelRequest = {
  system: 'be kind',
  messages: [{ role: 'user', content: 'hi' }],
  tools: [],
  toolChoice: 'auto',
  stream: true,
};
const SECRET = 'gw-secret-1234567890';

let home: string;
let servers: Loopback[] = [];
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'hermes-gateway-'));
});
afterEach(async () => {
  await Promise.all(servers.map((server) => server.close()));
  servers = [];
  await rm(home, { recursive: true, force: true });
});

async function start(...handlers: Parameters<typeof startLoopback>): Promise<Loopback> {
  const server = await startLoopback(...handlers, (response) => sendEvents(response, HELLO));
  servers.push(server);
  return server;
}

async function load(config: string, env: Record<string, string> = { GATEWAY_KEY: SECRET }) {
  await writeFile(join(home, 'config.yaml'), config);
  return loadSettings({ home, env });
}

async function call(source: RouteSource | ModelRoute | undefined): Promise<string> {
  const route = source !== undefined && 'open' in source ? await source.open() : source;
  const answer = await route?.client.stream(ASKED, { signal: new AbortController().signal, onEvent: () => {} });
  return answer?.text ?? '';
}

const gateway = (url: string, more = '') => `
model:
  provider: custom
  default: m
  context_length: 9000
  base_url: ${url}/v1
  headers: { x-gateway-key: "\${GATEWAY_KEY}", User-Agent: our-agent }
  query: { api-version: "7", key: "\${GATEWAY_KEY}" }
  extra_body: { stream_options: { more: true }, metadata: { team: blue } }
${more}`;

describe('headers, query and extra_body of an endpoint', () => {
  verifies('PROV-4', 'are in every request to its host, including the model list', async () => {
    const server = await start();
    const route = await resolveRoutes(await load(gateway(server.url)))?.routes[0]?.open();
    expect(await call(route)).toBe('hello');
    const [seen] = server.seen;
    expect(seen?.request.headers).toMatchObject({ 'x-gateway-key': SECRET, 'user-agent': 'our-agent' });
    expect(seen?.request.headers.authorization).toBeUndefined();
    expect(seen?.request.url).toBe(`/v1/chat/completions?api-version=7&key=${SECRET}`);
    const body = JSON.parse(seen?.body ?? '') as Record<string, unknown>;
    expect(body).toMatchObject({
      model: 'm',
      stream: true,
      stream_options: { include_usage: true, more: true },
      metadata: { team: 'blue' },
    });
    expect(body['messages']).toHaveLength(2);
    await route?.listModels?.();
    expect(server.seen.at(-1)?.request).toMatchObject({ method: 'GET', headers: { 'x-gateway-key': SECRET } });
    expect(server.seen.at(-1)?.request.url).toBe(`/v1/models?api-version=7&key=${SECRET}`);
  });

  verifies('PROV-4', 'are not sent to a fallback or an auxiliary model at another host', async () => {
    const [own, other] = [await start(), await start()];
    const settings = await load(
      gateway(own.url) +
        `\nfallback_providers: [{ provider: custom, model: f, context_length: 9000, base_url: ${other.url}/v1 }]\n` +
        `auxiliary: { vision: { model: v, context_length: 9000, base_url: ${other.url}/v1 } }\n`,
    );
    const resolved = resolveRoutes(settings);
    const vision = (await resolved?.auxiliaryRoutes('vision')) ?? [];
    for (const source of [...(resolved?.routes ?? []), ...vision]) await call(source);
    expect(other.seen).not.toHaveLength(0);
    for (const { request, body } of other.seen) {
      expect(request.headers).not.toHaveProperty('x-gateway-key');
      expect(request.url).toBe('/v1/chat/completions');
      expect(JSON.stringify(request.headers) + body).not.toMatch(/gw-secret|"team"/);
    }
    for (const { request } of own.seen) expect(request.headers['x-gateway-key']).toBe(SECRET);
  });

  verifies('PROV-4', 'do not follow a redirect', async () => {
    const other = await start();
    const own = await start((response) => void response.writeHead(307, { location: `${other.url}/v1/x` }).end());
    const [source] = resolveRoutes(await load(gateway(own.url)))?.routes ?? [];
    await expect(call(source)).rejects.toThrow(/redirects to 127\.0\.0\.1/);
    expect(other.seen).toHaveLength(0);
  });

  verifies('PROV-4', 'are redacted in an error that repeats them', async () => {
    const server = await start((response, { request }) =>
      sendJson(response, 400, { error: { message: `bad key ${String(request.headers['x-gateway-key'])}` } }),
    );
    const [source] = resolveRoutes(await load(gateway(server.url)))?.routes ?? [];
    const thrown = await call(source).then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(thrown).toBeInstanceOf(ModelError);
    expect(JSON.stringify([thrown, (thrown as Error).message])).not.toContain(SECRET);
    expect((thrown as Error).message).toContain('bad key');
  });

  verifies('PROV-4', 'of a provider are sent to its own host only', async () => {
    const server = await start();
    const config = (address: string) =>
      `custom_providers:\n  - { name: lab, base_url: ${server.url}/v1, model: m, context_length: 9000, headers: { x-lab: "1" }, extra_body: { a: { b: 1 } } }\n` +
      `providers:\n  LAB: { headers: { x-more: "2" }, extra_body: { a: { c: 2 } } }\n  nosuch: { headers: { x: y } }\n` +
      `model: { provider: lab, context_length: 9000, ${address} extra_body: { a: { d: 3 } } }\n`;
    const resolved = resolveRoutes(await load(config('')));
    expect(resolved?.warnings).toEqual([expect.stringContaining('there is no provider "nosuch"')]);
    await call(resolved?.routes[0]);
    expect(server.seen[0]?.request.headers).toMatchObject({ 'x-lab': '1', 'x-more': '2' });
    expect(JSON.parse(server.seen[0]?.body ?? '')).toMatchObject({ a: { b: 1, c: 2, d: 3 } });

    const other = await start();
    const moved = resolveRoutes(await load(config(`base_url: ${other.url}/v1,`)));
    expect(moved?.warnings).toContainEqual(
      expect.stringMatching(
        /custom_providers\[0\]\.headers is not used for 127\.0\.0\.1:\d+, which is not a host of lab/,
      ),
    );
    await call(moved?.routes[0]);
    expect(other.seen[0]?.request.headers).not.toHaveProperty('x-lab');
    expect(other.seen[0]?.request.headers).not.toHaveProperty('x-more');
  });

  it('replace the header of a credential, and make a key optional', async () => {
    const server = await start();
    const base = `base_url: ${server.url}/v1, default: m, context_length: 9000`;
    const settings = await load(
      `model: { provider: anthropic, ${base}, api_mode: chat_completions, api_key: own-key-1, headers: { Authorization: "Basic abc" } }`,
    );
    await call(resolveRoutes(settings)?.routes[0]);
    expect(server.seen[0]?.request.headers.authorization).toBe('Basic abc');
    // A gateway at a public host, whose only credential is a header.
    const keyless = await load('model: { provider: anthropic, base_url: "https://gw.example/v1", headers: { a: b } }');
    expect(() => resolveRoutes(keyless)).not.toThrow();
  });

  it('join the header for features of Anthropic', async () => {
    const server = await start((response) =>
      sendJson(response, 200, { type: 'message', content: [], stop_reason: 'end_turn' }),
    );
    const settings = await load(
      `model: { provider: anthropic, default: m, context_length: 9000, base_url: ${server.url}, api_mode: anthropic_messages, api_key: sk-ant-oat-x, headers: { anthropic-beta: one-1 } }`,
    );
    await call(resolveRoutes(settings)?.routes[0]);
    expect(server.seen[0]?.request.headers['anthropic-beta']).toBe('oauth-2025-04-20,one-1');
  });

  it('with a missing variable make the endpoint unusable, and say which one', async () => {
    const settings = await load(gateway('http://127.0.0.1:9'), {});
    expect(() => resolveRoutes(settings)).toThrow(
      /model\.headers\.x-gateway-key uses the variable GATEWAY_KEY, which is not set/,
    );
  });

  it('are used by the check of the routes, and are not in a prepared request', async () => {
    const server = await start((response) => sendJson(response, 200, { data: [{ id: 'm' }] }));
    const settings = await load(gateway(server.url));
    expect(await diagnoseRoutes(settings, { offline: false })).toMatchObject([{ status: 'ok' }]);
    expect(server.seen[0]?.request.headers['x-gateway-key']).toBe(SECRET);
    const prepared = (await openOffline(settings, {})).client.prepare(ASKED);
    expect(JSON.stringify(prepared)).not.toContain(SECRET);
    expect(prepared.body).toContain('"team":"blue"');
  });
});

describe('merging fields into a body', () => {
  it('keeps the history and everything that the fields do not name', () => {
    const json = fc.jsonValue() as fc.Arbitrary<never>;
    const fields = fc.dictionary(
      fc.string({ minLength: 1 }).filter((name) => name !== '__proto__'),
      json,
    );
    fc.assert(
      fc.property(fields, fields, (own, extra) => {
        const body = { ...own, messages: rawArray(['{"role":"user"}']) };
        const merged = JSON.parse(writeBody(mergeFields(body, { ...extra, messages: 'no' })).join('')) as Record<
          string,
          unknown
        >;
        expect(merged['messages']).toEqual([{ role: 'user' }]);
        const kept = Object.keys(own).filter((name) => name !== 'messages' && !Object.hasOwn(extra, name));
        for (const name of kept) expect(merged[name]).toEqual(toJson(own[name]));
        for (const name of Object.keys(extra)) expect(Object.hasOwn(merged, name)).toBe(true);
      }),
    );
  });
});

function toJson(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value)) as unknown;
}
