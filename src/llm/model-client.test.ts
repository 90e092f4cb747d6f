import { afterEach, describe, expect, it } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import { type JsonObject, type JsonValue, ModelError } from '../base/index.ts';
import {
  API_MODES,
  type ApiMode,
  type Credential,
  type ModelRequest,
  type ModelStreamEvent,
} from '../contracts/index.ts';
import { classifyFailure } from './failure/classify-failure.ts';
import { HELLO, type Loopback, sendEvents, sendJson, startLoopback } from './loopback.test-helper.ts';
import { createModelClient, type ModelClientOptions } from './model-client.ts';
import { createHttpTransport } from './transport/http-transport.ts';
import type { HttpRequest } from './transport/http-types.ts';

const REQUEST: ModelRequest = {
  system: 's',
  messages: [{ role: 'user', content: 'hi' }],
  tools: [],
  toolChoice: 'auto',
  stream: true,
};

const servers: Loopback[] = [];
const transport = createHttpTransport();

afterEach(async () => {
  transport.close();
  for (const server of servers.splice(0)) await server.close();
});

async function loopback(...handlers: Parameters<typeof startLoopback>): Promise<Loopback> {
  const server = await startLoopback(...handlers);
  servers.push(server);
  return server;
}

function clientFor(server: Loopback, extra: Partial<ModelClientOptions> = {}) {
  const baseUrl = `${server.url}/v1`;
  return createModelClient({
    apiMode: 'chat_completions',
    baseUrl,
    model: 'm',
    stallTimeoutMs: 20_000,
    transport,
    ...extra,
  });
}

async function ask(server: Loopback, extra: Partial<ModelClientOptions> = {}, request: Partial<ModelRequest> = {}) {
  const events: ModelStreamEvent[] = [];
  const options = {
    signal: new AbortController().signal,
    onEvent: (event: ModelStreamEvent) => void events.push(event),
  };
  const answer = await clientFor(server, extra).stream({ ...REQUEST, ...request }, options);
  return { answer, events };
}

async function failureOf(promise: Promise<unknown>) {
  const thrown = await promise.then(
    () => new Error('it went well'),
    (error: unknown) => error,
  );
  if (!(thrown instanceof ModelError)) throw thrown;
  return thrown.failure;
}

