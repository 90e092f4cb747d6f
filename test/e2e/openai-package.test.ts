import OpenAI, { NotFoundError } from 'openai';
import { zodTextFormat } from 'openai/helpers/zod';
import { describe, expect } from 'vitest';
import * as z from 'zod';
import {
  createProviderServer,
  createTemporaryHome,
  type ProviderScript,
  type Reply,
  startHermes,
} from '../../src/testing/index.ts';
import { verifies } from '../spec/verifies.ts';
import { collect } from '../support/api-fixture.ts';
import { waitUntil } from '../support/wait-until.ts';

const KEY = 'a-key-of-the-user-with-more-than-32-characters';
const MODEL = 'hermes-agent';
const PNG = `data:image/png;base64,${Buffer.from('\x89PNG\r\n\x1a\n0000', 'latin1').toString('base64')}`;

/** Answers by what the user said last, so that calls can run in any order. */
const script: ProviderScript = ({ messages, lastUserText }): Reply => {
  const asked = messages.filter(({ role }) => role === 'user').length;
  if (lastUserText.includes('fail')) return { fault: { type: 'status', status: 400, message: 'the model refused' } };
  if (lastUserText.includes('hang')) return { text: 'I begin to', fault: { type: 'stall', afterEvents: 2 } };
  if (lastUserText.includes('weather')) return { text: '{"city":"Rome","degrees":21}' };
  if (lastUserText.includes('tool') && messages.at(-1)?.role === 'user')
    return { reasoning: 'Hm.', text: 'I look.', toolCalls: [{ name: 'todo', arguments: {} }] };
  return { text: `answer ${asked}`, usage: { input: 20, output: 5, cacheRead: 10, cacheWrite: 0, reasoning: 0 } };
};

type Script = { client: OpenAI; strangers: OpenAI; friend: OpenAI };

/** An API server in a process of its own, and clients that count their requests. */
async function openServer() {
  const provider = await createProviderServer({ script });
  const home = await createTemporaryHome({
    'config.yaml': `model: { provider: custom, default: test-model, base_url: ${provider.url}/v1, api_key: k }
auxiliary: { title_generation: { enabled: false } }
terminal: { backend: local }
`,
  });
  const added = startHermes(['api', 'key', 'add', 'friend'], { home });
  await added.exited;
  const friendKey = /hermes-[\da-f]{64}/.exec(added.stdout)?.[0] ?? '';
  const process = startHermes(['serve', '--port', '0'], { home, env: { API_SERVER_KEY: KEY } });
  const baseURL = (await process.waitForOutput(/http:\/\/\S+\/v1/)).trim();
  let calls = 0;
  const clientOf = (apiKey: string) =>
    new OpenAI({
      apiKey,
      baseURL,
      maxRetries: 0,
      logLevel: 'off',
      fetch: (url, init) => {
        calls += 1;
        return fetch(url, init);
      },
    });
  return {
    clients: { client: clientOf(KEY), friend: clientOf(friendKey), strangers: clientOf('wrong') } satisfies Script,
    calls: () => calls,
    secrets: [KEY, friendKey],
    async close(): Promise<string> {
      process.kill('SIGTERM');
      const { stdout, stderr } = await process.exited;
      const log = await home.read('logs/hermes.log').catch(() => '');
      await provider.close();
      await home.remove();
      return stdout + stderr + log;
    },
  };
}

async function callModels({ client, strangers }: Script): Promise<void> {
  const ids = (await collect(client.models.list())).map(({ id }) => id);
  expect(ids).toContain(MODEL);
  expect(await client.models.retrieve(MODEL)).toMatchObject({ id: MODEL, object: 'model' });
  await expect(client.models.retrieve('nothing')).rejects.toBeInstanceOf(NotFoundError);
  await expect(collect(strangers.models.list())).rejects.toMatchObject({ status: 401, type: 'authentication_error' });
}

