import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/spec/verifies.ts';
import { PNG } from '../../../../test/support/sample-files.ts';
import { KEY, openApi } from '../../../../test/support/api-fixture.ts';

type Messages = OpenAI.ChatCompletionMessageParam[];
const user = (content: string) => ({ role: 'user', content }) as const;
const assistant = (content: string) => ({ role: 'assistant', content }) as const;

/** Asks, and returns the answer with the session it is in. */
async function ask(client: OpenAI, messages: Messages, headers: Record<string, string> = {}) {
  const call = client.chat.completions.create({ model: 'hermes-agent', messages }, { headers });
  const { data, response } = await call.withResponse();
  return {
    text: data.choices[0]?.message.content ?? '',
    session: response.headers.get('x-hermes-session-id') ?? '',
    data,
  };
}

const listing = ({ messages }: { messages: { role: string; text: string }[] }) =>
  messages.at(-1)?.role === 'tool'
    ? { text: 'There are files.' }
    : {
        text: 'Let me look.',
        reasoning: 'I need ls.',
        toolCalls: [{ name: 'terminal', arguments: { command: 'ls' } }],
      };

describe('chat completions', () => {
  verifies('SURF-5', 'answer the official client, with usage', async () => {
    const { client } = await openApi();
    const { data, text } = await ask(client, [user('hi')]);
    expect(text).toBe('answer 1');
    expect(data).toMatchObject({
      object: 'chat.completion',
      model: 'hermes-agent',
      choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant' } }],
    });
    expect(data.usage?.total_tokens).toBe((data.usage?.prompt_tokens ?? 0) + (data.usage?.completion_tokens ?? 0));
    expect((await client.models.list()).data.map(({ id }) => id)).toEqual(['hermes-agent', 'hermes-plain']);
    expect(await client.models.retrieve('hermes-agent')).toMatchObject({ object: 'model', owned_by: 'hermes' });
    expect(await client.models.retrieve('custom/other')).toMatchObject({ id: 'custom/other' });
  });

  verifies(['SURF-5', 'API-1'], 'stream text, reasoning and tool progress, with the usage at the end', async () => {
    const { client, request } = await openApi({ script: listing });
    const body = {
      model: 'hermes-agent',
      stream: true,
      stream_options: { include_usage: true },
      messages: [user('list')],
    };
    const stream = client.chat.completions.stream({ ...body, stream: true });
    const chunks: OpenAI.ChatCompletionChunk[] = [];
    for await (const chunk of stream) chunks.push(chunk);
    const completion = await stream.finalChatCompletion();
    expect(completion.choices[0]?.message.content).toBe('Let me look.\n\nThere are files.');
    expect(chunks[0]?.choices[0]?.delta).toEqual({ role: 'assistant', content: '' });
    const reasoning = chunks.map(
      (chunk) => (chunk.choices[0]?.delta as { reasoning_content?: string })?.reasoning_content,
    );
    expect(reasoning.join('')).toBe('I need ls.');
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: expect.any(Number) as number } });
    expect(chunks.at(-2)?.choices[0]?.finish_reason).toBe('stop');

    const text = await (await request('/v1/chat/completions', { method: 'POST', body })).text();
    const progress = [...text.matchAll(/^event: hermes\.tool\.progress\ndata: (.*)$/gm)].map(
      ([, data = '']) => JSON.parse(data) as object,
    );
    expect(progress).toMatchObject([
      { choices: [], tool: 'terminal', label: 'ls', status: 'running' },
      { choices: [], tool: 'terminal', label: 'ls', status: 'completed', outcome: 'ok' },
    ]);
    expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
  });

  verifies('SURF-5', 'continue in the session whose messages they start with, with an equal prefix', async () => {
    const { client, provider, runtime } = await openApi({
      script: ({ messages }) => ({ text: `answer ${messages.length}` }),
    });
    const said: Messages = [user('one')];
    const first = await ask(client, said);
    said.push(assistant(`${first.text}\r\n`), user('two'));
    const second = await ask(client, said);
    said.push(assistant(second.text), user('three'));
    const third = await ask(client, said);
    expect([second.session, third.session]).toEqual([first.session, first.session]);
    expect(third.text).toBe('answer 5');
    const bodies = provider.requests.map(({ body }) => body['messages'] as unknown[]);
    for (const [index, messages] of bodies.slice(1).entries())
      expect(messages.slice(0, bodies[index]?.length)).toEqual(bodies[index]);
    expect(await runtime.store.listSessions()).toHaveLength(1);
  });

  verifies('SURF-5', 'keep one session and its prefix when a front end regenerates or edits', async () => {
    let count = 0;
    const { client, provider, runtime } = await openApi({ script: () => ({ text: `answer ${(count += 1)}` }) });
    const opening = await ask(client, [user('one')]);
    const regenerated = await ask(client, [user('one')]);
    expect(regenerated.text).toBe('answer 2');
    const base: Messages = [user('one'), assistant(regenerated.text)];
    const second = await ask(client, [...base, user('two')]);
    const again = await ask(client, [...base, user('two')]);
    const edited = await ask(client, [...base, user('two, but different')]);
    const after = await ask(client, [...base, user('two, but different'), assistant(edited.text), user('three')]);
    const sessions = [opening, regenerated, second, again, edited, after].map(({ session }) => session);
    expect(new Set(sessions).size).toBe(1);
    expect(await runtime.store.listSessions()).toHaveLength(1);
    const [, , asked, ...others] = provider.requests.map(({ body }) =>
      JSON.stringify((body['messages'] as unknown[]).slice(0, 3)),
    );
    for (const other of others) expect(other).toBe(asked);
    const stored = await runtime.store.getConversation(after.session);
    expect(stored.map(({ content }) => content)).toEqual([
      'one',
      'answer 2',
      'two, but different',
      'answer 5',
      'three',
      'answer 6',
    ]);
  });

  verifies('SURF-5', 'change nothing in a session in which another process runs a turn', async () => {
    const { client, runtime } = await openApi();
    const { store } = runtime;
    const first = await ask(client, [user('one')]);
    const elsewhere = { pid: 1, host: 'another machine', surface: 'cli' };
    await store.acquireLease(first.session, elsewhere, 60_000);
    const said = [user('one'), assistant(first.text), user('to another model'), assistant('its answer'), user('two')];
    await expect(ask(client, said)).rejects.toMatchObject({ status: 409, code: 'session_busy' });
    expect(await store.getMessages(first.session)).toHaveLength(2);
  });

  verifies('SURF-5', 'branch at the last equal message if an answer was changed, and lose nothing', async () => {
    const { client, runtime } = await openApi({ script: listing });
    const first = await ask(client, [user('list')]);
    const second = await ask(client, [user('list'), assistant(first.text), user('more')]);
    const changed = await ask(client, [user('list'), assistant('There is a cat.'), user('more')]);
    expect(changed.session).not.toBe(first.session);
    const stored = await runtime.store.getConversation(changed.session);
    expect(stored.map(({ content }) => content).slice(0, 3)).toEqual(['list', 'There is a cat.', 'more']);
    expect(await runtime.store.getSession(changed.session)).toMatchObject({
      isBranch: true,
      parentSessionId: first.session,
    });
    expect((await runtime.store.getConversation(second.session)).length).toBeGreaterThan(6);
    // The original conversation continues where it was.
    const third = await ask(client, [
      user('list'),
      assistant(first.text),
      user('more'),
      assistant(second.text),
      user('go'),
    ]);
    expect(third.session).toBe(first.session);
  });

  it('start with the messages of the client if none of them is known', async () => {
    const { client, provider } = await openApi();
    const answer = await ask(client, [user('one'), assistant('two'), user('three')]);
    const messages = provider.requests[0]?.messages.map(({ role, text }) => `${role}: ${text}`);
    expect(messages?.slice(-3)).toEqual(['user: one', 'assistant: two', 'user: three']);
    const next = await ask(client, [
      user('one'),
      assistant('two'),
      user('three'),
      assistant(answer.text),
      user('four'),
    ]);
    expect(next.session).toBe(answer.session);
  });

  verifies('GW-12', 'never share a session between keys, users or chats', async () => {
    const { client, clientOf, home, runtime, request } = await openApi();
    const { addKey } = await import('../index.ts');
    const other = clientOf(await addKey(home.path, 'friend', {}, 0));
    const said: Messages = [user('one'), assistant('answer 1'), user('two')];
    const own = await ask(client, said.slice(0, 1));
    const foreign = await ask(other, said.slice(0, 1));
    expect(foreign.session).not.toBe(own.session);
    expect((await ask(other, said)).session).toBe(foreign.session);
    const chat = await ask(client, said.slice(0, 1), { 'x-openwebui-chat-id': 'c2' });
    expect(chat.session).not.toBe(own.session);
    await expect(ask(other, [user('x')], { 'x-hermes-session-id': own.session })).rejects.toMatchObject({
      status: 404,
    });
    const continued = await ask(client, [user('x')], { 'x-hermes-session-id': own.session });
    expect(continued).toMatchObject({ session: own.session, text: 'answer 2' });
    expect(await runtime.store.listSessions()).toHaveLength(3);
    const named = await ask(client, [user('x')], { 'x-hermes-session-id': 'my-own-id' });
    expect(named.session).toBe('my-own-id');
    expect((await request('/v1/models', { key: KEY.slice(1) })).status).toBe(401);
  });

  it('add system messages as one more layer, and attach images and files', async () => {
    const { client, provider } = await openApi();
    const url = `data:image/png;base64,${PNG.toString('base64')}`;
    const content = [
      { type: 'text', text: 'what is this?' },
      { type: 'image_url', image_url: { url } },
    ] as const;
    await ask(client, [
      { role: 'system', content: 'Answer like a pirate.' },
      { role: 'user', content: [...content] },
    ]);
    const sent = JSON.stringify(provider.requests[0]?.body);
    expect(sent).toContain('Answer like a pirate.');
    expect(sent).toContain(PNG.toString('base64').slice(0, 40));
    const broken = [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }] as const;
    await expect(ask(client, [{ role: 'user', content: [...broken] }])).rejects.toMatchObject({
      status: 400,
      param: 'messages.0.content.0.image_url',
    });
  });

  verifies('LOOP-2', 'are not broken by half a surrogate pair in instructions, nor is their session', async () => {
    const { client, provider } = await openApi();
    const instructions = 'Be \ud800 kind.';
    const messages: Messages = [{ role: 'system', content: instructions }, user('one')];
    const first = await ask(client, messages);
    const second = await ask(client, [...messages, assistant(first.text), user('two')]);
    expect(second).toMatchObject({ text: 'answer 2', session: first.session });
    const [before, after] = provider.requests.map(({ system }) => system);
    expect(after).toBe(before);
    expect(before).toContain('Be \ufffd kind.');
    const response = await client.responses.create({ model: 'hermes-agent', input: 'hi', instructions });
    expect(response.output_text).toBe('answer 1');
  });

  verifies('SURF-5', 'answer titles and tags of front ends without tools', async () => {
    const { client, provider, runtime } = await openApi();
    const task = '### Task:\nGenerate a title.\n### Chat History:\n<chat_history>\nUSER: hi\n</chat_history>';
    await ask(client, [user(task)]);
    await client.chat.completions.create({ model: 'hermes-plain', messages: [user('a title, please')] });
    expect(provider.requests.map(({ body }) => body['tools'])).toEqual([undefined, undefined]);
    expect((await runtime.store.listSessions()).map(({ source }) => source)).toEqual([
      'api_server_plain',
      'api_server_plain',
    ]);
  });

  verifies('SURF-5', 'have errors with the body and the status of OpenAI', async () => {
    const fault = { type: 'status', status: 400, message: 'no such thing' } as const;
    const { client, request } = await openApi({ script: () => ({ fault }) });
    const post = (body: object) => client.chat.completions.create(body as never);
    await expect(post({ messages: [] })).rejects.toMatchObject({
      status: 400,
      param: 'messages',
      type: 'invalid_request_error',
    });
    await expect(post({ messages: [assistant('x')] })).rejects.toMatchObject({ status: 400 });
    await expect(post({ messages: [user(' ')] })).rejects.toMatchObject({ status: 400, param: 'messages' });
    await expect(client.responses.create({ input: '' })).rejects.toMatchObject({ status: 400, param: 'input' });
    await expect(client.models.retrieve('custom/')).rejects.toMatchObject({ status: 404 });
    await expect(post({ messages: [user('x')], n: 2 })).rejects.toMatchObject({ status: 400, param: 'n' });
    await expect(post({ model: 'gpt-9', messages: [user('x')] })).rejects.toMatchObject({
      status: 404,
      code: 'model_not_found',
    });
    const long = post({ model: `custom-${'x'.repeat(9000)}`, messages: [user('x')] });
    await expect(long).rejects.toSatisfy((error: Error) => error.message.length < 300);
    for (const url of ['http://[::1', 'http://', 'ftp://host/x.png', 'http://127.0.0.1:1/x.png']) {
      const image = post({ messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }] });
      await expect(image).rejects.toMatchObject({ status: 400, param: 'messages.0.content.0.image_url' });
      await expect(image).rejects.toSatisfy((error: Error) => !error.message.endsWith('..'));
    }
    await expect(client.models.retrieve('gpt-9')).rejects.toBeInstanceOf(OpenAI.NotFoundError);
    await expect(post({ messages: [user('x')] })).rejects.toMatchObject({ status: 502, type: 'server_error' });
    await expect(post({ messages: [user('x')], stream: true })).rejects.toMatchObject({ status: 502 });
    const broken = await request('/v1/chat/completions', { method: 'POST', body: {} });
    expect(broken.headers.get('x-request-id')).toMatch(/^req_/);
    const text = await fetch(broken.url, {
      method: 'POST',
      body: '{',
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    });
    expect([text.status, await text.json()]).toMatchObject([400, { error: { code: 'invalid_json' } }]);
    expect((await request('/v1/chat/completions')).status).toBe(405);
    expect((await request('/v1/embeddings', { method: 'POST', body: {} })).status).toBe(404);
  });
});