describe('a response', () => {
  it('is streamed, and prepare() returns the bytes that are sent', async () => {
    const server = await loopback((response) => sendEvents(response, HELLO));
    const { answer, events } = await ask(server);
    expect(answer.text).toBe('hello');
    expect(events).toEqual([{ type: 'text-delta', text: 'hello' }]);
    const prepared = clientFor(server).prepare(REQUEST);
    expect(server.seen[0]?.body).toBe(prepared.body);
    expect(server.seen[0]?.request.headers).toMatchObject(prepared.headers);
    expect(prepared.url).toBe(`${server.url}/v1/chat/completions`);
  });

  it('leaves its connection open, with or without [DONE]', async () => {
    const server = await loopback((response) => sendEvents(response, HELLO));
    for (let count = 0; count < 3; count += 1) await ask(server);
    expect(server.sockets).toHaveLength(1);
  });

  it('is complete with its last event even if the server leaves the stream open', async () => {
    const server = await loopback((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(HELLO);
    });
    expect((await ask(server)).answer.text).toBe('hello');
  });

  verifies('CALL-2', 'ends soon after the model has finished', async () => {
    const given: number[] = [];
    const closed = Promise.withResolvers<never>();
    async function* body() {
      yield Buffer.from(HELLO.replace('data: [DONE]\n\n', ''));
      yield Buffer.from(': still here\n\n');
      yield Buffer.from('data: {"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":1}}\n\n');
      await closed.promise;
    }
    const endWithin = (milliseconds: number) => {
      given.push(milliseconds);
      if (given.length === 2) closed.reject(new Error('timed out'));
    };
    const response = {
      status: 200,
      headers: {},
      body: body(),
      touchContent: () => {},
      endWithin,
      release: () => Promise.resolve(),
    };
    const silent = { send: () => Promise.resolve(response), close: () => {} };
    const server = await loopback(() => {});
    const { answer } = await ask(server, { transport: silent });
    expect(answer).toMatchObject({ text: 'hello', usage: { input: 7, output: 1 } });
    // The comment between the two events is not an event, so it did not restart the timer.
    expect(given).toEqual([5000, 5000]);
  });

  it('is not lost if the connection breaks after the finish reason', async () => {
    const whole = HELLO.replace('data: [DONE]\n\n', '');
    const server = await loopback((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(whole, () => response.socket?.resetAndDestroy());
    });
    expect((await ask(server)).answer.text).toBe('hello');
  });

  it('may have [DONE] as the only sign of its end', async () => {
    const server = await loopback((response) =>
      sendEvents(response, 'data: {"choices":[{"delta":{"content":"ok"}}]}\n\ndata: [DONE]\n\n'),
    );
    expect((await ask(server)).answer).toMatchObject({ text: 'ok', finishReason: 'stop' });
    const half =
      'data: {"choices":[{"delta":{"tool_calls":[{"id":"a","function":{"name":"n","arguments":"{\\"a"}}]}}]}\n\ndata: [DONE]\n\n';
    const cut = await loopback((response) => sendEvents(response, half));
    expect(await failureOf(ask(cut))).toMatchObject({ kind: 'connection' });
  });

  it('may contain a null error in an unknown event', async () => {
    const events = [
      { type: 'novelty', error: null },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'hello' } },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' } },
      { type: 'message_stop' },
    ];
    const text = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
    const server = await loopback((response) => sendEvents(response, text));
    expect((await ask(server, { apiMode: 'anthropic_messages' })).answer.text).toBe('hello');
  });

  it('that Anthropic paused is unfinished unless it has calls', async () => {
    const paused = (content: JsonObject[]) => ({ type: 'message', content, stop_reason: 'pause_turn' });
    const text = { type: 'text', text: 'so far' };
    const call = { type: 'tool_use', id: 'c', name: 'todo', input: {} };
    const server = await loopback(
      (response) => sendJson(response, 200, paused([text])),
      (response) => sendJson(response, 200, paused([text, call])),
    );
    const finish = async () => (await ask(server, { apiMode: 'anthropic_messages' })).answer.finishReason;
    expect(await finish()).toBe('length');
    expect(await finish()).toBe('tool_calls');
  });

  it('may have a generic content type', async () => {
    const server = await loopback((response) => response.writeHead(200, { 'content-type': 'text/plain' }).end(HELLO));
    expect((await ask(server)).answer.text).toBe('hello');
  });
});

const WHOLE: Record<ApiMode, JsonObject> = {
  chat_completions: {
    choices: [
      {
        index: 0,
        finish_reason: 'tool_calls',
        message: {
          role: 'assistant',
          content: '<think>tag</think>Hello',
          reasoning_content: 'thought',
          tool_calls: [{ id: 'c1', type: 'function', function: { name: 'todo', arguments: { b: 1, a: [true] } } }],
        },
      },
    ],
    usage: { prompt_tokens: 10, completion_tokens: 3, prompt_tokens_details: { cached_tokens: 4 } },
  },
  codex_responses: {
    status: 'completed',
    output: [
      { type: 'reasoning', id: 'rs', summary: [{ type: 'summary_text', text: 'thought' }], encrypted_content: 'E' },
      {
        type: 'message',
        role: 'assistant',
        content: [
          { type: 'output_text', text: 'Hel' },
          { type: 'output_text', text: 'lo' },
        ],
      },
      { type: 'function_call', id: 'fc', call_id: 'c1', name: 'todo', arguments: '{"a":[true],"b":1}' },
    ],
    usage: { input_tokens: 10, input_tokens_details: { cached_tokens: 4 }, output_tokens: 3 },
  },
  anthropic_messages: {
    type: 'message',
    content: [
      { type: 'thinking', thinking: 'thought', signature: 'S' },
      { type: 'text', text: 'Hel' },
      { type: 'text', text: 'lo' },
      { type: 'tool_use', id: 'c1', name: 'todo', input: { b: 1, a: [true] } },
    ],
    stop_reason: 'tool_use',
    usage: { input_tokens: 6, cache_read_input_tokens: 4, output_tokens: 3 },
  },
  ollama_chat: {
    message: {
      role: 'assistant',
      content: 'Hello',
      thinking: 'thought',
      tool_calls: [{ id: 'c1', function: { name: 'todo', arguments: { b: 1, a: [true] } } }],
    },
    done: true,
    done_reason: 'stop',
    prompt_eval_count: 6,
    eval_count: 3,
  },
};

