import { createServer, type IncomingHttpHeaders, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import type { ApiMode } from '../contracts/index.ts';
import { toEndpoint } from './endpoint.ts';
import { findProvider } from './find-provider.ts';
import { findLocalServers, listModels } from './list-models.ts';
import { openRoute } from './route-candidate.ts';
import { settingsWith } from './settings.test-helper.ts';

describe('listModels', () => {
  const servers: Server[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) server.close().closeAllConnections();
  });
  async function listen(answer: RequestListener): Promise<string> {
    const server = createServer(answer);
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  }
  const reply =
    (body: unknown, status = 200): RequestListener =>
    (_request, response) =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

  it('returns the names that an endpoint lists', async () => {
    const baseUrl = await listen(reply({ data: [{ id: 'one' }, { id: 5 }, 'odd', { id: 'two' }] }));
    expect(await listModels({ baseUrl: `${baseUrl}/`, timeoutMs: 5_000 })).toEqual(['one', 'two']);
  });

  it('returns nothing if an endpoint responds with something else, rejects, stalls or does not exist', async () => {
    const odd = [await listen(reply('text')), await listen(reply({ data: [] }, 401)), await listen(() => undefined)];
    for (const baseUrl of [...odd, 'http://127.0.0.1:1/v1']) {
      expect(await listModels({ baseUrl, timeoutMs: 50 })).toBeUndefined();
    }
  });

  verifies('PROV-4', 'sends a key only to its own host and follows no redirect', async () => {
    const seen: IncomingHttpHeaders[] = [];
    const target = await listen((request, response) => {
      seen.push(request.headers);
      reply({ data: [] })(request, response);
    });
    const credential = { secret: 'key', hosts: ['elsewhere.example'] };
    expect(await listModels({ baseUrl: target, credential, timeoutMs: 5_000 })).toBeUndefined();
    expect(seen).toEqual([]);
    const own = { secret: 'key', hosts: [new URL(target).host] };
    await listModels({ baseUrl: target, credential: own, timeoutMs: 5_000 });
    expect(seen[0]?.authorization).toBe('Bearer key');
    const redirecting = await listen((_request, response) => void response.writeHead(307, { location: target }).end());
    expect(await listModels({ baseUrl: redirecting, timeoutMs: 5_000 })).toBeUndefined();
    expect(seen).toHaveLength(1);
  });

  it('uses the path and header of the API mode, and keeps a query string at the end', async () => {
    const seen: [string | undefined, string | string[] | undefined][] = [];
    const baseUrl = await listen((request, response) => {
      seen.push([request.url, request.headers['x-api-key']]);
      reply({ data: [{ id: 'one' }] })(request, response);
    });
    const { origin, host } = new URL(baseUrl);
    const credential = { secret: 'key', hosts: [host] };
    const ask = (address: string, apiMode?: ApiMode) =>
      listModels({ baseUrl: address, apiMode, credential, timeoutMs: 5_000 });
    expect(await ask(origin, 'anthropic_messages')).toEqual(['one']);
    // The address alone determines that this is Anthropic's API.
    await ask(`${origin}/anthropic`);
    await ask(`${origin}/v1/`, 'anthropic_messages');
    await ask(`${origin}/v1?api-version=1`, 'chat_completions');
    expect(seen).toEqual([
      ['/v1/models', 'key'],
      ['/anthropic/v1/models', 'key'],
      ['/v1/models', 'key'],
      ['/v1/models?api-version=1', undefined],
    ]);
  });

  verifies('PROV-7', 'lists only language models with tools for AI Gateway and OpenRouter', async () => {
    const gateway = [
      { id: 'good', type: 'language', tags: ['reasoning', 'tool-use'] },
      { id: 'no-tools', type: 'language', tags: ['vision'] },
      { id: 'pictures', type: 'image', tags: ['tool-use'] },
      { id: 'silent' },
    ];
    const router = [
      { id: 'good', supported_parameters: ['tools', 'temperature'] },
      { id: 'no-tools', supported_parameters: ['temperature'] },
      { id: 'silent' },
    ];
    for (const [provider, data] of [
      ['ai-gateway', gateway],
      ['openrouter', router],
    ] as const) {
      const baseUrl = await listen(reply({ data }));
      const { modelListing } = findProvider({ customProviders: [] }, provider);
      expect(await listModels({ baseUrl, modelListing, timeoutMs: 5_000 })).toEqual(['good']);
      const endpoint = toEndpoint(settingsWith(), { provider, model: 'm', apiKey: 'k' });
      const route = await openRoute({ ...endpoint, baseUrl, credential: undefined });
      expect(await route.listModels?.()).toEqual(['good']);
    }
  });

  it('sends no request if there is no list', async () => {
    let asked = 0;
    const baseUrl = await listen((request, response) => {
      asked += 1;
      reply({ data: [{ id: 'one' }] })(request, response);
    });
    expect(await listModels({ baseUrl, modelListing: { path: false }, timeoutMs: 5_000 })).toBeUndefined();
    expect(asked).toBe(0);
    expect(await listModels({ baseUrl, modelListing: { path: '/other' }, timeoutMs: 5_000 })).toEqual(['one']);
  });

  it('uses the API mode of the route', async () => {
    const paths: (string | undefined)[] = [];
    const baseUrl = await listen((request, response) => {
      paths.push(request.url);
      reply({ data: [{ id: 'near' }] })(request, response);
    });
    const route = await openRoute({
      provider: 'p',
      model: 'm',
      baseUrl: new URL(baseUrl).origin,
      explicitApiMode: 'anthropic_messages',
      providerApiMode: undefined,
      quirks: undefined,
      credential: undefined,
      contextLength: undefined,
      stallTimeoutMs: 5_000,
      variables: {},
    });
    expect(await route.listModels?.()).toEqual(['near']);
    expect(paths).toEqual(['/v1/models']);
  });

  it('finds servers with a model on this machine', async () => {
    const row = { id: 'local', name: 'Local', authType: 'none' as const, keyVariables: [], local: true as const };
    const running = await listen(reply({ data: [{ id: 'small' }] }));
    const empty = await listen(reply({ data: [] }));
    const rows = [
      { ...row, baseUrl: running },
      { ...row, baseUrl: empty },
      { id: 'far', name: 'Far', authType: 'none' as const, keyVariables: [], baseUrl: running },
    ];
    const found = await findLocalServers(rows, 30_000);
    expect(found.map((server) => [server.provider.baseUrl, server.models])).toEqual([[running, ['small']]]);
  });
});