async function callChat({ client, friend }: Script): Promise<void> {
  const chat = client.chat.completions;
  type Messages = OpenAI.Chat.ChatCompletionMessageParam[];
  const messages: Messages = [{ role: 'system', content: 'Be brief.' }];
  for (const turn of [1, 2, 3]) {
    messages.push({ role: 'user', content: `question ${turn}` });
    const { choices, usage } = await chat.create({ model: MODEL, messages });
    const [choice] = choices;
    expect(choice).toMatchObject({ finish_reason: 'stop', message: { content: `answer ${turn}` } });
    expect(usage).toMatchObject({ prompt_tokens: 30, completion_tokens: 5, total_tokens: 35 });
    messages.push({ role: 'assistant', content: choice?.message.content ?? '' });
  }
  const ask = (content: string): Messages => [{ role: 'user', content }];
  const body = { model: MODEL, stream: true, stream_options: { include_usage: true } } as const;
  const chunks = await collect(await chat.create({ ...body, messages: ask('streamed') }));
  expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: 35 } });
  expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('')).toBe('answer 1');
  const helper = chat.stream({ model: MODEL, messages: ask('use a tool') });
  expect(await helper.finalContent()).toBe('I look.\n\nanswer 1');
  const image = { type: 'image_url', image_url: { url: PNG } } as const;
  const look: Messages = [{ role: 'user', content: [{ type: 'text', text: 'Look' }, image] }];
  expect((await chat.create({ model: MODEL, messages: look })).choices[0]?.message.content).toBe('answer 1');
  const same = { headers: { 'Idempotency-Key': 'once' } };
  const twice = [1, 2].map(() => chat.create({ model: MODEL, messages: ask('once') }, same));
  const [first, second] = await Promise.all(twice);
  expect(first?.id).toBe(second?.id);
  expect((await friend.chat.completions.create({ model: MODEL, messages: ask('question 1') })).choices).toHaveLength(1);
  await expect(chat.create({ model: 'nothing', messages: ask('x') })).rejects.toMatchObject({ status: 404 });
  await expect(chat.create({ model: MODEL, messages: [] })).rejects.toMatchObject({ status: 400, param: 'messages' });
  await expect(chat.create({ model: MODEL, messages: ask('fail') })).rejects.toMatchObject({ status: 502 });
}

async function callResponses({ client, friend }: Script): Promise<void> {
  const { responses } = client;
  const first = await responses.create({ model: MODEL, input: 'one', instructions: 'Be brief.', metadata: { a: 'b' } });
  expect(first).toMatchObject({ status: 'completed', output_text: 'answer 1', instructions: 'Be brief.' });
  expect(first.usage).toMatchObject({ input_tokens: 30, output_tokens: 5, total_tokens: 35 });
  const second = await responses.create({ model: MODEL, input: 'two', previous_response_id: first.id });
  const branch = await responses.create({ model: MODEL, input: 'other', previous_response_id: first.id });
  expect([second.output_text, branch.output_text]).toEqual(['answer 2', 'answer 2']);
  expect(await responses.retrieve(second.id)).toEqual(second);
  expect(await collect(responses.inputItems.list(second.id))).toMatchObject([{ content: [{ text: 'two' }] }]);
  const events = await collect(await responses.create({ model: MODEL, input: 'streamed', stream: true }));
  expect([events[0]?.type, events.at(-1)?.type]).toEqual(['response.created', 'response.completed']);
  const helper = responses.stream({ model: MODEL, input: 'use a tool' });
  const types = (await helper.finalResponse()).output.map(({ type }) => type);
  expect(types).toEqual(['reasoning', 'message', 'function_call', 'function_call_output', 'message']);
  const Weather = z.object({ city: z.string(), degrees: z.number() });
  const format = zodTextFormat(Weather, 'weather');
  const parsed = await responses.parse({ model: MODEL, input: 'the weather', text: { format } });
  expect(parsed.output_parsed).toEqual({ city: 'Rome', degrees: 21 });
  const image = { type: 'input_image', image_url: PNG, detail: 'auto' } as const;
  const look = [{ role: 'user', content: [{ type: 'input_text', text: 'Look' }, image] }] as const;
  expect(await responses.create({ model: MODEL, input: structuredClone(look) as never })).toMatchObject({
    status: 'completed',
  });
  const unkept = await responses.create({ model: MODEL, input: 'unkept', store: false });
  for (const id of [unkept.id, 'resp_none', first.id])
    await expect((id === first.id ? friend : client).responses.retrieve(id)).rejects.toBeInstanceOf(NotFoundError);
  await responses.delete(branch.id);
  await expect(responses.retrieve(branch.id)).rejects.toBeInstanceOf(NotFoundError);
  await expect(responses.create({ model: MODEL, input: 'x', previous_response_id: 'resp_none' })).rejects.toMatchObject(
    { status: 404, code: 'previous_response_not_found', param: 'previous_response_id' },
  );
  await expect(responses.create({ model: MODEL, input: 5 as never })).rejects.toMatchObject({
    status: 400,
    param: 'input',
  });
  await expect(responses.create({ model: MODEL, input: 'fail' })).rejects.toMatchObject({ status: 502 });
  expect(await responses.stream({ model: MODEL, input: 'fail' }).finalResponse()).toMatchObject({ status: 'failed' });
}

