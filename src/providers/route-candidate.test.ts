import { afterEach, describe, expect, it } from 'vitest';
import { loadSettings } from '../config/index.ts';
import { createProviderServer, createTemporaryHome } from '../testing/index.ts';
import { type Loopback, sendJson, startLoopback } from '../llm/loopback.test-helper.ts';
import type { Endpoint } from './endpoint.ts';
import { openRoute, toCandidate } from './route-candidate.ts';

const servers: Loopback[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

const ENDPOINT: Omit<Endpoint, 'baseUrl'> = {
  provider: 'ollama',
  model: 'qwen3:8b',
  explicitApiMode: 'ollama_chat',
  providerApiMode: undefined,
  quirks: undefined,
  credential: undefined,
  contextLength: undefined,
  stallTimeoutMs: 5_000,
  variables: {},
};

async function serverWith(facts: object): Promise<Loopback> {
  const server = await startLoopback((response) => sendJson(response, 200, facts));
  servers.push(server);
  return server;
}

describe('a route to Ollama', () => {
  const numCtx = (route: Awaited<ReturnType<typeof openRoute>>) => {
    const request = { system: '', messages: [], tools: [], toolChoice: 'auto', stream: true } as const;
    return (JSON.parse(route.client.prepare(request).body) as { options?: { num_ctx?: number } }).options?.num_ctx;
  };

  it('gets the window from the server and sends it with each request', async () => {
    const server = await serverWith({ model_info: { 'qwen3.context_length': 40_960 } });
    const route = await openRoute({ ...ENDPOINT, baseUrl: `${server.url}/v1` });
    expect([route.contextLength, numCtx(route)]).toEqual([40_960, 40_960]);
  });

  it('uses a configured window without asking the server', async () => {
    const server = await serverWith({});
    const route = await openRoute({ ...ENDPOINT, baseUrl: server.url, contextLength: 8192 });
    expect([route.contextLength, numCtx(route)]).toEqual([8192, 8192]);
    expect(server.seen).toEqual([]);
  });

  it('opens even if the server does not respond', async () => {
    const server = await serverWith({});
    await server.close();
    expect((await openRoute({ ...ENDPOINT, baseUrl: server.url })).contextLength).toBeUndefined();
  });
});

describe('the agents of a process', () => {
  it('share the connections to an endpoint', async () => {
    await using server = await createProviderServer({ script: [{ text: 'Done.' }], repeatLast: true });
    await using home = await createTemporaryHome();
    const settings = await loadSettings({ home: home.path, env: {} });
    const baseUrl = server.baseUrl('chat_completions');
    const { source } = toCandidate(settings, { provider: 'custom', model: 'm', baseUrl });
    for (let agent = 0; agent < 10; agent++) {
      const { client } = await source.open();
      const message = { role: 'user', content: 'hi' } as const;
      const request = { system: '', messages: [message], tools: [], toolChoice: 'auto', stream: true } as const;
      const answer = await client.stream(request, { signal: AbortSignal.timeout(30_000), onEvent: () => {} });
      expect(answer.text).toBe('Done.');
    }
    // An answer can be complete before its connection is free for the next request.
    await expect.poll(() => server.openConnections).toBeLessThan(4);
  });
});
