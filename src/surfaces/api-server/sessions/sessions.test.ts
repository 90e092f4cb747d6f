import { describe, expect, it } from 'vitest';
import { readLineSchema } from '../../../../test/support/line-schema.ts';
import { verifies } from '../../../../test/spec/verifies.ts';
import { addKey } from '../index.ts';
import { openApi } from '../../../../test/support/api-fixture.ts';

type Api = Awaited<ReturnType<typeof openApi>>;
type Call = { method?: string; body?: object; key?: string };

async function call(api: Api, path: string, options: Call = {}): Promise<Record<string, unknown>> {
  const response = await api.request(path, { method: options.body === undefined ? 'GET' : 'POST', ...options });
  const { session, ...body } = (await response.json()) as { session?: object };
  return { status: response.status, ...body, ...session };
}

describe('/api/sessions', () => {
  verifies('SURF-5', 'creates, lists, changes, forks and deletes sessions', async () => {
    const api = await openApi();
    const { id } = await call(api, '/api/sessions', { method: 'POST', body: { title: 'Plans' } });
    const path = `/api/sessions/${String(id)}`;
    expect(await call(api, path)).toMatchObject({
      status: 200,
      title: 'Plans',
      source: 'api_server',
      message_count: 0,
    });
    expect(await call(api, `${path}/chat`, { body: { message: 'hi' } })).toMatchObject({
      session_id: id,
      message: { role: 'assistant', content: 'answer 1' },
      usage: { total_tokens: expect.any(Number) as number },
    });
    expect(api.provider.requests[0]?.body['messages']).toMatchObject([{ role: 'system' }, { role: 'user' }]);
    expect(api.provider.requests[0]?.body['tools']).toBeDefined();
    const messages = (await call(api, `${path}/messages`)) as unknown as { data: { id: number; role: string }[] };
    expect(messages.data.map(({ role }) => role)).toEqual(['user', 'assistant']);
    const page = await call(api, `${path}/messages?limit=1`);
    expect(page).toMatchObject({ has_more: true, last_id: messages.data[0]?.id });
    expect(await call(api, `${path}/messages?after=${String(page['last_id'])}`)).toMatchObject({
      data: [{ role: 'assistant' }],
    });
    const forked = await call(api, `${path}/fork`, {
      body: { message_id: messages.data[0]?.id, title: 'Other plans' },
    });
    expect(forked).toMatchObject({ status: 201, is_branch: true, parent_session_id: id, title: 'Other plans' });
    expect(await call(api, path, { method: 'PATCH', body: { title: 'Other plans' } })).toMatchObject({
      error: { code: 'title_taken' },
    });
    expect(await call(api, path, { method: 'PATCH', body: { title: 'New plans' } })).toMatchObject({
      title: 'New plans',
    });
    expect(await (await api.request(path)).json()).toMatchObject({ object: 'hermes.session', session: { id } });
    expect(await call(api, path, { method: 'PATCH', body: { title: 'x'.repeat(101) } })).toMatchObject({
      status: 400,
      error: { param: 'title', message: expect.stringContaining('at most 100') as string },
    });
    const list = (await call(api, '/api/sessions?limit=1')) as unknown as { data: object[]; has_more: boolean };
    expect([list.data.length, list.has_more]).toEqual([1, true]);
    expect(await call(api, `/api/sessions/${String(forked['id'])}`, { method: 'DELETE' })).toMatchObject({
      deleted: true,
    });
    expect(await call(api, `/api/sessions/${String(forked['id'])}`)).toMatchObject({ status: 404 });
    for (const wrong of ['../x', '..'])
      expect(await call(api, '/api/sessions', { method: 'POST', body: { id: wrong } })).toMatchObject({
        error: { param: 'id' },
      });
  });

  verifies(
    ['CACHE-4', 'SURF-5'],
    'shows what a session and its turns cost, and why calls missed the cache',
    async () => {
      const api = await openApi({ config: 'model_overrides: { m: { price: { input: 1, output: 1 } } }\n' });
      const { store } = api.runtime;
      const { id } = await call(api, '/api/sessions', { method: 'POST', body: {} });
      const path = `/api/sessions/${String(id)}`;
      await call(api, `${path}/chat`, { body: { message: 'hi' } });
      // A turn can continue in another session.
      await store.splitSession(String(id), { id: 'two', source: 'api_server', startedAt: Date.now() }, []);
      await call(api, `${path}/chat`, { body: { message: 'and now' } });
      const shown = await call(api, `${path}/usage`);
      expect(shown).toMatchObject({ status: 200, object: 'hermes.session.usage', session_id: 'two', unpriced: 0 });
      const turn = { calls: 1, auxiliary_calls: 0, cost: { status: 'estimated' } };
      expect(shown['turns']).toMatchObject([
        { ...turn, usage: { cache_read: 0 }, cache_misses: [{ reason: 'first_call' }] },
        { ...turn, cache_misses: [{ reason: 'compressed' }] },
      ]);
      const [first, second] = shown['turns'] as { started_at: number; cost: { usd: number } }[];
      expect(Math.abs((first?.started_at ?? 0) - Date.now() / 1000)).toBeLessThan(600);
      expect(shown['usd']).toBeCloseTo((first?.cost.usd ?? 0) + (second?.cost.usd ?? 0));
      expect(shown['usd']).toBeGreaterThan(0);
      const friend = await addKey(api.home.path, 'friend', {}, 0);
      expect(await call(api, `${path}/usage`, { key: friend })).toMatchObject({ status: 404 });
    },
  );

  verifies(['SURF-5', 'SURF-15'], 'streams the events of a message as JSON lines', async () => {
    const api = await openApi({ script: () => ({ text: 'a long answer', chunkSize: 3 }) });
    const { id } = await call(api, '/api/sessions', { method: 'POST', body: {} });
    const stream = await api.request(`/api/sessions/${String(id)}/chat/stream`, {
      method: 'POST',
      body: { input: 'hi' },
    });
    const lines = [...(await stream.text()).matchAll(/^data: (.*)$/gm)].map(
      ([, data = '']) => JSON.parse(data) as { type: string },
    );
    expect(lines.flatMap((line) => readLineSchema().faultsOf(line))).toEqual([]);
    expect(lines.at(-1)).toMatchObject({ type: 'result', final_response: 'a long answer', session_id: id });
  });

  verifies(
    ['GW-12', 'SURF-5'],
    'shows a key without --owner only its own sessions, and tells it nothing personal',
    async () => {
      const api = await openApi({ config: PRICED });
      await api.home.write('memories/USER.md', 'The user likes tea.');
      const friend = await addKey(api.home.path, 'friend', { toolsets: ['file', 'memory'], dayUsd: 100 }, 0);
      const { id } = await call(api, '/api/sessions', { method: 'POST', body: {} });
      await call(api, `/api/sessions/${String(id)}/chat`, { body: { input: 'hi' } });
      for (const path of [`/api/sessions/${String(id)}`, `/api/sessions/${String(id)}/messages`])
        expect(await call(api, path, { key: friend })).toMatchObject({
          status: 404,
          error: { code: 'session_not_found' },
        });
      const own = await call(api, '/api/sessions', { key: friend, method: 'POST', body: {} });
      await call(api, `/api/sessions/${String(own['id'])}/chat`, { key: friend, body: { input: 'hi' } });
      const list = (await call(api, '/api/sessions', { key: friend })) as unknown as { data: { id: string }[] };
      expect(list.data.map((session) => session.id)).toEqual([own['id']]);
      expect(await call(api, '/api/sessions?source=cli', { key: friend })).toMatchObject({ data: [] });
      const every = (await call(api, '/api/sessions')) as unknown as { data: object[] };
      expect(every.data).toHaveLength(2);
      const [ofUser, ofFriend] = api.provider.requests.map(({ body }) => JSON.stringify(body));
      expect(ofUser).toContain('likes tea');
      expect(ofFriend).not.toContain('likes tea');
      const offered = ((api.provider.requests[1]?.body['tools'] ?? []) as { function: { name: string } }[]).map(
        (tool) => tool.function.name,
      );
      expect(offered).toContain('read_file');
      for (const name of ['memory', 'session_search', 'terminal']) expect(offered).not.toContain(name);
      const other = await addKey(api.home.path, 'other', {}, 0);
      await call(api, '/v1/chat/completions', {
        key: other,
        body: { messages: [{ role: 'user', content: 'x' }] },
      });
      const all = api.provider.requests.at(-1)?.toolNames ?? [];
      expect(all).toContain('terminal');
      for (const name of ['memory', 'session_search', 'skill_manage', 'cronjob', 'send_message'])
        expect(all).not.toContain(name);
      expect(await call(api, '/api/jobs', { key: friend })).toMatchObject({ status: 403 });
      const expensive = await call(api, '/v1/runs', { key: friend, body: { input: 'x', model: 'openai/gpt-5' } });
      expect(expensive).toMatchObject({ status: 403, error: { code: 'model_not_allowed' } });
    },
  );

  verifies('GW-12', 'tells a key nothing about the sessions of others, also if ids and titles are reused', async () => {
    const api = await openApi();
    const { store } = api.runtime;
    const [alice, bob] = [await addKey(api.home.path, 'alice', {}, 0), await addKey(api.home.path, 'bob', {}, 0)];
    const create = (key: string, body: object) => call(api, '/api/sessions', { key, body });
    expect(await create(alice, { id: 'main', title: 'Plans' })).toMatchObject({ status: 201 });
    const taken = await create(bob, { id: 'mine', title: 'Plans' });
    expect(taken).toMatchObject({ status: 409, error: { code: 'title_taken' } });
    expect(JSON.stringify(taken)).not.toContain('main');
    expect(await store.getSession('mine')).toBeUndefined();
    expect(await call(api, '/api/sessions/main', { key: alice, method: 'DELETE' })).toMatchObject({ deleted: true });
    expect(await create(bob, { id: 'main' })).toMatchObject({ status: 201 });
    expect(await call(api, '/api/sessions/main', { key: alice })).toMatchObject({ status: 404 });
    const both = await Promise.all([create(alice, { id: 'new' }), create(bob, { id: 'new' })]);
    expect(both.map(({ status }) => status).sort()).toEqual([201, 409]);
    const winner = both[0]['status'] === 201 ? alice : bob;
    expect(await call(api, '/api/sessions/new', { key: winner })).toMatchObject({ status: 200 });
  });

  verifies('SURF-5', 'deletes a session with the ones that it continues after a compression', async () => {
    const api = await openApi();
    const { store } = api.runtime;
    await call(api, '/api/sessions', { body: { id: 'one' } });
    await store.splitSession('one', { id: 'two', source: 'api_server', startedAt: Date.now() }, []);
    expect(await call(api, '/api/sessions/one', { method: 'DELETE' })).toMatchObject({ id: 'two', deleted: true });
    expect([await store.getSession('one'), await store.getSession('two')]).toEqual([undefined, undefined]);
  });

  verifies(['SURF-5', 'LOOP-13'], 'refuses a key with a limit if the price of the model is unknown', async () => {
    const api = await openApi();
    const friend = await addKey(api.home.path, 'friend', { dayUsd: 1 }, 0);
    const messages = [{ role: 'user' as const, content: 'hi' }];
    const refusal = {
      status: 403,
      code: 'price_unknown',
      message: expect.stringContaining('Set `model_overrides."m".price.input`') as string,
    };
    const [model, input] = ['hermes-agent', 'hi'];
    const client = api.clientOf(friend);
    await expect(client.chat.completions.create({ model, messages })).rejects.toMatchObject(refusal);
    await expect(client.responses.create({ model, input })).rejects.toMatchObject(refusal);
    const run = await api.request('/v1/runs', { method: 'POST', key: friend, body: { input } });
    expect([run.status, api.provider.requests]).toEqual([403, []]);
    // A key without a limit may use the model.
    await api.client.chat.completions.create({ model, messages });
  });

  verifies(
    ['SURF-5', 'LOOP-13'],
    'ends the turns of a key that has reached its limit, and refuses further ones',
    async () => {
      const api = await openApi({
        config: PRICED,
        script: ({ messages }) =>
          messages.length > 9 ? { text: 'done' } : { toolCalls: [{ name: 'todo', arguments: {} }] },
      });
      const friend = await addKey(api.home.path, 'friend', { dayUsd: 1 }, 0);
      const client = api.clientOf(friend);
      const ask = () =>
        client.chat.completions.create({ model: 'hermes-agent', messages: [{ role: 'user', content: 'hi' }] });
      // The calls of the scripted model cost nothing, so the session of the key gets an expensive one while it runs.
      api.provider.setScript(async () => {
        const [session] = await api.runtime.store.listSessions();
        if (session !== undefined) await api.runtime.store.recordCall(session.id, expensiveCall());
        return { toolCalls: [{ name: 'todo', arguments: {} }] };
      });
      await expect(ask()).rejects.toMatchObject({
        status: 429,
        code: 'insufficient_quota',
        message: expect.stringContaining('friend') as string,
      });
      expect(api.provider.requests).toHaveLength(1);
      await expect(ask()).rejects.toMatchObject({ status: 429, code: 'insufficient_quota' });
      expect(api.provider.requests).toHaveLength(1);
    },
  );
});