async function callBackground({ client: { responses } }: Script): Promise<void> {
  const request = { model: MODEL, background: true } as const;
  const { id, status } = await responses.create({ ...request, input: 'later' });
  expect(status).toMatch(/queued|in_progress/);
  await waitUntil(async () => expect(await responses.retrieve(id)).toMatchObject({ status: 'completed' }));
  const events = await collect(await responses.retrieve(id, { stream: true }));
  const rest = await collect(await responses.retrieve(id, { stream: true, starting_after: 3 }));
  expect(rest).toEqual(events.slice(4));
  const replayed = await responses.stream({ response_id: id, starting_after: 3 }).finalResponse();
  expect(replayed.output_text).toBe('answer 1');
  const hanging = await responses.create({ ...request, input: 'hang', stream: true });
  let stuck = '';
  for await (const event of hanging) {
    if (event.type === 'response.created') stuck = event.response.id;
    if (event.type === 'response.output_text.delta') break;
  }
  expect(await responses.retrieve(stuck)).toMatchObject({ status: 'in_progress' });
  expect(await responses.cancel(stuck)).toMatchObject({ status: 'cancelled' });
  await expect(responses.cancel('resp_none')).rejects.toBeInstanceOf(NotFoundError);
}

async function callConversations({ client, friend }: Script): Promise<void> {
  const { conversations, responses } = client;
  const user = (content: string) => ({ type: 'message', role: 'user', content }) as const;
  const { id } = await conversations.create({ items: [user('earlier')], metadata: { topic: 'x' } });
  expect(await conversations.retrieve(id)).toMatchObject({ id, metadata: { topic: 'x' } });
  expect(await conversations.update(id, { metadata: { topic: 'y' } })).toMatchObject({ metadata: { topic: 'y' } });
  const response = await responses.create({ model: MODEL, input: 'now', conversation: id });
  expect(response).toMatchObject({ conversation: { id }, output_text: 'answer 2' });
  const added = await conversations.items.create(id, { items: [user('more'), user('even more')] });
  const items = await collect(conversations.items.list(id, { limit: 2, order: 'asc' }));
  expect(items).toHaveLength(5);
  expect(items.slice(3)).toEqual(added.data);
  const [item] = response.output;
  expect(await conversations.items.retrieve(item?.id ?? '', { conversation_id: id })).toEqual(item);
  expect(await conversations.items.delete(added.last_id, { conversation_id: id })).toMatchObject({ id });
  await expect(conversations.items.retrieve(added.last_id, { conversation_id: id })).rejects.toMatchObject({
    status: 404,
  });
  for (const input of ['a', 'b']) await responses.create({ model: MODEL, input, conversation: 'my chat' });
  await expect(friend.conversations.retrieve(id)).rejects.toMatchObject({ status: 404 });
  expect(await conversations.delete(id)).toMatchObject({ deleted: true });
  await expect(conversations.retrieve(id)).rejects.toBeInstanceOf(NotFoundError);
}

describe('the official openai package', () => {
  verifies(['SURF-5', 'API-1', 'GW-12'], 'makes 60 calls of all kinds, and no key is in a log', async () => {
    const server = await openServer();
    const { clients } = server;
    const parts = [callModels, callChat, callResponses, callBackground, callConversations];
    let output = '';
    try {
      for (const part of parts) await part(clients);
      expect(server.calls()).toBeGreaterThanOrEqual(60);
    } finally {
      output = await server.close();
    }
    for (const secret of server.secrets) expect(output).not.toContain(secret);
  });
});
