import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { API_MODES, type ApiMode } from '../../contracts/index.ts';
import type { Fault } from '../reply.ts';
import { createProviderServer, type ProviderServer } from './provider-server.ts';
import { type CallOptions, call, type Observed, parseEvents, MINIMAL_REQUESTS } from './test-requests.ts';

const NODE_MAJOR = Number.parseInt(process.versions.node, 10);

/** How a complete stream of each API mode ends; a truncated one must not contain it. */
const FINISH: Record<ApiMode, string> = {
  chat_completions: '"finish_reason":"stop"',
  codex_responses: 'event: response.completed',
  anthropic_messages: '"stop_reason":"end_turn"',
  ollama_chat: '"done_reason":"stop"',
};

let server: ProviderServer;

beforeEach(async () => {
  server = await createProviderServer();
});

afterEach(async () => {
  await server.close();
});

describe.each(API_MODES)('faults in %s', (apiMode) => {
  function send(fault: Fault | undefined, stream: boolean, options: CallOptions = {}): Promise<Observed> {
    server.setScript([{ text: 'One two three four five six.', chunkSize: 4, ...(fault ? { fault } : {}) }]);
    return call(server, apiMode, { ...MINIMAL_REQUESTS[apiMode], stream }, options);
  }

  it('complete response for comparison', async () => {
    const streamed = await send(undefined, true);
    expect(streamed).toMatchObject({ status: 200, broken: undefined });
    expect(streamed.headers['content-type']).toMatch(/^text\/event-stream|^application\/x-ndjson/);
    expect(streamed.body).toContain(FINISH[apiMode]);
    const whole = await send(undefined, false);
    expect(whole.headers['content-type']).toContain('application/json');
    expect(whole.body).toContain('One two three four five six.');
  });

  it.each([400, 401, 402, 403, 404, 408, 413, 422, 429, 500, 502, 503, 504, 529, 418, 599])(
    'status %i',
    async (status) => {
      const { status: seen, body } = await send({ type: 'status', status }, true);
      expect(seen).toBe(status);
      const parsed = JSON.parse(body) as { type?: string; error: string | { message: string; type: string } };
      // Ollama's errors consist of a message only.
      const { message, type } =
        typeof parsed.error === 'string' ? { message: parsed.error, type: 'none' } : parsed.error;
      expect(message).toMatch(/\w.*\./);
      expect(type).toMatch(/^[a-z_]+$/);
      expect(parsed.type).toBe(apiMode === 'anthropic_messages' ? 'error' : undefined);
    },
  );

  it('status with a message, headers, Retry-After or a custom body', async () => {
    const first = await send(
      { type: 'status', status: 429, message: 'Slow down.', code: 'slow', retryAfter: 12 },
      true,
    );
    expect(first.headers['retry-after']).toBe('12');
    const wordy = { error: 'Slow down. (slow)' };
    const coded = { error: { message: 'Slow down.', [apiMode === 'anthropic_messages' ? 'type' : 'code']: 'slow' } };
    expect(JSON.parse(first.body)).toMatchObject(apiMode === 'ollama_chat' ? wordy : coded);
    const headers = { 'content-type': 'text/plain', 'x-extra': 'yes' };
    const second = await send({ type: 'status', status: 503, body: 'plain words', headers }, true);
    expect(second).toMatchObject({ status: 503, body: 'plain words', headers });
    expect((await send({ type: 'status', status: 400, body: { odd: 1 } }, true)).body).toBe('{"odd":1}');
  });

  it('stall before the headers until the client disconnects', async () => {
    const stop = new AbortController();
    let headers = 0;
    const calling = send({ type: 'stall' }, true, { signal: stop.signal, onHeaders: () => (headers += 1) });
    await server.nextRequest();
    expect(server.openConnections).toBe(1);
    stop.abort();
    await expect(calling).rejects.toThrow('aborted');
    await server.waitForDisconnect();
    expect(headers).toBe(0);
  });

  it('stall after the headers and after some events', async () => {
    for (const afterEvents of [0, 2]) {
      const stop = new AbortController();
      const onHeaders = () => (afterEvents === 0 ? stop.abort() : undefined);
      const onData = (body: string) => (parseEvents(body).length === 2 ? stop.abort() : undefined);
      const { body, broken } = await send({ type: 'stall', afterEvents }, true, {
        signal: stop.signal,
        onHeaders,
        onData,
      });
      expect(broken).toBeDefined();
      expect(parseEvents(body)).toHaveLength(afterEvents);
      await server.waitForDisconnect();
    }
  });

  it('stall in the middle of a response without streaming', async () => {
    const stop = new AbortController();
    const { body } = await send({ type: 'stall', afterEvents: 1 }, false, {
      signal: stop.signal,
      onData: () => stop.abort(),
    });
    expect(body.length).toBeGreaterThan(10);
    expect(() => JSON.parse(body) as unknown).toThrow(SyntaxError);
    await server.waitForDisconnect();
  });

  it.each([0, 1, 77, 300])('cut after %i bytes', async (afterBytes) => {
    for (const stream of [true, false]) {
      const whole = await send(undefined, stream);
      const { body, status, broken } = await send({ type: 'cut', afterBytes }, stream);
      expect(status).toBe(200);
      expect(broken).toBe('ECONNRESET');
      const sent = Math.min(afterBytes, whole.body.length);
      expect(body.length).toBeLessThanOrEqual(sent);
      // Since Node 26 the client drops undelivered data when a connection breaks.
      expect(body.length).toBeGreaterThanOrEqual(NODE_MAJOR < 26 ? sent : 0);
    }
  });

  it('cut inside a character', async () => {
    server.setScript([{ text: '😀', chunkSize: 1 }]);
    const whole = Buffer.from((await call(server, apiMode, { ...MINIMAL_REQUESTS[apiMode], stream: true })).body);
    const afterBytes = whole.indexOf('😀') + 2;
    server.setScript([{ text: '😀', chunkSize: 1, fault: { type: 'cut', afterBytes } }]);
    const { body } = await call(server, apiMode, { ...MINIMAL_REQUESTS[apiMode], stream: true });
    expect(body).not.toContain('😀');
  });

  it('cut-clean ends normally without a finish reason', async () => {
    const { body, broken } = await send({ type: 'cut-clean' }, true);
    expect(broken).toBeUndefined();
    expect(body).not.toContain(FINISH[apiMode]);
    expect(body).not.toContain('[DONE]');
    expect(parseEvents((await send({ type: 'cut-clean', afterEvents: 2 }, true)).body)).toHaveLength(2);
    const whole = await send({ type: 'cut-clean' }, false);
    expect(whole.body).toContain('One two');
    expect(whole.body).toMatch(/"finish_reason":null|"stop_reason":null|"status":"in_progress"|"done":false/);
  });

  it('reset before the headers', async () => {
    await expect(send({ type: 'reset' }, true)).rejects.toMatchObject({ code: 'ECONNRESET' });
  });

  it('malformed-json', async () => {
    const events = parseEvents((await send({ type: 'malformed-json', afterEvents: 1 }, true)).body);
    expect(events[0]?.data).toBeTypeOf('object');
    expect(events[1]?.data).toBeTypeOf('string');
    expect(events[2]?.data).toBeTypeOf('object');
    const whole = await send({ type: 'malformed-json' }, false);
    expect(() => JSON.parse(whole.body) as unknown).toThrow(SyntaxError);
    expect(whole.headers['content-type']).toContain('application/json');
  });

  it('wrong-content-type', async () => {
    const { status, headers, body } = await send({ type: 'wrong-content-type' }, true);
    expect([status, headers['content-type']]).toEqual([200, 'text/html']);
    expect(body).toContain('<html>');
    expect((await send({ type: 'wrong-content-type', status: 502 }, true)).status).toBe(502);
  });

  it('slow-headers, by time and until released', async () => {
    expect((await send({ type: 'slow-headers', wait: 5 }, true)).status).toBe(200);
    const { promise, resolve } = Promise.withResolvers<void>();
    let headers = false;
    const calling = send({ type: 'slow-headers', wait: promise }, true, { onHeaders: () => (headers = true) });
    await server.waitForRequests(2);
    expect(headers).toBe(false);
    resolve();
    expect((await calling).body).toContain(FINISH[apiMode]);
  });

  it('huge-chunk', async () => {
    const characters = 300_000;
    const events = (await send({ type: 'huge-chunk', characters }, true)).body.split('\n\n');
    expect(events.some((event) => event.length > characters)).toBe(true);
    expect((await send({ type: 'huge-chunk' }, false)).body.length).toBeGreaterThan(4 * 1024 * 1024);
  });

  it('empty-body', async () => {
    for (const stream of [true, false]) {
      const { status, body, broken } = await send({ type: 'empty-body' }, stream);
      expect({ status, body, broken }).toEqual({ status: 200, body: '', broken: undefined });
    }
  });

  it('error-event in the format of the API mode', async () => {
    const { status, body } = await send({ type: 'error-event', afterEvents: 2, message: 'Lost.' }, true);
    expect(status).toBe(200);
    const expected = {
      chat_completions: { event: undefined, data: { error: { message: 'Lost.', type: 'server_error' } } },
      codex_responses: { event: 'error', data: { type: 'error', message: 'Lost.' } },
      anthropic_messages: {
        event: 'error',
        data: { type: 'error', error: { type: 'overloaded_error', message: 'Lost.' } },
      },
      ollama_chat: { event: undefined, data: { error: 'Lost.' } },
    };
    expect(parseEvents(body)[2]).toMatchObject(expected[apiMode]);
    expect(body).not.toContain(FINISH[apiMode]);
    const whole = await send({ type: 'error-event', code: 'odd' }, false);
    expect([whole.status, whole.body]).toEqual([200, expect.stringMatching(/"odd"|\(odd\)/)]);
  });

  it('refuse-stream rejects only streaming requests', async () => {
    const { status, body } = await send({ type: 'refuse-stream' }, true);
    expect(status).toBe(400);
    expect(body).toMatch(/[Ss]tream/);
    expect((await send({ type: 'refuse-stream' }, false)).body).toContain('One two three four five six.');
  });
});
