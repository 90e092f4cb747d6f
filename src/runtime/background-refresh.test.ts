import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import { homePaths, loadSettings, type Settings } from '../config/index.ts';
import { type RouteSource, silentLogger } from '../contracts/index.ts';
import { createTemporaryHome, type TemporaryHome } from '../testing/index.ts';
import { startBackgroundRefresh } from './index.ts';

const routeTo = (baseUrl?: string): RouteSource => ({
  provider: 'deepseek',
  model: 'm',
  baseUrl,
  open: () => Promise.reject(new Error('not opened here')),
});
const REMOTE = routeTo('https://api.deepseek.com/v1');

describe('the background refresh', () => {
  let home: TemporaryHome;
  let server: Server;
  let settings: Settings;
  beforeEach(async () => {
    home = await createTemporaryHome();
    const body = { xai: { models: { m: { limit: { context: 5 } } } } };
    server = createServer((_, response) => void response.end(JSON.stringify(body)));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const catalogueUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    settings = { ...(await loadSettings({ home: home.path, env: {} })), catalogueUrl };
  });
  afterEach(async () => {
    server.close().closeAllConnections();
    await home.remove();
  });

  const start = (routes: readonly RouteSource[], changes: Partial<Settings> = {}) =>
    startBackgroundRefresh({ settings: { ...settings, ...changes }, routes, logger: silentLogger, afterMs: 0 });

  verifies(['PROV-10', 'BOUND-3'], 'runs for a remote provider', async () => {
    const asked = once(server, 'request');
    start([REMOTE]);
    await asked;
    await expect.poll(() => readdirSync(homePaths(home.path).catalogueFolder)).toContain('xai.tsv');
  });

  verifies('BOUND-3', 'does not run for a local model, without a model, when disabled or when stopped', async () => {
    const paths: (string | undefined)[] = [];
    server.on('request', ({ url }) => paths.push(url));
    const asked = once(server, 'request');
    const unwanted = { catalogueUrl: `${settings.catalogueUrl}unwanted` };
    start([routeTo('http://127.0.0.1:1/v1')], unwanted);
    start([routeTo('http://192.168.1.5:8000/v1'), REMOTE], unwanted);
    start([routeTo()], unwanted);
    start([], unwanted);
    start([REMOTE], { ...unwanted, backgroundRefresh: false });
    start([REMOTE], unwanted)();
    // If one of the earlier calls had started a refresh, it would have finished first and left nothing to refresh.
    start([REMOTE]);
    await asked;
    expect(paths).toEqual(['/']);
  });

  verifies('BOUND-3', 'is started by the terminal chat only', () => {
    const surfaces = join(import.meta.dirname, '../surfaces');
    const starters = readdirSync(surfaces, { recursive: true })
      .map(String)
      .filter((name) => name.endsWith('.ts'))
      .filter((name) => readFileSync(join(surfaces, name), 'utf8').includes('startBackgroundRefresh('));
    expect(starters).toEqual([join('cli', 'terminal', 'run-terminal.ts')]);
  });
});