describe('a response that is not streamed', () => {
  for (const apiMode of API_MODES) {
    for (const stream of [true, false]) {
      verifies(
        ['CALL-1', 'CALL-11'],
        `${apiMode}, stream ${stream}: gives the same as a stream, including usage`,
        async () => {
          const server = await loopback((response) => sendJson(response, 200, WHOLE[apiMode]));
          const { answer, events } = await ask(server, { apiMode }, { stream });
          expect(answer).toMatchObject({
            text: 'Hello',
            reasoning: 'thought',
            finishReason: 'tool_calls',
            toolCalls: [{ id: 'c1', name: 'todo', arguments: '{"a":[true],"b":1}' }],
            usage: { input: 6, output: 3, cacheRead: apiMode === 'ollama_chat' ? 0 : 4, cacheWrite: 0, reasoning: 0 },
          });
          expect(events.map((event) => event.type)).toContain('tool-call-start');
          expect(server.seen[0]?.body.includes('"stream":true')).toBe(stream);
        },
      );
    }

    it(`${apiMode}: may contain a null error`, async () => {
      const server = await loopback((response) => sendJson(response, 200, { ...WHOLE[apiMode], error: null }));
      expect((await ask(server, { apiMode })).answer.text).toBe('Hello');
    });

    it(`${apiMode}: must belong to the API mode`, async () => {
      for (const body of [{}, { hello: 'world' }, { choices: [] }, []]) {
        const server = await loopback((response) => sendJson(response, 200, body));
        expect(await failureOf(ask(server, { apiMode }, { stream: false }))).toMatchObject({
          kind: 'invalid_response',
          retryable: true,
        });
      }
    });

    it(`${apiMode}: is a failure if it contains an error with status 200`, async () => {
      const server = await loopback((response) =>
        sendJson(response, 200, { error: { type: 'overloaded_error', message: 'Overloaded' } }),
      );
      expect(await failureOf(ask(server, { apiMode }))).toMatchObject({ kind: 'overloaded' });
    });
  }
});

describe('impossible usage values', () => {
  const usages: Record<ApiMode, (figure: JsonValue) => JsonObject> = {
    chat_completions: (figure) => ({
      prompt_tokens: figure,
      completion_tokens: figure,
      cost: figure,
      prompt_tokens_details: { cached_tokens: figure, cache_write_tokens: figure },
      completion_tokens_details: { reasoning_tokens: figure },
    }),
    codex_responses: (figure) => ({
      input_tokens: figure,
      output_tokens: figure,
      input_tokens_details: { cached_tokens: figure },
      output_tokens_details: { reasoning_tokens: figure },
    }),
    anthropic_messages: (figure) => ({
      input_tokens: figure,
      output_tokens: figure,
      cache_read_input_tokens: figure,
      cache_creation_input_tokens: figure,
    }),
    ollama_chat: (figure) => ({ figure }),
  };
  const answerWith = async (apiMode: ApiMode, figure: JsonValue) => {
    const usage = usages[apiMode](figure);
    // Ollama reports its usage as fields next to the message and reports no other counts.
    const own = apiMode === 'ollama_chat' ? { prompt_eval_count: figure, eval_count: figure } : { usage };
    const server = await loopback((response) => sendJson(response, 200, { ...WHOLE[apiMode], ...own }));
    return (await ask(server, { apiMode }, { stream: false })).answer;
  };

  for (const apiMode of API_MODES) {
    verifies(
      'LOOP-13',
      `${apiMode}: become bounded non-negative integers, and an impossible cost is ignored`,
      async () => {
        for (const figure of [-5, '12', 1e308, 1.4, null, true]) {
          const { usage, cost } = await answerWith(apiMode, figure);
          for (const count of Object.values(usage)) {
            expect(Number.isSafeInteger(count) && count >= 0 && count <= 1e9).toBe(true);
          }
          expect(cost?.usd).toBe(apiMode === 'chat_completions' && figure === 1.4 ? 1.4 : undefined);
        }
      },
    );
  }
});

