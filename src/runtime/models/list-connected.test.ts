import { expect, it, onTestFinished } from 'vitest';
import { loadSettings } from '../../config/index.ts';
import { createProviderServer, createTemporaryHome } from '../../testing/index.ts';
import { listConnected } from './list-connected.ts';

it('lists the models of providers with a key and of configured endpoints, with facts', async () => {
  const home = await createTemporaryHome();
  const server = await createProviderServer({ script: [], models: ['large', 'small'] });
  onTestFinished(async () => {
    await server.close();
    await home.remove();
  });
  const endpoint = `custom_providers:\n  - { name: My Lab, base_url: '${server.url}/v1', api_key: lab-key }\n`;
  const facts = 'model_overrides:\n  large: { context_length: 200000, price: { input: 3, output: 15 } }\n';
  await home.write('config.yaml', endpoint + facts);
  const settings = await loadSettings({ home: home.path, env: {} });
  const lab = (await listConnected(settings, [], { offline: false })).map(
    ({ id, provider, facts: { contextLength } }) => [provider.name, id, contextLength],
  );
  expect(lab).toContainEqual(['My Lab', 'large', 200_000]);
  expect(lab).toContainEqual(['My Lab', 'small', undefined]);
  const withKey = await loadSettings({ home: home.path, env: { ANTHROPIC_API_KEY: 'sk-ant-x' } });
  const offline = await listConnected(withKey, [], { offline: true });
  expect(offline.map(({ provider }) => provider.id)).toContain('anthropic');
  expect(offline.map(({ provider }) => provider.id)).not.toContain('openai');
});
