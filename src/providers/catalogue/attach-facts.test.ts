import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import { NO_USAGE } from '../../base/index.ts';
import { homePaths } from '../../config/index.ts';
import type { ModelFacts, ModelRoute } from '../../contracts/index.ts';
import { attachFacts } from './attach-facts.ts';
import { readCachedWindow } from './local-window.ts';
import { answering, listen, type Loopback } from './loopback.test-helper.ts';
import { probeWindow } from './window-probe.ts';

let home: string;
const servers: Loopback[] = [];
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'hermes-windows-'));
});
afterEach(async () => {
  for (const server of servers.splice(0)) server.close();
  await rm(home, { recursive: true });
});

async function serve(answer: RequestListener): Promise<Loopback> {
  const server = await listen(answer);
  servers.push(server);
  return server;
}

const routeTo = (baseUrl: string, model: string, contextLength: number | undefined): ModelRoute => ({
  provider: 'custom',
  model,
  baseUrl,
  apiMode: 'chat_completions',
  contextLength,
  client: {
    producer: 'p',
    prepare: () => ({ method: 'POST', url: '', headers: {}, body: '' }),
    stream: async () => ({ text: '', toolCalls: [], finishReason: 'stop', usage: NO_USAGE }),
  },
});
const open = (
  baseUrl: string,
  more: { model?: string; local?: boolean; written?: ModelFacts; service?: string } = {},
) =>
  attachFacts(
    routeTo(baseUrl, more.model ?? 'm', more.written?.contextLength),
    { home, local: more.local ?? true, service: more.service, configured: more.written ?? {} },
    {},
  );
const call = (route: ModelRoute) =>
  route.client.stream(
    { system: '', messages: [], tools: [], toolChoice: 'auto', stream: true },
    { signal: new AbortController().signal, onEvent: () => undefined },
  );

describe('the context window of a route', () => {
  verifies('PROV-10', 'is the configured one, else that of the catalogue, else a conservative default', async () => {
    const remote = { local: false, service: 'anthropic' };
    const window = async (model: string, written: ModelFacts = {}) =>
      (await open('https://api.anthropic.com', { ...remote, model, written })).contextLength;
    expect(await window('claude-sonnet-5', { contextLength: 7 })).toBe(7);
    expect(await window('claude-sonnet-5')).toBe(1_000_000);
    expect(await window('never-heard-of')).toBe(128_000);
    const unknown = await open('https://api.anthropic.com', { ...remote, model: 'never-heard-of' });
    // The default is only for code that needs a number; the known facts do not include it.
    expect(unknown.facts).toEqual({});
  });

  verifies('PROV-10', 'a configured price overrides the subscription and the fast tier', async () => {
    const price = { input: 1, output: 2, source: 'config.yaml', version: 'set by hand' };
    const codex = { local: false, service: 'openai-codex', model: 'gpt-5.6-terra' };
    expect((await open('https://chatgpt.com', { ...codex, written: { price } })).facts).toMatchObject({ price });
    expect((await open('https://chatgpt.com', { ...codex, written: { price } })).facts?.subscription).toBeUndefined();
    expect((await open('https://chatgpt.com', codex)).facts?.subscription).toBe(true);
  });

  verifies('PROV-10', 'a local server is probed during the first call, and not again for a while', async () => {
    const server = await serve(answering({ '/v1/models': { data: [{ id: 'm', max_model_len: 4_321 }] } }));
    const route = await open(`${server.url}/v1`);
    expect(route.contextLength).toBe(128_000);
    expect(server.requests).toHaveLength(0);
    await call(route);
    await call(route);
    await expect.poll(() => route.contextLength).toBe(4_321);
    expect(server.requests).toHaveLength(1);
    const key = `${server.url}/v1 m`;
    await expect.poll(() => readCachedWindow(home, key, Date.now())).toEqual({ window: 4_321 });
    const later = await open(`${server.url}/v1`);
    expect(later.contextLength).toBe(4_321);
    await call(later);
    expect(server.requests).toHaveLength(1);
    expect(readCachedWindow(home, key, Date.now() + 16 * 60_000)).toBeUndefined();
    const file = join(homePaths(home).catalogueFolder, 'windows.json');
    expect((await stat(file)).mode & 0o077).toBe(0);
    await writeFile(file, (await readFile(file, 'utf8')).slice(0, 20));
    expect((await open(`${server.url}/v1`)).contextLength).toBe(128_000);
  });

  verifies('PROV-10', 'a remote server or one with a configured window is not probed', async () => {
    const server = await serve(answering({}));
    await call(await open(`${server.url}/v1`, { local: false }));
    await call(await open(`${server.url}/v1`, { written: { contextLength: 9 } }));
    await call(await open(`${server.url}/v1`, { model: 'asked' }));
    await expect
      .poll(() => readCachedWindow(home, `${server.url}/v1 asked`, Date.now()))
      .toEqual({ window: undefined });
    expect(server.requests.map(({ url }) => url)).toEqual(['/v1/models', '/props', '/api/v0/models']);
  });
});

describe('probing a local server', () => {
  const windowAt = async (answer: RequestListener, model = 'm') =>
    probeWindow({ baseUrl: `${(await serve(answer)).url}/v1/`, model });

  verifies('PROV-10', 'understands vLLM, llama.cpp and LM Studio', async () => {
    expect(await windowAt(answering({ '/v1/models': { data: [{ id: 'm', max_model_len: 1 }] } }))).toBe(1);
    const llamaCpp = { '/v1/models': { data: [{ id: 'x' }] }, '/props': { default_generation_settings: { n_ctx: 2 } } };
    expect(await windowAt(answering(llamaCpp))).toBe(2);
    const loaded = { id: 'm', max_context_length: 9, loaded_context_length: 3 };
    const studio = { '/v1/models': { data: [{ id: 'm' }] }, '/api/v0/models': { data: [loaded] } };
    expect(await windowAt(answering(studio))).toBe(3);
    expect(await windowAt(answering(studio), 'other')).toBeUndefined();
  });

  verifies('PROV-4', 'sends the configured headers, but only to their host', async () => {
    const server = await serve(answering({}));
    const headers = { 'x-team': 'blue' };
    for (const hosts of [[new URL(server.url).host], ['other.example']])
      await probeWindow({ baseUrl: `${server.url}/v1`, model: 'm', bound: { hosts, headers, secrets: [] } });
    expect(server.requests.map((request) => request.headers['x-team'])).toEqual(['blue', 'blue', 'blue']);
  });

  it('times out after a second, and returns nothing for an invalid response', async () => {
    expect(await windowAt(() => undefined)).toBeUndefined();
    expect(await windowAt((_, response) => void response.end('<html>'))).toBeUndefined();
    const odd = {
      '/v1/models': { data: [{ id: 'm', max_model_len: -5 }] },
      '/props': { default_generation_settings: [] },
    };
    expect(await windowAt(answering(odd))).toBeUndefined();
    expect(await probeWindow({ baseUrl: 'http://127.0.0.1:1/v1', model: 'm' })).toBeUndefined();
  });
});