describe('the stall timeout', () => {
  const stallTimeoutFor = async (characters: number, stallTimeoutMs = 1000) => {
    const asked: number[] = [];
    const send = (request: HttpRequest) => {
      asked.push(request.stallTimeoutMs);
      return Promise.reject(new ModelError(classifyFailure({ message: 'enough', status: 500 })));
    };
    const server = await loopback(() => {});
    const messages = [{ role: 'user' as const, content: 'x'.repeat(characters) }];
    await failureOf(ask(server, { stallTimeoutMs, transport: { send, close: () => {} } }, { messages }));
    return asked[0] ?? 0;
  };

  verifies('CALL-2', 'allows a large prompt up to three times the stall timeout', async () => {
    expect(await stallTimeoutFor(1000)).toBe(1000);
    const large = await stallTimeoutFor(500_000);
    expect(large).toBeGreaterThan(1400);
    expect(large).toBeLessThan(1600);
    expect(await stallTimeoutFor(20_000_000)).toBe(3000);
  });
});

describe('a failure', () => {
  it('without a message reports its status', async () => {
    for (const body of ['{}', '[]', 'null', '""', '{"error":{}}', '{"error":{"message":""}}', '{"error":null}', '']) {
      const server = await loopback((response) => response.writeHead(429).end(body));
      const failure = await failureOf(ask(server));
      expect(failure).toMatchObject({
        kind: 'rate_limit',
        message: expect.stringContaining('HTTP 429 without a message'),
      });
    }
    const server = await loopback((response) => response.writeHead(400).end('{"odd":{"n":7}}'));
    expect((await failureOf(ask(server))).message).toBe('{"odd":{"n":7}}');
  });

  it('is classified, including the headers', async () => {
    const server = await loopback((response) =>
      sendJson(response, 429, { error: { message: 'slow' } }, { 'retry-after': '3' }),
    );
    expect(await failureOf(ask(server))).toMatchObject({
      kind: 'rate_limit',
      status: 429,
      retryAfterMs: 3000,
      message: 'slow',
    });
  });

  it('calculates a date in Retry-After from the clock', async () => {
    const date = new Date(90_000).toUTCString();
    const server = await loopback((response) => sendJson(response, 503, {}, { 'retry-after': date }));
    const clock = { now: () => 60_000, sleep: () => Promise.resolve() };
    expect(await failureOf(ask(server, { clock }))).toMatchObject({ kind: 'overloaded', retryAfterMs: 30_000 });
  });

  it('names the host of a redirect, which is not followed', async () => {
    const server = await loopback((response) => response.writeHead(308, { location: 'https://evil.example/x' }).end());
    const failure = await failureOf(ask(server));
    expect(failure).toMatchObject({ kind: 'format_error', status: 308 });
    expect(failure.message).toContain('evil.example');
  });

  it.each([
    ['a web page', 'text/html', '<html><title>Sign in</title></html>', 'invalid_response'],
    ['an image', 'image/png', 'x', 'invalid_response'],
    ['an empty body', 'text/event-stream', '', 'invalid_response'],
    ['an empty JSON body', 'application/json', '', 'invalid_response'],
    ['broken JSON', 'application/json', '{"choices":[', 'invalid_response'],
    ['a stream that ends early', 'text/event-stream', HELLO.slice(0, 90), 'connection'],
    ['comments only', 'text/event-stream', ': hello\n\n', 'connection'],
    ['a bare error event', 'text/event-stream', 'event: error\ndata: {"message":"Overloaded"}\n\n', 'overloaded'],
  ])('%s', async (_, type, body, kind) => {
    const server = await loopback((response) => response.writeHead(200, { 'content-type': type }).end(body));
    expect(await failureOf(ask(server))).toMatchObject({ kind, retryable: true });
  });

  it('reads only the start of a huge error body', async () => {
    const server = await loopback((response) => {
      response.writeHead(500);
      const more = () => response.write('x'.repeat(65_536), () => setImmediate(more));
      more();
    });
    expect(await failureOf(ask(server))).toMatchObject({ kind: 'server_error' });
  });

  it('of the network names the host', async () => {
    const server = await loopback(() => {});
    await server.close();
    const failure = await failureOf(ask(server));
    expect(failure).toMatchObject({ kind: 'connection', code: 'ECONNREFUSED', retryable: true });
    expect(failure.message).toContain(server.host);
  });

  it('never contains the credential', async () => {
    const server = await loopback((response, { request }) =>
      sendJson(response, 401, {
        error: { message: `bad ${String(request.headers.authorization)} of ${String(request.headers['x-account'])}` },
      }),
    );
    const credential = { secret: 'short-key', hosts: [server.host], headers: { 'x-account': 'account-17' } };
    const failure = await failureOf(ask(server, { credential }));
    expect(failure.kind).toBe('auth');
    expect(failure.message).not.toContain('short-key');
    expect(failure.message).not.toContain('account-17');
  });
});