describe('a client that disconnects', () => {
  verifies('SURF-5', 'interrupts its turn within a second, and can continue after it', async () => {
    const { client, provider, runtime } = await openApi({
      script: () => ({ fault: { type: 'stall', afterEvents: 3 }, text: 'a long answer', chunkSize: 1 }),
    });
    for (const stream of [true, false]) {
      const stop = new AbortController();
      const asked = client.chat.completions.create(
        { model: 'hermes-agent', stream, messages: [user('hi')] },
        { signal: stop.signal },
      );
      const reading = (async () => {
        const answer = await asked;
        if (Symbol.asyncIterator in answer)
          for await (const chunk of answer) if (chunk.choices[0]?.delta.content) stop.abort();
      })();
      await provider.nextRequest();
      if (!stream) stop.abort();
      await reading.catch(() => undefined);
      await provider.waitForDisconnect();
      await expect.poll(async () => (await runtime.store.listRunningTurns()).length).toBe(0);
    }
    const turns = (
      await Promise.all((await runtime.store.listSessions()).map(({ id }) => runtime.store.getTurns(id)))
    ).flat();
    expect(turns.map(({ exitReason }) => exitReason)).toEqual(['interrupted', 'interrupted']);
  });

  verifies('SURF-5', 'changes nothing in the session for which it was still waiting', async () => {
    const gate = Promise.withResolvers<void>();
    const { client, request, runtime, provider } = await openApi({
      async script({ messages, lastUserText }) {
        if (lastUserText !== 'two') return { text: `answer to ${lastUserText}` };
        if (messages.at(-1)?.role === 'user') return { toolCalls: [{ name: 'todo', arguments: {} }] };
        await gate.promise;
        return { text: 'answer to two' };
      },
    });
    const begun = [user('one'), assistant('answer to one')];
    const { session } = await ask(client, [user('one')]);
    const second = ask(client, [...begun, user('two')]);
    await provider.waitForRequests(3);
    // Replaces the running turn, but leaves before it could start.
    const leaving = new AbortController();
    const body = { messages: [...begun, user('three')] };
    const third = request('/v1/chat/completions', { method: 'POST', body, signal: leaving.signal });
    await request('/health/detailed');
    leaving.abort();
    await expect(third).rejects.toThrow();
    await request('/health/detailed');
    gate.resolve();
    await second;
    await ask(client, [...begun, user('two'), assistant('answer to two'), user('four')]);
    const messages = await runtime.store.getMessages(session);
    expect(messages.map(({ message: { role, content } }) => (role === 'user' ? content : role))).toEqual([
      'one',
      'assistant',
      'two',
      'assistant',
      'tool',
      'assistant',
      'four',
      'assistant',
    ]);
  });
});

