import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/spec/verifies.ts';
import { collect, openApiHome } from '../../../../test/support/api-fixture.ts';

type Output = OpenAI.Responses.ResponseOutputItem[];
type Input = OpenAI.Responses.ResponseInput;

const MODEL = 'hermes-agent';
const CONFIG = 'api_server: { client_tools: true }\n';
const tools: OpenAI.Responses.FunctionTool[] = ['open_page', 'read_clock'].map((name) => ({
  type: 'function',
  name,
  strict: true,
  description: `Use ${name}.`,
  parameters: { type: 'object', properties: { of: { type: 'string' } }, required: ['of'], additionalProperties: false },
}));
const call = (name: string, of: string) => ({ name, arguments: { of } });
const user = (content: string) => ({ type: 'message', role: 'user', content }) as const;

/** Calls two tools of the client and one of its own, then one of the client, and then answers. */
function script({ messages }: { messages: { role: string; text: string }[] }) {
  const said = messages.findLastIndex(({ role }) => role === 'user');
  const results = messages.slice(said).filter(({ role }) => role === 'tool');
  if (messages[said]?.text !== 'go') return { text: `after ${messages.length} messages` };
  if (results.length === 0)
    return {
      reasoning: 'Three calls.',
      text: 'First',
      toolCalls: [call('open_page', 'a'), call('read_clock', 'b'), { name: 'read_file', arguments: { path: 'a.txt' } }],
      usage: { input: 100, output: 10 },
    };
  if (results.length === 3)
    return { text: 'Then', toolCalls: [call('open_page', 'c')], usage: { input: 200, output: 20 } };
  const text = results.map((result) => /result of \w+/.exec(result.text)?.[0] ?? 'file').join(', ');
  return { text, usage: { input: 400, output: 40 } };
}

async function open(config = CONFIG) {
  const api = await openApiHome(config);
  api.provider.setScript(script);
  await writeFile(join(api.home.workspace, 'a.txt'), 'walrus');
  return { ...api, ...(await api.start()) };
}

/** What a program does with the calls: it runs every `function_call`, and knows those of its own tools only. */
function resultsOf(output: Output): Input {
  const calls = output.filter((item) => item.type === 'function_call');
  return calls.map(({ call_id, name, arguments: args }) => {
    expect(['open_page', 'read_clock']).toContain(name);
    return { type: 'function_call_output', call_id, output: `result of ${(JSON.parse(args) as { of: string }).of}` };
  });
}

const typesOf = (output: Output) => output.map(({ type }) => type);
const FIRST = ['reasoning', 'message', 'function_call', 'function_call', 'mcp_call'];