const PRICED = 'model_overrides: { m: { price: { input: 0, output: 0 } } }\n';

const expensiveCall = () => ({
  taskId: 'task_1',
  provider: 'custom',
  model: 'm',
  baseUrl: 'http://127.0.0.1',
  startedAt: Date.now(),
  durationMs: 1,
  usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, reasoning: 0 },
  cost: { usd: 5, status: 'estimated' as const },
  outcome: 'ok' as const,
});

describe('/api/jobs', () => {
  verifies('SURF-5', 'creates, changes, pauses and removes scheduled jobs', async () => {
    const api = await openApi();
    const made = await call(api, '/api/jobs', {
      body: { schedule: 'every 2h', prompt: 'check', name: 'checks', deliver: 'local' },
    });
    const { id } = made['job'] as { id: string };
    expect(made['job']).toMatchObject({
      name: 'checks',
      state: 'scheduled',
      next_run_at: expect.any(String) as string,
    });
    expect(await call(api, '/api/jobs')).toMatchObject({ jobs: [{ id }] });
    const path = `/api/jobs/${id}`;
    expect(await call(api, path, { method: 'PATCH', body: { prompt: 'check twice' } })).toMatchObject({
      job: { prompt: 'check twice' },
    });
    expect(await call(api, `${path}/pause`, { method: 'POST' })).toMatchObject({ job: { state: 'paused' } });
    expect(await call(api, `${path}/resume`, { method: 'POST' })).toMatchObject({ job: { state: 'scheduled' } });
    expect(await call(api, `${path}/run`, { method: 'POST' })).toMatchObject({ status: 200, job: { id } });
    expect(await call(api, path, { method: 'DELETE' })).toMatchObject({ ok: true, id });
    expect(await call(api, path)).toMatchObject({ status: 404, error: { code: 'job_not_found' } });
    expect(await call(api, '/api/jobs', { body: { schedule: 'whenever', prompt: 'x' } })).toMatchObject({
      error: { code: 'invalid_job' },
    });
    expect(await call(api, '/api/jobs', { body: { prompt: 'x' } })).toMatchObject({ error: { param: 'schedule' } });
  });
});

