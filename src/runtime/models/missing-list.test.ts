import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { loadSettings } from '../../config/index.ts';
import { createTemporaryHome, type TemporaryHome } from '../../testing/index.ts';
import { explainMissingList } from './list-choices.ts';
import { selectModel } from './selected-model.ts';

let home: TemporaryHome;
beforeEach(async () => {
  home = await createTemporaryHome();
});
afterEach(() => home.remove());

async function explain(baseUrl: string, secret = 'sk-wrong-1234567890') {
  const settings = await loadSettings({ home: home.path, env: {} });
  const key = { variable: 'CUSTOM_API_KEY', secret };
  return explainMissingList(settings, selectModel(settings, { provider: 'custom', model: 'm', baseUrl, key }));
}

async function answering<T>(status: number, work: (url: string) => Promise<T>): Promise<T> {
  const server = createServer((_, response) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end('{}'),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    return await work(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

it('says that the key was rejected', async () => {
  const reason = await answering(401, (url) => explain(`${url}/v1`));
  expect(reason).toMatch(/^127\.0\.0\.1:\d+ rejects the key from your input \(HTTP 401\)\.$/);
  expect(reason).not.toContain('sk-wrong');
});

it('says that nothing is at the path', async () => {
  expect(await answering(404, (url) => explain(`${url}/wrong`))).toMatch(
    /^No model API was found at \S+\/wrong \(HTTP 404\)\.$/,
  );
});

it('says that the host was not reached', async () => {
  const closed = await answering(200, async (url) => url);
  expect(await explain(`${closed}/v1`)).toMatch(/127\.0\.0\.1:\d+/);
});
