import { createServer, type IncomingHttpHeaders, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import { findLocalServers, listModels } from './index.ts';

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

  it('reads the names an endpoint gives', async () => {
    const baseUrl = await listen(reply({ data: [{ id: 'one' }, { id: 5 }, 'odd', { id: 'two' }] }));
    expect(await listModels({ baseUrl: `${baseUrl}/`, timeoutMs: 5_000 })).toEqual(['one', 'two']);
  });

  it('knows nothing where an endpoint is odd, refuses, is silent or is not there', async () => {
    const odd = [await listen(reply('text')), await listen(reply({ data: [] }, 401)), await listen(() => undefined)];
    for (const baseUrl of [...odd, 'http://127.0.0.1:1/v1']) {
      expect(await listModels({ baseUrl, timeoutMs: 50 })).toBeUndefined();
    }
  });

  verifies('PROV-4', 'a key goes to its own host only, and follows no redirect', async () => {
    const seen: IncomingHttpHeaders[] = [];
    const target = await listen((request, response) => {
      seen.push(request.headers);
      reply({ data: [] })(request, response);
    });
    const credential = { secret: 'key', hosts: ['elsewhere.example'] };
    await listModels({ baseUrl: target, credential, timeoutMs: 5_000 });
    expect(seen[0]?.authorization).toBeUndefined();
    await listModels({
      baseUrl: target,
      credential: { secret: 'key', hosts: [new URL(target).host] },
      timeoutMs: 5_000,
    });
    expect(seen[1]?.authorization).toBe('Bearer key');
    const redirecting = await listen((_request, response) => void response.writeHead(307, { location: target }).end());
    expect(await listModels({ baseUrl: redirecting, timeoutMs: 5_000 })).toBeUndefined();
    expect(seen).toHaveLength(2);
  });

  it('finds servers on this machine that have a model', async () => {
    const row = { id: 'local', name: 'Local', keyVariables: [], local: true as const };
    const running = await listen(reply({ data: [{ id: 'small' }] }));
    const empty = await listen(reply({ data: [] }));
    const rows = [
      { ...row, baseUrl: running },
      { ...row, baseUrl: empty },
      { id: 'far', name: 'Far', keyVariables: [], baseUrl: running },
    ];
    const found = await findLocalServers(rows);
    expect(found.map((server) => [server.provider.baseUrl, server.models])).toEqual([[running, ['small']]]);
  });
});
