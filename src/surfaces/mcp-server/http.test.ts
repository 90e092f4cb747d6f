import { request } from 'node:http';
import { expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import { connectClient } from '../../../test/support/mcp-clients.ts';
import { openMcpServer } from '../../../test/support/mcp-serve-fixture.ts';

const KEY = { authorization: 'Bearer secret-of-the-user' };
const JSON_BODY = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
};
const LIST = { jsonrpc: '2.0', id: 2, method: 'tools/list' };

function post(url: string, body: unknown, headers: Record<string, string> = {}) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return fetch(url, { method: 'POST', headers: { ...JSON_BODY, ...KEY, ...headers }, body: text });
}

/** Such as a browser page would send; `fetch` does not allow these headers. */
function statusWith(url: string, headers: Record<string, string>): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const sending = request(url, { method: 'POST', headers: { ...JSON_BODY, ...KEY, ...headers } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    sending.on('error', reject).end(JSON.stringify(LIST));
  });
}

verifies(
  ['GW-26', 'GW-22', 'SURF-8'],
  'requires a key for every request, and refuses other pages and hosts',
  async () => {
    const { url } = await openMcpServer();
    const without = await post(url, LIST, { authorization: '' });
    expect([without.status, without.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
    expect((await post(url, LIST, { authorization: 'Bearer wrong' })).status).toBe(401);
    expect((await fetch(url, { headers: { accept: 'text/event-stream' } })).status).toBe(401);
    expect(await statusWith(url, { origin: 'https://evil.example' })).toBe(403);
    expect(await statusWith(url, { host: 'evil.example' })).toBe(421);
    expect((await post(url, '{')).status).toBe(400);
    expect((await post(url, LIST, { 'content-type': 'text/plain' })).status).toBe(415);
    expect((await post(url, { ...LIST, padding: 'x'.repeat(5_000_000) })).status).toBe(413);
    expect((await fetch(url, { headers: { ...KEY, accept: 'text/event-stream' } })).status).toBe(405);
  },
);

verifies(
  ['GW-12', 'SURF-8'],
  'keeps the sessions of older clients apart by key, and ends them on request',
  async () => {
    const { url } = await openMcpServer();
    const session = (await post(url, INITIALIZE)).headers.get('mcp-session-id') ?? '';
    const headers = { 'mcp-session-id': session };
    expect(session).toMatch(/^[\da-f-]{36}$/);
    expect((await post(url, LIST, headers)).status).toBe(200);
    const stranger = { ...headers, authorization: 'Bearer secret-of-another' };
    expect((await post(url, LIST, stranger)).status).toBe(404);
    expect((await fetch(url, { method: 'DELETE', headers: { ...KEY, ...stranger } })).status).toBe(404);
    expect((await fetch(url, { method: 'DELETE', headers: { ...KEY, ...headers } })).status).toBe(200);
    expect((await post(url, LIST, headers)).status).toBe(404);
    expect((await post(url, LIST)).status).toBe(400);
  },
);

it('lets running calls end their turns when it closes', async () => {
  const { target, provider, store, close } = await openMcpServer({ script: () => ({ fault: { type: 'stall' } }) });
  const client = await connectClient('v1', target());
  const calling = client.call('hermes_ask', { prompt: 'never ends' });
  await provider.nextRequest();
  await close();
  await calling.catch(() => undefined);
  const [session] = await store.listSessions();
  expect((await store.getTurns(session?.id ?? '')).map(({ exitReason }) => exitReason)).toEqual(['interrupted']);
});
