import { execFile } from 'node:child_process';
import { Agent } from 'node:http';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { API_MODES } from '../../contracts/index.ts';
import { createProviderServer } from './provider-server.ts';
import { call, parseEvents, MINIMAL_REQUESTS } from './test-requests.ts';

describe('createProviderServer', () => {
  it('answers ok without a script', async () => {
    await using server = await createProviderServer();
    const { body } = await call(server, 'chat_completions', MINIMAL_REQUESTS.chat_completions);
    expect(JSON.parse(body)).toMatchObject({ choices: [{ message: { content: 'ok' } }] });
  });

  it('computes the reply from the request with a function', async () => {
    await using server = await createProviderServer({
      script: ({ apiMode, lastUserText }) => ({ text: `${apiMode}: ${lastUserText}` }),
    });
    for (const apiMode of API_MODES) {
      expect((await call(server, apiMode, MINIMAL_REQUESTS[apiMode])).body).toContain(`${apiMode}: hello`);
    }
    expect(server.requests.map(({ number, apiMode }) => [number, apiMode])).toEqual(
      API_MODES.map((mode, index) => [index + 1, mode]),
    );
  });

  it('reports that a script is used up or failed', async () => {
    await using server = await createProviderServer({ script: [] });
    const empty = await call(server, 'anthropic_messages', MINIMAL_REQUESTS.anthropic_messages);
    expect(empty).toMatchObject({ status: 400, body: expect.stringContaining('this is request 1') });
    server.setScript(() => {
      throw new Error('my mistake');
    });
    const failed = await call(server, 'codex_responses', MINIMAL_REQUESTS.codex_responses);
    expect(failed).toMatchObject({ status: 400, body: expect.stringContaining('my mistake') });
  });

  it('returns requests one by one and by count', async () => {
    await using server = await createProviderServer();
    const first = server.nextRequest();
    const both = server.waitForRequests(2);
    await call(server, 'chat_completions', { ...MINIMAL_REQUESTS.chat_completions, model: 'one' });
    await call(server, 'chat_completions', { ...MINIMAL_REQUESTS.chat_completions, model: 'two' });
    expect((await first).model).toBe('one');
    expect((await server.nextRequest()).model).toBe('two');
    expect((await both).map(({ model }) => model)).toEqual(['one', 'two']);
    expect(server.requests[1]?.rawBody).toContain('"model":"two"');
  });

  it('rejects an invalid request without using up a reply, unless strict is false', async () => {
    const body = { model: 'm', messages: [] };
    await using strict = await createProviderServer({ script: [{ text: 'fine' }] });
    const refused = await call(strict, 'chat_completions', body);
    expect(refused).toMatchObject({ status: 400, body: expect.stringContaining('there are no messages') });
    expect((await call(strict, 'chat_completions', MINIMAL_REQUESTS.chat_completions)).body).toContain('fine');
    await using lenient = await createProviderServer({ strict: false });
    expect((await call(lenient, 'chat_completions', body)).status).toBe(200);
    expect(lenient.requests[0]?.faults).toEqual(['there are no messages']);
  });

  it.each([
    ['chat_completions', 'not json', 'the body is not a JSON object'],
    [
      'chat_completions',
      JSON.stringify({ messages: [{ role: 'user', content: 'x' }] }),
      'model: this field is required',
    ],
    ['anthropic_messages', JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'x' }] }), 'max_tokens'],
  ] as const)('rejects in %s: %s', async (apiMode, body, words) => {
    await using server = await createProviderServer();
    const answer = await call(server, apiMode, body);
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.body)).toMatchObject({
      error: { type: 'invalid_request_error', message: expect.stringContaining(words) },
    });
  });

  it('rejects bytes that are not UTF-8', async () => {
    await using server = await createProviderServer();
    const url = `${server.url}/v1/chat/completions`;
    const body = Buffer.from(JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'xÿ' }] }), 'latin1');
    const answer = await fetch(url, { method: 'POST', body, headers: { connection: 'close' } });
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain('not UTF-8');
  });

  it('returns 404 for unknown endpoints and accepts a base URL with any path', async () => {
    await using server = await createProviderServer({ models: ['a', 'b'] });
    expect((await fetch(`${server.url}/v2/nothing`)).status).toBe(404);
    expect(await (await fetch(`${server.url}/v1/models`)).json()).toMatchObject({ data: [{ id: 'a' }, { id: 'b' }] });
    const headers = { 'anthropic-version': '2023-06-01' };
    const body = JSON.stringify(MINIMAL_REQUESTS.anthropic_messages);
    expect((await fetch(`${server.url}/anthropic/v1/messages?beta=1`, { method: 'POST', headers, body })).status).toBe(
      200,
    );
    expect(server.requests).toHaveLength(1);
  });

  it('waits between events and stops when the client disconnects', async () => {
    await using server = await createProviderServer({
      script: [{ text: 'abcdef', chunkSize: 1, delayMs: 2 }],
      repeatLast: true,
    });
    const body = { ...MINIMAL_REQUESTS.chat_completions, stream: true };
    let arrivals = 0;
    await call(server, 'chat_completions', body, { onData: () => (arrivals += 1) });
    expect(arrivals).toBeGreaterThan(1);
    const stop = new AbortController();
    const cut = await call(server, 'chat_completions', body, { signal: stop.signal, onData: () => stop.abort() });
    expect(parseEvents(cut.body).length).toBeLessThan(9);
    await server.waitForDisconnect();
  });

  it('does not count its own cut or a complete response as a disconnect', async () => {
    const server = await createProviderServer({ script: [{ fault: { type: 'cut', afterBytes: 5 } }, { text: 'ok' }] });
    await call(server, 'chat_completions', MINIMAL_REQUESTS.chat_completions);
    await call(server, 'chat_completions', MINIMAL_REQUESTS.chat_completions);
    const disconnect = server.waitForDisconnect();
    await server.close();
    await expect(disconnect).rejects.toThrow('closed after 0 disconnects');
  });

  it('closes immediately, even with open requests and waiting tests', async () => {
    const server = await createProviderServer({ script: [{ fault: { type: 'stall', afterEvents: 1 } }] });
    const { promise: begun, resolve } = Promise.withResolvers<void>();
    const calling = call(
      server,
      'chat_completions',
      { ...MINIMAL_REQUESTS.chat_completions, stream: true },
      { onData: () => resolve() },
    );
    await begun;
    await server.nextRequest();
    const next = server.nextRequest();
    await server.close();
    await expect(next).rejects.toThrow('closed after 1 requests');
    await expect(server.waitForRequests(2)).rejects.toThrow('waiting for 2');
    expect((await calling).broken).toBe('ECONNRESET');
    expect(server.openConnections).toBe(0);
  });

  it('keeps connections open for the next request and can close idle ones', async () => {
    await using server = await createProviderServer();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    await call(server, 'chat_completions', MINIMAL_REQUESTS.chat_completions, { agent });
    await call(server, 'chat_completions', MINIMAL_REQUESTS.chat_completions, { agent });
    expect(server.openConnections).toBe(1);
    server.closeIdleConnections();
    await expect.poll(() => server.openConnections).toBe(0);
  });

  it('does not keep a process alive', async () => {
    const source = `
      const { createProviderServer } = await import(${JSON.stringify(new URL('./provider-server.ts', import.meta.url).href)});
      const server = await createProviderServer();
      console.log(await (await fetch(server.url + '/v1/models')).text());`;
    const run = promisify(execFile);
    const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', source], { timeout: 20_000 });
    expect(stdout).toContain('test-model');
  });
});
