import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type OpenAI from 'openai';
import { describe, expect, it, vi } from 'vitest';
import { verifies } from '../../../../test/spec/verifies.ts';
import { collect, openApiHome } from '../../../../test/support/api-fixture.ts';
import type { ReceivedRequest } from '../../../testing/index.ts';

const said = ({ messages }: ReceivedRequest) => messages.map(({ role, text }) => `${role}: ${text}`);
/** The package adds what it has parsed. */
const plain = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (key, part: unknown) => (key.startsWith('parsed') ? undefined : part)));

describe('POST /v1/responses', () => {
  verifies('SURF-5', 'answers a text, and can be retrieved and deleted', async () => {
    const { provider, start } = await openApiHome();
    provider.setScript([{ text: 'Hello!', usage: { input: 10, output: 3, cacheRead: 4 } }]);
    const client = (await start()).client();
    const response = await client.responses.create({ model: 'hermes-agent', input: 'Hi', metadata: { topic: 'a' } });
    expect(response).toMatchObject({
      object: 'response',
      status: 'completed',
      output_text: 'Hello!',
      model: 'hermes-agent',
      metadata: { topic: 'a' },
      usage: { input_tokens: 14, output_tokens: 3, total_tokens: 17, input_tokens_details: { cached_tokens: 4 } },
    });
    expect(await client.responses.retrieve(response.id)).toEqual(response);
    const input = await collect(client.responses.inputItems.list(response.id));
    expect(input).toMatchObject([{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hi' }] }]);
    await client.responses.delete(response.id);
    await expect(client.responses.retrieve(response.id)).rejects.toMatchObject({
      status: 404,
      code: 'response_not_found',
    });
  });

  verifies('API-1', 'streams tool calls and their results as items', async () => {
    const { home, provider, start } = await openApiHome();
    await writeFile(join(home.workspace, 'a.txt'), 'walrus');
    provider.setScript([
      { reasoning: 'Look.', text: 'I look.', toolCalls: [{ name: 'read_file', arguments: { path: 'a.txt' } }] },
      { text: 'It says walrus.' },
    ]);
    const client = (await start()).client();
    const stream = client.responses.stream({ model: 'hermes-agent', input: 'What is in a.txt?' });
    const events = await collect(stream);
    const final = await stream.finalResponse();
    expect(final.output.map(({ type }) => type)).toEqual([
      ...['reasoning', 'message', 'function_call', 'function_call_output', 'message'],
    ]);
    expect(final.output_text).toBe('I look.It says walrus.');
    expect(JSON.stringify(final.output[3])).toContain('walrus');
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, index) => index));
    expect((await client.responses.retrieve(final.id)).output).toEqual(plain(final.output));
    // A complete response can be streamed again.
    const again = client.responses.stream({ response_id: final.id });
    expect(plain(await again.finalResponse())).toEqual(plain(final));
  });

  verifies('API-1', 'discards the text of a failed call of the model', async () => {
    const { provider, start } = await openApiHome();
    provider.setScript([
      { text: 'Wrong, and cut off', fault: { type: 'cut-clean', afterEvents: 2 } },
      { text: 'Right.' },
    ]);
    const stream = (await start()).client().responses.stream({ model: 'hermes-agent', input: 'Hi' });
    const events = (await collect(stream)) as (
      | OpenAI.Responses.ResponseStreamEvent
      | { type: 'keepalive'; hermes: object }
    )[];
    const [discarded] = events.filter((event) => event.type === 'keepalive');
    const items = [{ item_id: expect.stringMatching(/^msg_/), kept_characters: 0 }];
    expect(discarded).toMatchObject({ hermes: { items, reason: expect.any(String) } });
    expect((await stream.finalResponse()).output_text).toBe('Right.');
  });

  verifies('SURF-5', 'continues after a response in the same session, and after an older one in a branch', async () => {
    const { provider, start } = await openApiHome();
    provider.setScript([{ text: 'A1' }, { text: 'A2' }, { text: 'B2' }, { text: 'A3' }]);
    const { client: open, runtime } = await start();
    const client = open();
    const ask = (input: string, previous?: OpenAI.Responses.Response) =>
      client.responses.create({ model: 'hermes-agent', input, previous_response_id: previous?.id ?? null });
    const first = await ask('q1');
    const second = await ask('q2', first);
    const other = await ask('other', first);
    const third = await ask('q3', second);
    expect(provider.requests.map(said)).toEqual([
      ['user: q1'],
      ['user: q1', 'assistant: A1', 'user: q2'],
      ['user: q1', 'assistant: A1', 'user: other'],
      ['user: q1', 'assistant: A1', 'user: q2', 'assistant: A2', 'user: q3'],
    ]);
    // What a provider has cached stays valid, byte for byte.
    const bodies = provider.requests.map(({ rawBody }) => rawBody.slice(0, rawBody.indexOf('"content":"A1"')));
    expect(new Set(bodies.slice(1)).size).toBe(1);
    expect([other.output_text, third.output_text, third.previous_response_id]).toEqual(['B2', 'A3', second.id]);
    expect(await runtime.store.listSessions()).toHaveLength(2);
    expect((await client.responses.retrieve(first.id)).output_text).toBe('A1');
    expect(await collect(client.responses.inputItems.list(other.id))).toHaveLength(1);
  });

  verifies(['SURF-5', 'GW-12'], 'finds the session of a client that sends everything that was said', async () => {
    const { provider, start, keyFor } = await openApiHome();
    provider.setScript([
      { text: 'I look.', toolCalls: [{ id: 'c1', name: 'todo', arguments: {} }] },
      { text: 'A1' },
      { text: 'A2' },
      { text: 'B2' },
      { text: 'F2' },
    ]);
    const secret = await keyFor('friend');
    const { client: open, runtime } = await start();
    const ask = (input: OpenAI.Responses.ResponseInput, client = open()) =>
      client.responses.create({ model: 'hermes-agent', input });
    const user = (content: string) => ({ role: 'user', content }) as const;
    const first = await ask([user('q1')]);
    const echo = first.output as OpenAI.Responses.ResponseInput;
    await ask([user('q1'), ...echo, user('q2')]);
    // The client has changed its last message, and leaves out the tool calls.
    await ask([user('q1'), { role: 'assistant', content: first.output_text.replace('A1', '\n\nA1') }, user('other')]);
    await ask([user('q1'), ...echo, user('q2')], open(secret));
    const known = ['user: q1', 'assistant: I look.', expect.stringContaining('tool: {'), 'assistant: A1'];
    expect(provider.requests.slice(2).map(said)).toEqual([
      [...known, 'user: q2'],
      [...known, 'user: other'],
      expect.arrayContaining(['user: q1', 'user: q2']),
    ]);
    expect(await runtime.store.listSessions()).toHaveLength(3);
    expect((await open().responses.retrieve(first.id)).output).toHaveLength(4);
  });

  verifies('SURF-5', 'continues what the client of the original sends as conversation_history', async () => {
    const { provider, start } = await openApiHome();
    provider.setScript([{ text: 'A1' }, { text: 'A2' }, { text: 'B1' }]);
    const { client: open, runtime } = await start();
    const ask = (more: object) => open().responses.create({ model: 'hermes-agent', ...more } as never);
    const history = [
      { role: 'user', content: 'q1' },
      { role: 'assistant', content: 'A1' },
    ];
    await ask({ input: 'q1', conversation_history: [] });
    await ask({ input: 'q2', conversation_history: history, previous_response_id: 'resp_unknown' });
    expect(await runtime.store.listSessions()).toHaveLength(1);
    await ask({ input: 'q2', conversation_history: [{ role: 'user', content: 'other' }, history[1]] });
    expect(provider.requests.slice(1).map(said)).toEqual([
      ['user: q1', 'assistant: A1', 'user: q2'],
      ['user: other', 'assistant: A1', 'user: q2'],
    ]);
    await expect(ask({ input: 'q2', conversation_history: history, conversation: 'work' })).rejects.toMatchObject({
      status: 400,
    });
    await expect(ask({ input: 'q2', conversation_history: [{ role: 'robot' }] })).rejects.toMatchObject({
      status: 400,
      param: expect.stringContaining('conversation_history.0') as string,
    });
  });

  verifies('STORE-5', 'is found and continued after its session was compressed', async () => {
    const { provider, start } = await openApiHome();
    provider.setScript([{ text: 'A1' }, { text: 'A2' }, { text: 'A3' }, { text: 'B2' }]);
    const { client: open, runtime } = await start();
    const client = open();
    const { id } = await client.conversations.create();
    const ask = (input: string, more: object) => client.responses.create({ model: 'hermes-agent', input, ...more });
    const first = await ask('q1', { conversation: id });
    const [session] = await runtime.store.listSessions();
    const [, answer] = await runtime.store.getMessages(session?.id ?? '');
    await runtime.store.splitSession(session?.id ?? '', { id: 'child', source: 'api_server', startedAt: Date.now() }, [
      { message: { role: 'user', content: 'summary' }, isReplacement: true },
      { copyOf: answer?.id ?? 0 },
    ]);
    expect((await client.responses.retrieve(first.id)).output).toEqual(first.output);
    const second = await ask('q2', { previous_response_id: first.id });
    await ask('q3', { conversation: id });
    await ask('other', { previous_response_id: first.id });
    expect(provider.requests.slice(1).map(said)).toEqual([
      ['user: summary', 'assistant: A1', 'user: q2'],
      ['user: summary', 'assistant: A1', 'user: q2', 'assistant: A2', 'user: q3'],
      // A branch begins with the messages as they were before the compression.
      ['user: q1', 'assistant: A1', 'user: other'],
    ]);
    expect((await client.responses.retrieve(second.id)).output_text).toBe('A2');
    const items = await collect(client.conversations.items.list(id, { order: 'asc' }));
    const texts = items.flatMap((item) => (item.type === 'message' ? item.content : []));
    expect(texts.map((part) => ('text' in part ? part.text : ''))).toEqual(['q1', 'A1', 'q2', 'A2', 'q3', 'A3']);
  });

  verifies('GW-12', 'belongs to its key, and two at the same time after the same response never mix', async () => {
    const { provider, start, keyFor } = await openApiHome();
    const secret = await keyFor('friend');
    const { client } = await start();
    const [mine, friend] = [client(), client(secret)];
    const first = await mine.responses.create({ model: 'hermes-agent', input: 'mine' });
    for (const foreign of [
      () => friend.responses.retrieve(first.id),
      () => friend.responses.delete(first.id),
      () => friend.responses.cancel(first.id),
      () => collect(friend.responses.inputItems.list(first.id)),
      () => friend.responses.create({ model: 'hermes-agent', input: 'x', previous_response_id: first.id }),
    ])
      await expect(foreign()).rejects.toMatchObject({ status: 404 });
    provider.setScript(({ lastUserText }) => ({ text: `to ${lastUserText}` }));
    const words = ['a', 'b', 'c'];
    const answers = await Promise.all(
      words.map((input) => mine.responses.create({ model: 'hermes-agent', input, previous_response_id: first.id })),
    );
    expect(answers.map(({ output_text }) => output_text)).toEqual(['to a', 'to b', 'to c']);
    expect(provider.requests.slice(1).map((request) => request.messages.length)).toEqual([3, 3, 3]);
  });

  it('does not carry instructions over, and changes nothing that was sent before', async () => {
    const { provider, start } = await openApiHome();
    const client = (await start()).client();
    const base = { model: 'hermes-agent', input: 'Hi' };
    const first = await client.responses.create({ ...base, instructions: 'Speak Latin.' });
    const developer = { role: 'developer', content: 'Be brief.' } as const;
    const input = [developer, { role: 'user', content: 'Again' } as const];
    await client.responses.create({ ...base, input, previous_response_id: first.id });
    const [one, two] = provider.requests.map(({ system }) => system);
    expect(one).toMatch(/\n\nSpeak Latin\.$/);
    expect(two).toBe(one?.replace('Speak Latin.', 'Be brief.'));
    expect(first.instructions).toBe('Speak Latin.');
  });

  it('is not kept with store: false, and leaves the session of the response before it alone', async () => {
    const { provider, start } = await openApiHome();
    const { client: open, runtime } = await start();
    const client = open();
    const alone = await client.responses.create({ model: 'hermes-agent', input: 'secret', store: false });
    await expect(client.responses.retrieve(alone.id)).rejects.toMatchObject({ status: 404 });
    expect(await runtime.store.listSessions()).toEqual([]);
    const first = await client.responses.create({ model: 'hermes-agent', input: 'q1' });
    await client.responses.create({ model: 'hermes-agent', input: 'x', store: false, previous_response_id: first.id });
    await client.responses.create({ model: 'hermes-agent', input: 'q2', previous_response_id: first.id });
    expect(provider.requests.map(said).at(-1)).toEqual(['user: q1', 'assistant: ok', 'user: q2']);
    expect(await runtime.store.listSessions()).toHaveLength(1);
  });

  it('accepts images, files, earlier messages and references to items', async () => {
    const { provider, start } = await openApiHome();
    const client = (await start()).client();
    const png = `data:image/png;base64,${Buffer.from('\x89PNG\r\n\x1a\n0000', 'latin1').toString('base64')}`;
    const image = { type: 'input_image', image_url: png, detail: 'auto' } as const;
    const first = await client.responses.create({
      model: 'hermes-agent',
      input: [
        { role: 'user', content: 'q0' },
        { role: 'assistant', content: 'a0' },
        { role: 'user', content: [{ type: 'input_text', text: 'Look' }, image] },
      ],
    });
    const query = { include: ['message.input_image.image_url' as const] };
    const [shown] = await collect(client.responses.inputItems.list(first.id, query));
    expect(shown).toMatchObject({ content: [{ text: 'Look' }, { type: 'input_image', image_url: png }] });
    expect(said(provider.requests[0] as ReceivedRequest).slice(0, 2)).toEqual(['user: q0', 'assistant: a0']);
    const [answer] = first.output;
    await client.responses.create({
      model: 'hermes-agent',
      input: [
        { role: 'user', content: 'Look' },
        { type: 'item_reference', id: answer?.id ?? '' },
        { role: 'user', content: 'And now?' },
      ],
    });
    expect(said(provider.requests[1] as ReceivedRequest).slice(-2)).toEqual(['assistant: ok', 'user: And now?']);
  });

  it('returns JSON that matches the schema, and asks again if the first answer does not', async () => {
    const { provider, start } = await openApiHome();
    provider.setScript([{ text: '{"sum":"four"}' }, { text: 'Here:\n```json\n{"sum":4}\n```' }]);
    const client = (await start()).client();
    const schema = { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] };
    const text = { format: { type: 'json_schema', name: 'sum', schema, strict: true } } as const;
    const response = await client.responses.parse({ model: 'hermes-agent', input: '2+2', text });
    expect(
      JSON.parse(
        response.output
          .flatMap((item) => (item.type === 'message' ? item.content : []))
          .map((part) => (part.type === 'output_text' ? part.text : ''))
          .at(-1) ?? '',
      ),
    ).toEqual({ sum: 4 });
    expect((await client.responses.retrieve(response.id)).output).toEqual(plain(response.output));
    expect(await collect(client.responses.inputItems.list(response.id))).toHaveLength(1);
  });

  verifies('SURF-5', 'runs one turn for two requests with the same idempotency key', async () => {
    const { provider, start } = await openApiHome();
    const gate = Promise.withResolvers<void>();
    provider.setScript([{ text: 'Once.', fault: { type: 'slow-headers', wait: gate.promise } }]);
    const { client } = await start();
    const options = { headers: { 'Idempotency-Key': 'a' } };
    const body = { model: 'hermes-agent', input: 'Hi' };
    const abort = new AbortController();
    const gone = client().responses.create(body, { ...options, signal: abort.signal });
    const first = client().responses.create(body, options);
    await provider.nextRequest();
    // One of the clients stays, so the turn goes on.
    abort.abort();
    await expect(gone).rejects.toThrow();
    gate.resolve();
    const response = await first;
    expect(await client().responses.create(body, options)).toEqual(response);
    const streamed = { ...body, stream: true } as const;
    await expect(client().responses.create(streamed, options)).rejects.toMatchObject({ status: 422 });
    provider.setScript([{ text: 'Streamed.' }]);
    const other = { headers: { 'Idempotency-Key': 'b' } };
    const streams = await Promise.all([1, 2].map(() => client().responses.create(streamed, other)));
    for (const stream of streams) {
      const last = (await collect(stream)).at(-1);
      expect(last).toMatchObject({ type: 'response.completed', response: { output: [{ type: 'message' }] } });
    }
    expect(provider.requests).toHaveLength(2);
  });

  verifies(['API-1', 'SURF-15'], 'sends every other event of the turn to a client that wants them', async () => {
    const { provider, start } = await openApiHome();
    provider.setScript([{ text: 'I look.', toolCalls: [{ name: 'todo', arguments: {} }] }, { text: 'Done.' }]);
    const client = (await start()).client();
    const options = { headers: { 'Hermes-Events': 'all' } };
    const stream = client.responses.stream({ model: 'hermes-agent', input: 'Hi' }, options);
    const events = (await collect(stream)) as unknown as { type: string; hermes: { type: string; v: number } }[];
    const others = events.filter(({ type }) => type === 'keepalive').map(({ hermes }) => hermes);
    expect(others.map(({ type }) => type)).toEqual(['started', 'tool-call-seen', 'usage', 'usage']);
    expect(others.every(({ v }) => v === 1)).toBe(true);
    expect((await stream.finalResponse()).output_text).toBe('I look.Done.');
    const wrong = client.responses.create(
      { model: 'hermes-agent', input: 'x' },
      { headers: { 'Hermes-Events': 'some' } },
    );
    await expect(wrong).rejects.toMatchObject({ status: 400 });
  });

  verifies('SURF-5', 'refuses invalid requests with the field that is wrong', async () => {
    const { start } = await openApiHome();
    const client = (await start()).client();
    const bodies: [object, number, string | null][] = [
      [{ input: 5 }, 400, 'input'],
      [{ input: [] }, 400, 'input'],
      [{ input: [{ role: 'assistant', content: 'x' }] }, 400, 'input'],
      [{ input: [{ role: 'king', content: 'x' }] }, 400, 'input.0.role'],
      [{ input: [{ type: 'computer_call' }] }, 400, 'input.0.type'],
      [{ input: 'x', metadata: { a: 1 } }, 400, 'metadata'],
      [{ input: 'x', stream: 'yes' }, 400, 'stream'],
      [{ input: 'x', reasoning: { effort: 'extreme' } }, 400, 'reasoning.effort'],
      [{ input: 'x', background: true, store: false }, 400, null],
      [{ input: 'x', tools: [{ type: 'function', name: 'f', parameters: {} }] }, 400, null],
      [{ input: 'x', previous_response_id: 'resp_none' }, 404, 'previous_response_id'],
      [{ input: 'x', previous_response_id: 'a', conversation: 'b' }, 400, null],
      [{ input: 'x', conversation: 'conv_none' }, 404, null],
      [
        {
          input: [
            { type: 'item_reference', id: 'msg_none' },
            { role: 'user', content: 'x' },
          ],
        },
        404,
        'input',
      ],
      [{ input: 'x', model: 'nothing' }, 404, null],
      [
        { input: 'x', text: { format: { type: 'json_schema', name: 'n', schema: { type: 'file' } } } },
        400,
        'text.format.schema',
      ],
    ];
    for (const [body, status, param] of bodies) {
      const refused = client.responses.create(body as OpenAI.Responses.ResponseCreateParamsNonStreaming);
      await expect(refused, JSON.stringify(body)).rejects.toMatchObject({ status, param, type: expect.any(String) });
    }
  });

  it('reports a model that fails with a status, or in the stream', async () => {
    const { provider, start } = await openApiHome();
    const refusal = { fault: { type: 'status', status: 400, code: 'invalid', message: 'no such thing' } } as const;
    provider.setScript(() => refusal);
    const client = (await start()).client();
    await expect(client.responses.create({ model: 'hermes-agent', input: 'x' })).rejects.toMatchObject({ status: 502 });
    const stream = client.responses.stream({ model: 'hermes-agent', input: 'x' });
    const final = await stream.finalResponse();
    expect(final).toMatchObject({
      status: 'failed',
      error: { code: 'server_error', message: expect.stringContaining('no such thing') },
    });
    expect(await client.responses.retrieve(final.id)).toMatchObject({ status: 'failed', output: [] });
  });

  verifies('SURF-5', 'is interrupted within a second when its client disconnects', async () => {
    const { provider, start } = await openApiHome();
    provider.setScript([{ text: 'A long answer that never ends', fault: { type: 'stall', afterEvents: 3 } }]);
    const { client, runtime } = await start();
    for (const isStreamed of [true, false]) {
      provider.setScript([{ text: 'A long answer that never ends', fault: { type: 'stall', afterEvents: 3 } }]);
      const abort = new AbortController();
      const request = client().responses.create(
        { model: 'hermes-agent', input: 'x', stream: isStreamed },
        { signal: abort.signal },
      );
      request.catch(() => undefined);
      await provider.nextRequest();
      if (isStreamed)
        for await (const event of (await request) as AsyncIterable<{ type: string }>)
          if (event.type === 'response.output_text.delta') break;
      const started = Date.now();
      abort.abort();
      await provider.waitForDisconnect();
      expect(Date.now() - started).toBeLessThan(1000);
    }
    const responses = await runtime.store.openResponseStore();
    await vi.waitFor(async () => expect(await responses.listOpenResponses()).toEqual([]));
  });
});