describe('Idempotency-Key', () => {
  verifies('SURF-5', 'makes two equal requests one turn, also at the same time', async () => {
    const { client, provider, request } = await openApi();
    const headers = { 'idempotency-key': 'k1' };
    const answers = await Promise.all([1, 2, 3].map(() => ask(client, [user('hi')], headers)));
    expect(new Set(answers.map(({ data }) => data.id)).size).toBe(1);
    expect(provider.requests).toHaveLength(1);
    const body = { stream: true, messages: [user('stream')] };
    const streams = await Promise.all(
      [1, 2].map(async () =>
        (await request('/v1/chat/completions', { method: 'POST', body, headers: { 'idempotency-key': 'k2' } })).text(),
      ),
    );
    expect(streams[0]).toBe(streams[1]);
    expect(provider.requests).toHaveLength(2);
    await expect(ask(client, [user('other')], headers)).rejects.toMatchObject({ status: 422 });
    await ask(client, [user('hi')], { 'idempotency-key': 'k3' });
    const elsewhere = { 'idempotency-key': 'k3', 'x-hermes-session-key': 'another chat' };
    await expect(ask(client, [user('hi')], elsewhere)).rejects.toMatchObject({ status: 422 });
    expect(provider.requests).toHaveLength(3);
  });
});
