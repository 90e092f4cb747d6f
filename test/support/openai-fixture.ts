import OpenAI from 'openai';
import { onTestFinished } from 'vitest';
import { loadGatewaySettings } from '../../src/config/gateway/index.ts';
import { createRuntime, loadModels } from '../../src/runtime/index.ts';
import { addKey, startApiServer } from '../../src/surfaces/api-server/index.ts';
import { createProviderServer, createTemporaryHome } from '../../src/testing/index.ts';

export const API_KEY = 'key-of-the-owner-0123456789abcdef0123456789';

/** A home with a scripted model, and an API server that can be started several times. */
export async function openApi(config = '') {
  const home = await createTemporaryHome();
  const provider = await createProviderServer();
  const model = `model: { provider: custom, default: test-model, base_url: '${provider.url}/v1', api_key: k }\n`;
  await home.write('config.yaml', `${model}auxiliary: { title_generation: { enabled: false } }\n${config}`);
  onTestFinished(async () => {
    await provider.close();
    await home.remove();
  });
  const start = () => startIn(home.path, home.workspace);
  const keyFor = (name: string, rights: Parameters<typeof addKey>[2] = {}) =>
    addKey(home.path, name, rights, Date.now());
  return { home, provider, start, keyFor };
}

async function startIn(home: string, workspace: string) {
  const env = { HERMES_HOME: home, API_SERVER_KEY: API_KEY, API_SERVER_PORT: '0' };
  const { settings, models } = await loadModels({ home, env });
  const { apiServer } = await loadGatewaySettings({ home, env });
  if (models === undefined) throw new Error('no model');
  const runtime = await createRuntime({
    settings,
    routes: models.routes,
    auxiliaryRoutes: models.auxiliaryRoutes,
    workingDirectory: workspace,
    source: 'api_server',
    attended: false,
  });
  const server = await startApiServer({ runtime, settings: apiServer, env, version: '0' });
  let isClosed = false;
  const close = async (graceMs = 0) => {
    if (isClosed) return;
    isClosed = true;
    await server.close(graceMs);
    await runtime.close();
  };
  onTestFinished(() => close());
  const baseURL = `http://127.0.0.1:${server.port}/v1`;
  return {
    runtime,
    baseURL,
    close,
    client: (apiKey = API_KEY) => new OpenAI({ apiKey, baseURL, maxRetries: 0 }),
    fetch: (path: string, init: RequestInit = {}) =>
      fetch(`${baseURL}${path}`, { ...init, headers: { authorization: `Bearer ${API_KEY}`, ...init.headers } }),
  };
}

/** All events of a stream. */
export async function collect<Event>(stream: AsyncIterable<Event>): Promise<Event[]> {
  const events: Event[] = [];
  for await (const event of stream) events.push(event);
  return events;
}
