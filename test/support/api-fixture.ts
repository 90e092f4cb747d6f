import OpenAI from 'openai';
import { onTestFinished } from 'vitest';
import { loadGatewaySettings } from '../../src/config/gateway/index.ts';
import { createRuntime, loadModels, type RuntimeOptions } from '../../src/runtime/index.ts';
import { createProviderServer, createTemporaryHome, type ProviderScript } from '../../src/testing/index.ts';
import { startApiServer } from '../../src/surfaces/api-server/index.ts';

export const KEY = 'a-key-of-the-user-with-more-than-32-characters';

type Options = {
  script?: ProviderScript;
  /** Sections of config.yaml besides the model. */
  config?: string;
  env?: Record<string, string>;
  runtime?: Partial<RuntimeOptions>;
};

/** An API server in this process, with a scripted provider and a client of the official package. */
export async function openApi({ script, config = '', env: given = {}, runtime: changes }: Options = {}) {
  const provider = await createProviderServer({
    script: script ?? (({ messages }) => ({ text: `answer ${messages.filter(({ role }) => role === 'user').length}` })),
  });
  const home = await createTemporaryHome({
    'config.yaml': `model: { provider: custom, default: m, base_url: "${provider.url}/v1", api_key: k }\n${config}`,
  });
  const env = { API_SERVER_KEY: KEY, API_SERVER_PORT: '0', ...given };
  const { settings, models } = await loadModels({ home: home.path, env });
  const { apiServer } = await loadGatewaySettings({ home: home.path, env });
  const open = async () => {
    const runtime = await createRuntime({
      settings,
      routes: models?.routes ?? [],
      ...(models && { auxiliaryRoutes: models.auxiliaryRoutes }),
      workingDirectory: home.workspace,
      source: 'gateway',
      attended: true,
      ...changes,
    });
    const server = await startApiServer({ runtime, settings: apiServer, env, version: '1.2.3' });
    return { runtime, server };
  };
  const { runtime, server } = await open();
  const url = `http://127.0.0.1:${server.port}`;
  onTestFinished(async () => {
    await server.close(0);
    await runtime.close();
    await provider.close();
    await home.remove();
  });
  const clientOf = (apiKey: string, more: object = {}) =>
    new OpenAI({ apiKey, baseURL: `${url}/v1`, maxRetries: 0, logLevel: 'off', ...more });
  const request = (
    path: string,
    { key = KEY, body, ...init }: Omit<RequestInit, 'body'> & { key?: string; body?: object } = {},
  ) =>
    fetch(url + path, {
      ...init,
      ...(body !== undefined && { body: JSON.stringify(body) }),
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...init.headers },
    });
  return { provider, home, runtime, server, url, client: clientOf(KEY), clientOf, request };
}