describe('the caller of a model client', () => {
  verifies('CALL-2', 'gets the reason of its abort, not a failure', async () => {
    const server = await loopback((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(HELLO.slice(0, 90));
    });
    const controller = new AbortController();
    const reason = new Error('enough');
    const onEvent = () => controller.abort(reason);
    await expect(clientFor(server).stream(REQUEST, { signal: controller.signal, onEvent })).rejects.toBe(reason);
    const aborted = { signal: AbortSignal.abort(reason), onEvent };
    await expect(clientFor(server).stream(REQUEST, aborted)).rejects.toBe(reason);
  });

  it('gets an error thrown by its own listener unchanged', async () => {
    const server = await loopback((response) => sendEvents(response, HELLO));
    const fault = new Error('my own fault');
    const onEvent = () => {
      throw fault;
    };
    const signal = new AbortController().signal;
    await expect(clientFor(server).stream(REQUEST, { signal, onEvent })).rejects.toBe(fault);
  });

  it('can change the credential between calls', async () => {
    const server = await loopback((response) => sendEvents(response, HELLO));
    let current: Credential | undefined = { secret: 'one', hosts: [server.host] };
    const credential = { take: () => Promise.resolve(current) };
    await ask(server, { credential });
    current = { secret: 'two', hosts: [server.host] };
    await ask(server, { credential, quirks: { authHeader: 'x-api-key' } });
    current = undefined;
    await ask(server, { credential });
    const sent = server.seen.map(({ request }) => request.headers.authorization ?? request.headers['x-api-key']);
    expect(sent).toEqual(['Bearer one', 'two', undefined]);
  });

  it('gets Anthropic headers on Anthropic requests', async () => {
    const server = await loopback((response) => sendJson(response, 200, WHOLE.anthropic_messages));
    const credential = { secret: 'k', hosts: [server.host] };
    await ask(server, { apiMode: 'anthropic_messages', credential, headers: { 'Anthropic-Beta': 'b' } });
    expect(server.seen[0]?.request.url).toBe('/v1/messages');
    expect(server.seen[0]?.request.headers).toMatchObject({
      'x-api-key': 'k',
      'anthropic-version': '2023-06-01',
      'anthropic-beta': 'b',
    });
  });
});