describe('tools of the client in responses', () => {
  verifies('SURF-5', 'end a response, and their outputs continue the same turn', async () => {
    const { client: clientOf, runtime, provider } = await open();
    const client = clientOf();
    const first = await client.responses.create({ model: MODEL, input: 'go', tools });
    expect([first.status, first.output_text, typesOf(first.output).toSorted()]).toEqual([
      'completed',
      'First',
      FIRST.toSorted(),
    ]);
    // The agent stores results in the order of the calls, so this one comes after those of the client.
    const running = { server_label: 'hermes', name: 'read_file', status: 'incomplete', output: null };
    expect(first.output.find(({ type }) => type === 'mcp_call')).toMatchObject(running);
    const second = await client.responses.create({
      model: MODEL,
      previous_response_id: first.id,
      input: resultsOf(first.output),
      tools,
    });
    expect([second.output_text, typesOf(second.output)]).toEqual(['Then', ['message', 'function_call']]);
    const third = await client.responses.create({
      model: MODEL,
      previous_response_id: second.id,
      input: resultsOf(second.output),
      tools,
    });
    expect(third.output_text).toBe('result of a, result of b, file, result of c');
    expect([first, second, third].map(({ usage }) => usage?.total_tokens)).toEqual([110, 220, 440]);
    for (const response of [second, third]) expect(await client.responses.retrieve(response.id)).toEqual(response);
    const completed = (await client.responses.retrieve(first.id)).output;
    expect(completed.map(({ id }) => id)).toEqual(first.output.map(({ id }) => id));
    expect(completed.find(({ type }) => type === 'mcp_call')).toMatchObject({
      ...running,
      status: 'completed',
      output: expect.stringContaining('walrus') as string,
    });
    const inputs = await Promise.all([first, second].map(({ id }) => collect(client.responses.inputItems.list(id))));
    expect(inputs.map((items) => items.map(({ type }) => type))).toEqual([
      ['message'],
      ['function_call_output', 'function_call_output'],
    ]);
    const [session] = await runtime.store.listSessions();
    expect(await runtime.store.getTurns(session?.id ?? '')).toMatchObject([{ exitReason: 'completed', apiCalls: 3 }]);
    // The session continues with its cached prefix.
    await client.responses.create({ model: MODEL, previous_response_id: third.id, input: 'next', tools });
    const bodies = provider.requests.map(({ body }) => body['messages'] as unknown[]);
    for (const [index, sent] of bodies.slice(1).entries())
      expect(sent.slice(0, bodies[index]?.length)).toEqual(bodies[index]);
    expect(await runtime.store.listSessions()).toHaveLength(1);
  });

  verifies('SURF-5', 'stream as calls that the official client reads', async () => {
    const { client: clientOf } = await open();
    const client = clientOf();
    const stream = client.responses.stream({ model: MODEL, input: 'go', tools });
    const events = await collect(stream);
    const first = await stream.finalResponse();
    const calls = first.output.filter((item) => item.type === 'function_call');
    expect(calls.map(({ name, parsed_arguments }) => [name, parsed_arguments])).toEqual([
      ['open_page', { of: 'a' }],
      ['read_clock', { of: 'b' }],
    ]);
    for (const { id, arguments: text } of calls) {
      const own = events.filter((event) => 'item_id' in event && event.item_id === id);
      expect(own).toMatchObject([
        { type: 'response.function_call_arguments.delta', delta: text },
        { type: 'response.function_call_arguments.done', arguments: text },
      ]);
    }
    const again = client.responses.stream({
      model: MODEL,
      previous_response_id: first.id,
      input: resultsOf(first.output),
      tools,
    });
    const numbers = (await collect(again)).map(({ sequence_number }) => sequence_number);
    expect(numbers).toEqual(numbers.map((_, index) => index));
    const second = await again.finalResponse();
    expect([second.output_text, typesOf(second.output)]).toEqual(['Then', ['message', 'function_call']]);
    expect((await client.responses.retrieve(second.id)).output.map(({ id }) => id)).toEqual(
      second.output.map(({ id }) => id),
    );
  });

  verifies('API-1', 'do not hide the calls of the agent, which a client does not run', async () => {
    const { client: clientOf, provider } = await open();
    provider.setScript([
      { toolCalls: [{ name: 'read_file', arguments: { path: 'a.txt' } }] },
      { toolCalls: [call('open_page', 'a')] },
    ]);
    const client = clientOf();
    const stream = client.responses.stream({ model: MODEL, input: 'go', tools });
    const types = (await collect(stream)).map(({ type }) => type);
    const { id, output } = await stream.finalResponse();
    expect(types.filter((type) => type.startsWith('response.mcp_call'))).toEqual([
      ...['response.mcp_call.in_progress', 'response.mcp_call_arguments.done', 'response.mcp_call.completed'],
    ]);
    expect(output.map(({ type }) => type)).toEqual(['mcp_call', 'function_call']);
    expect(output[0]).toMatchObject({ status: 'completed', output: expect.stringContaining('walrus') as string });
    expect((await client.responses.retrieve(id)).output[0]).toEqual(output[0]);
  });

  verifies('SURF-5', 'work for clients that send everything with each request, and keep nothing then', async () => {
    for (const store of [true, false]) {
      const { client: clientOf, runtime, provider } = await open();
      const client = clientOf();
      const input: Input = [user('go')];
      const texts: string[] = [];
      for (;;) {
        const response = await client.responses.create({ model: MODEL, input, tools, store });
        texts.push(response.output_text);
        const results = resultsOf(response.output);
        input.push(...(response.output as Input), ...results);
        if (results.length === 0) break;
      }
      expect(texts).toEqual(['First', 'Then', 'result of a, result of b, file, result of c']);
      expect(provider.requests).toHaveLength(3);
      expect(await runtime.store.listSessions()).toHaveLength(store ? 1 : 0);
      if (!store) continue;
      // The next message finds the session.
      await client.responses.create({ model: MODEL, input: [...input, user('next')], tools });
      expect(await runtime.store.listSessions()).toHaveLength(1);
    }
  });

  verifies('SURF-5', 'continue in a conversation and in the background', async () => {
    const { client: clientOf } = await open();
    const client = clientOf();
    const asked = { model: MODEL, conversation: 'work', tools };
    const first = await client.responses.create({ ...asked, input: 'go' });
    const second = await client.responses.create({ ...asked, input: resultsOf(first.output), background: true });
    const stream = await client.responses.retrieve(second.id, { stream: true });
    const last = (await collect(stream)).at(-1);
    if (last?.type !== 'response.completed') throw new Error(`the stream ended with ${last?.type}`);
    const third = await client.responses.create({ ...asked, input: resultsOf(last.response.output) });
    expect(third.output_text).toContain('result of c');
    const items = await collect(client.conversations.items.list(third.conversation?.id ?? '', { order: 'asc' }));
    expect(items.map(({ type }) => type).filter((type) => type.startsWith('function'))).toEqual([
      ...['function_call', 'function_call', 'function_call_output', 'function_call_output'],
      ...['function_call', 'function_call_output'],
    ]);
  });

  verifies('SURF-5', 'belong to their key, and need all outputs', async () => {
    const { client: clientOf, keyFor } = await open();
    const [client, friend] = [clientOf(), clientOf(await keyFor('friend'))];
    const first = await client.responses.create({ model: MODEL, input: 'go', tools });
    const results = resultsOf(first.output);
    const ask = (by: OpenAI, input: Input) =>
      by.responses.create({ model: MODEL, previous_response_id: first.id, input });
    await expect(ask(friend, results)).rejects.toMatchObject({ status: 409, code: 'turn_ended' });
    await expect(ask(client, results.slice(1))).rejects.toMatchObject({ status: 400, code: 'missing_output' });
    expect((await ask(client, results)).output_text).toBe('Then');
    await expect(ask(client, results)).rejects.toMatchObject({ status: 409, code: 'turn_ended' });
  });

  verifies('SURF-5', 'do not block a client that continues without their outputs', async () => {
    const { client: clientOf, runtime } = await open();
    const client = clientOf();
    const first = await client.responses.create({ model: MODEL, input: 'go', tools });
    const next = await client.responses.create({ model: MODEL, previous_response_id: first.id, input: 'never mind' });
    expect(next.output_text).toMatch(/^after \d messages$/);
    const sessions = await runtime.store.listSessions();
    const turns = await Promise.all(sessions.map(({ id }) => runtime.store.getTurns(id)));
    expect(
      turns
        .flat()
        .map(({ exitReason }) => exitReason)
        .toSorted(),
    ).toEqual(['completed', 'interrupted']);
  });

  verifies('SURF-5', 'do not block a client that sends everything and edits its message', async () => {
    const { client: clientOf } = await open();
    const client = clientOf();
    const input: Input = [user('hello')];
    const ask = (text: string) => client.responses.create({ model: MODEL, input: [...input, user(text)], tools });
    const first = await client.responses.create({ model: MODEL, input, tools });
    input.push(...(first.output as Input));
    expect((await ask('go')).output.some(({ type }) => type === 'function_call')).toBe(true);
    expect((await ask('something else')).output_text).toMatch(/^after \d messages$/);
  });

  verifies('SURF-5', 'are steered by what the user says with the outputs', async () => {
    const { client: clientOf, provider } = await open();
    const client = clientOf();
    const first = await client.responses.create({ model: MODEL, input: 'go', tools });
    const input = [...resultsOf(first.output), user('and be quick')];
    const second = await client.responses.create({ model: MODEL, previous_response_id: first.id, input });
    expect(second.output_text).toBe('Then');
    expect(provider.requests[1]?.messages.at(-1)?.text).toContain('and be quick');
  });

  it('do not delay the end of the server', async () => {
    const { client: clientOf, close } = await open();
    await clientOf().responses.create({ model: MODEL, input: 'go', tools });
    await expect(close(60_000)).resolves.toBeUndefined();
  });

  verifies('SURF-5', 'are refused where they are not allowed, and if their names are taken', async () => {
    const taken = [{ ...tools[0], name: 'read_file' }] as OpenAI.Responses.FunctionTool[];
    const hosted = [{ type: 'web_search' }] as OpenAI.Responses.Tool[];
    const { client: clientOf } = await open();
    const create = (given: OpenAI.Responses.Tool[]) =>
      clientOf().responses.create({ model: MODEL, input: 'hi', tools: given });
    await expect(create(taken)).rejects.toMatchObject({ status: 400, param: 'tools.0.name' });
    await expect(create(hosted)).rejects.toMatchObject({ status: 400, code: 'unsupported_parameter' });
    const without = await open('');
    const asked = without.client().responses.create({ model: MODEL, input: 'hi', tools });
    await expect(asked).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('client_tools') as string,
    });
  });
});