describe('other endpoints', () => {
  it('tells everybody that the server is up, and more only with a key', async () => {
    const api = await openApi();
    for (const path of ['/health', '/v1/health'])
      expect(await (await fetch(api.url + path)).json()).toEqual({ status: 'ok', platform: 'hermes-agent' });
    expect((await fetch(`${api.url}/health/detailed`)).status).toBe(401);
    expect(await call(api, '/health/detailed')).toMatchObject({ status: 'ok', version: '1.2.3', active_runs: 0 });
    expect(await call(api, '/v1/capabilities')).toMatchObject({ features: { run_events_resumable: true } });
  });

  verifies('SURF-5', 'lists the tool sets and the skills that the agents of a key have', async () => {
    const api = await openApi({ config: 'skills: { external_dirs: [] }\n' });
    await api.home.write(
      'skills/notes/SKILL.md',
      '---\nname: notes\ndescription: Takes notes.\n---\nWrite them down.\n',
    );
    const friend = await addKey(api.home.path, 'friend', { toolsets: ['file', 'skills'] }, Date.now());
    const setsOf = async (key?: string) => {
      const { data } = await call(api, '/v1/toolsets', key === undefined ? {} : { key });
      return data as { name: string; enabled: boolean; tools: string[] }[];
    };
    const isEnabled = (sets: Awaited<ReturnType<typeof setsOf>>, name: string) =>
      sets.find((set) => set.name === name)?.enabled;
    const [own, others] = [await setsOf(), await setsOf(friend)];
    expect(own.find(({ name }) => name === 'terminal')).toMatchObject({
      label: 'terminal',
      configured: true,
      tools: ['process', 'terminal'],
    });
    expect(['terminal', 'memory', 'file'].map((name) => isEnabled(own, name))).toEqual([true, true, true]);
    expect(['terminal', 'memory', 'file'].map((name) => isEnabled(others, name))).toEqual([false, false, true]);
    expect(await call(api, '/v1/skills', { key: friend })).toMatchObject({
      object: 'list',
      data: expect.arrayContaining([{ name: 'notes', description: 'Takes notes.', category: 'general' }]) as object,
    });
  });

  verifies('SURF-5', 'says what is not supported and what to use instead, and which path is unknown', async () => {
    const api = await openApi();
    expect(await call(api, '/v1/embeddings', { body: { input: 'x' } })).toMatchObject({
      status: 404,
      error: {
        code: 'unsupported_endpoint',
        message: expect.stringContaining('does not support embeddings') as string,
      },
    });
    expect(await call(api, '/v1/audio/speech', { body: {} })).toMatchObject({
      error: { code: 'unsupported_endpoint' },
    });
    expect(await call(api, '/chat/completions', { body: {} })).toMatchObject({
      status: 404,
      error: { message: 'There is no endpoint POST /chat/completions. Check the path and the base URL.' },
    });
    const missing = await fetch(`${api.url}/v1/models`);
    expect(await missing.json()).toMatchObject({
      error: { message: 'The request has no key. Send it in the header `Authorization: Bearer KEY`.' },
    });
    expect(await call(api, '/v1/models', { key: 'wrong' })).toMatchObject({
      status: 401,
      error: { message: 'The key in the request is not valid.' },
    });
  });
});
