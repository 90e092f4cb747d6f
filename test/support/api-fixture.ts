import OpenAI from 'openai';
import { onTestFinished } from 'vitest';
import { loadGatewaySettings } from '../../src/config/gateway/index.ts';
import { createRuntime, loadModels, type RuntimeOptions } from '../../src/runtime/index.ts';
import { addKey, startApiServer } from '../../src/surfaces/api-server/index.ts';
import { createProviderServer, createTemporaryHome, type ProviderScript } from '../../src/testing/index.ts';

export const KEY = 'a-key-of-the-user-with-more-than-32-characters';

type Options = {
  script?: ProviderScript;
  /** Sections of config.yaml besides the model. */
  config?: string;
  env?: Record<string, string>;
  runtime?: Partial<RuntimeOptions>;
};

/** An API server in this process, with a scripted provider and a client of the official package. */
export async function openApi({ script, config = '', env = {}, runtime: changes = {} }: Options = {}) {
  const { home, provider } = await createApiHome(
    config,
    script ?? (({ messages }) => ({ text: `answer ${messages.filter(({ role }) => role === 'user').length}` })),
  );
  const { runtime, server } = await startApi(home, env, { source: 'gateway', attended: true, ...changes });
  const url = `http://127.0.0.1:${server.port}`;
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

/** A home with a scripted model, and an API server that can be started several times. */
export async function openApiHome(config = '') {
  const titles = 'auxiliary: { title_generation: { enabled: false } }\n';
  const { home, provider } = await createApiHome(titles + config);
  const keyFor = (name: string, rights: Parameters<typeof addKey>[2] = {}) =>
    addKey(home.path, name, rights, Date.now());
  async function start() {
    const { runtime, server, close } = await startApi(home, {}, { source: 'api_server', attended: false });
    const baseURL = `http://127.0.0.1:${server.port}/v1`;
    return {
      runtime,
      baseURL,
      close,
      client: (apiKey = KEY) => new OpenAI({ apiKey, baseURL, maxRetries: 0 }),
      fetch: (path: string, init: RequestInit = {}) =>
        fetch(`${baseURL}${path}`, { ...init, headers: { authorization: `Bearer ${KEY}`, ...init.headers } }),
    };
  }
  return { home, provider, start, keyFor };
}

type Home = Awaited<ReturnType<typeof createTemporaryHome>>;

async function createApiHome(config: string, script?: ProviderScript) {
  const provider = await createProviderServer(script && { script });
  const home = await createTemporaryHome({
    'config.yaml': `model: { provider: custom, default: m, base_url: "${provider.url}/v1", api_key: k }\n${config}`,
  });
  onTestFinished(async () => {
    await provider.close();
    await home.remove();
  });
  return { home, provider };
}

async function startApi(
  home: Home,
  given: Record<string, string>,
  options: Pick<RuntimeOptions, 'source' | 'attended'> & Partial<RuntimeOptions>,
) {
  const env = { API_SERVER_KEY: KEY, API_SERVER_PORT: '0', ...given };
  const { settings, models } = await loadModels({ home: home.path, env });
  const { apiServer } = await loadGatewaySettings({ home: home.path, env });
  const runtime = await createRuntime({
    settings,
    routes: models?.routes ?? [],
    ...(models && { auxiliaryRoutes: models.auxiliaryRoutes }),
    workingDirectory: home.workspace,
    ...options,
  });
  const server = await startApiServer({ runtime, settings: apiServer, env, version: '1.2.3' });
  let isClosed = false;
  const close = async (graceMs = 0) => {
    if (isClosed) return;
    isClosed = true;
    await server.close(graceMs);
    await runtime.close();
  };
  onTestFinished(() => close());
  return { runtime, server, close };
}

/** All events of a stream. */
export async function collect<Event>(stream: AsyncIterable<Event>): Promise<Event[]> {
  const events: Event[] = [];
  for await (const event of stream) events.push(event);
  return events;
}
