import { join } from 'node:path';
import OpenAI from 'openai';
import { describe, expect, it, onTestFinished } from 'vitest';
import { verifies } from '../../../../test/spec/verifies.ts';
import { createRuntime, loadModels } from '../../../runtime/index.ts';
import { loadGatewaySettings } from '../../../config/gateway/index.ts';
import { createProviderServer, createTemporaryHome } from '../../../testing/index.ts';
import { addKey, startApiServer } from '../index.ts';

const KEY = 'the-key-of-the-default-profile-12345';

async function open() {
  const provider = await createProviderServer({ script: ({ body }) => ({ text: `from ${String(body['model'])}` }) });
  const config = (model: string) =>
    `model: { provider: custom, default: ${model}, base_url: "${provider.url}/v1", api_key: k }\n` +
    'auxiliary: { title_generation: { enabled: false } }\n';
  const home = await createTemporaryHome({
    'config.yaml': config('main'),
    'profiles/work/config.yaml': config('office'),
    'profiles/idle/config.yaml': config('none'),
    'profiles/broken/config.yaml': 'model: [\n',
  });
  const opened: string[] = [];
  const openRuntime = async (folder: string, env: Readonly<Record<string, string | undefined>>) => {
    opened.push(folder);
    const { settings, models } = await loadModels({ home: folder, env });
    return createRuntime({
      settings,
      routes: models?.routes ?? [],
      workingDirectory: home.workspace,
      source: 'gateway',
      attended: true,
    });
  };
  const env = { API_SERVER_KEY: KEY, API_SERVER_PORT: '0' };
  const runtime = await openRuntime(home.path, env);
  const secret = await addKey(join(home.path, 'profiles', 'work'), 'laptop', { isOwner: true }, 0);
  await addKey(join(home.path, 'profiles', 'broken'), 'laptop', {}, 0);
  const { apiServer } = await loadGatewaySettings({ home: home.path, env });
  const profiles = { root: home.path, openRuntime };
  const server = await startApiServer({ runtime, settings: apiServer, env, version: '1', profiles });
  onTestFinished(async () => {
    await server.close(0);
    await runtime.close();
    await provider.close();
    await home.remove();
  });
  const client = (path: string, apiKey: string) =>
    new OpenAI({ apiKey, baseURL: `http://127.0.0.1:${server.port}${path}/v1`, maxRetries: 0, logLevel: 'off' });
  return { client, secret, runtime, opened, home };
}

const ask = (client: OpenAI, model: string) =>
  client.chat.completions.create({ model, messages: [{ role: 'user', content: 'hi' }] });
const textOf = async (client: OpenAI, model: string) => (await ask(client, model)).choices[0]?.message.content;

describe('/p/PROFILE', () => {
  verifies(['SURF-5', 'GW-12'], 'serves another profile with its keys, models and sessions', async () => {
    const { client, secret, runtime, opened, home } = await open();
    expect(opened).toEqual([home.path]);
    const work = client('/p/work', secret);
    expect((await work.models.list()).data.map(({ id }) => id)).toEqual(['work', 'hermes-plain']);
    expect([await textOf(work, 'work'), await textOf(work, 'hermes-agent')]).toEqual(['from office', 'from office']);
    expect(await runtime.store.listSessions()).toEqual([]);
    expect(opened).toEqual([home.path, join(home.path, 'profiles', 'work')]);
    for (const path of ['', '/p/default']) expect(await textOf(client(path, KEY), 'hermes-agent')).toBe('from main');
    const response = await work.responses.create({ model: 'work', input: 'hi' });
    await expect(client('', KEY).responses.retrieve(response.id)).rejects.toMatchObject({ status: 404 });
  });

  it('accepts no key of another profile, and serves none without a key', async () => {
    const { client, secret } = await open();
    for (const [path, key] of [
      ['/p/work', KEY],
      ['', secret],
      ['/p/default', secret],
    ] as const)
      await expect(client(path, key).models.list()).rejects.toMatchObject({ status: 401 });
    for (const name of ['idle', 'broken', 'unknown'])
      await expect(client(`/p/${name}`, KEY).models.list()).rejects.toMatchObject({ status: 404 });
  });
});
