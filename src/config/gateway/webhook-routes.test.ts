import { readFile, writeFile } from 'node:fs/promises';
import fc from 'fast-check';
import { expect, it, onTestFinished } from 'vitest';
import type { JsonValue } from '../../base/index.ts';
import { createTemporaryHome } from '../../testing/index.ts';
import { changeSubscriptions, readSubscriptions, subscriptionsFile } from './webhook-subscriptions.ts';
import { readWebhookRoute } from './webhook-routes.ts';
import { loadGatewaySettings } from './index.ts';

const read = (value: JsonValue, globalSecret?: string, name = 'r') =>
  readWebhookRoute(name, value, { origin: 'subscription', globalSecret });

it('reads a route of the original', () => {
  const entry = {
    description: 'd',
    events: ['push'],
    secret: ' s ',
    prompt: 'p',
    skills: [],
    deliver: 'telegram',
    deliver_extra: { chat_id: -100 },
    profile: 'default',
    created_at: 'x',
  };
  expect(read(entry)).toMatchObject({ secret: 's', events: ['push'], deliverExtra: { chat_id: '-100' } });
  expect(read({ events: 'push' }, 'general')).toMatchObject({
    secret: 'general',
    events: ['push'],
    deliver: 'log',
    toolsets: undefined,
  });
});

it.each([
  [{}, 'has no secret. Set `secret`'],
  [{ secret: 'INSECURE_NO_AUTH' }, 'INSECURE_NO_AUTH is not supported'],
  [{ secret: 's', filters: [] }, 'uses `filters`, which is not supported'],
  [{ secret: 's', script: 'x.py' }, 'uses `script`'],
  [{ secret: 's', profile: 'coder' }, 'belongs to another profile'],
  [{ secret: 's', deliver_only: true }, '`deliver` must name a platform'],
  [null, 'is not a mapping'],
])('refuses the route %j', (value, problem) => {
  expect(read(value)).toEqual({ problem: expect.stringContaining(problem) });
  expect(read({ secret: 's' }, undefined, '../x')).toEqual({ problem: expect.stringContaining('letters, digits') });
});

it('serves no route without a secret, whatever its entry contains', () => {
  const keys = fc.constantFrom('secret', 'events', 'prompt', 'skills', 'toolsets', 'deliver', 'deliver_extra');
  fc.assert(
    fc.property(
      fc.dictionary(keys, fc.jsonValue()),
      fc.constantFrom(undefined, '', 'INSECURE_NO_AUTH'),
      (entry, general) => {
        const route = read(entry as JsonValue, general);
        const isRefused = 'problem' in route && /^The webhook route "r" .*\.$/.test(route.problem);
        const hasSecret = 'secret' in route && !['', 'INSECURE_NO_AUTH'].includes(route.secret);
        expect(isRefused || hasSecret).toBe(true);
      },
    ),
  );
});

async function openHome(config = '') {
  const home = await createTemporaryHome({ 'config.yaml': config });
  onTestFinished(() => home.remove());
  return home.path;
}

it('loses none of several concurrent changes, keeps unknown keys, and refuses to overwrite a damaged file', async () => {
  const home = await openHome();
  const add = (name: string) => changeSubscriptions(home, (current) => ({ ...current, [name]: { secret: name } }));
  await writeFile(subscriptionsFile(home), '\uFEFF{"old": {"secret": "s", "future": [1]}}');
  await Promise.all(['a', 'b', 'c', 'd'].map(add));
  expect(await readSubscriptions(home)).toEqual({
    old: { secret: 's', future: [1] },
    ...Object.fromEntries(['a', 'b', 'c', 'd'].map((name) => [name, { secret: name }])),
  });
  await writeFile(subscriptionsFile(home), '{"old": ');
  await expect(add('e')).rejects.toThrow('is not a JSON object');
  expect(await readFile(subscriptionsFile(home), 'utf8')).toBe('{"old": ');
});

it('is enabled by a route or explicitly, and listens on this machine only by default', async () => {
  const load = async (config: string, env: Record<string, string> = {}) =>
    loadGatewaySettings({ home: await openHome(config), env });
  expect((await load('')).webhooks).toMatchObject({
    isEnabled: false,
    host: '127.0.0.1',
    port: 8644,
    ratePerMinute: 30,
  });
  expect((await load('', { WEBHOOK_ENABLED: 'true', WEBHOOK_PORT: '1' })).webhooks).toMatchObject({
    isEnabled: true,
    port: 1,
  });
  const route =
    'platforms: { webhook: { extra: { secret: general, routes: { a: { prompt: x }, b: { script: y } } } } }';
  const { webhooks, problems } = await load(route);
  expect(webhooks).toMatchObject({ isEnabled: true, routes: [{ name: 'a', secret: 'general', origin: 'config' }] });
  expect(problems).toEqual([expect.stringContaining('"b" uses `script`')]);
  expect((await load(route, { WEBHOOK_ENABLED: 'false' })).webhooks.isEnabled).toBe(false);
  await expect(load('', { WEBHOOK_PORT: 'x' })).rejects.toThrow('WEBHOOK_PORT is not a port');
});
