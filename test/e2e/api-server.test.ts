import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import {
  createProviderServer,
  createTemporaryHome,
  type HermesProcess,
  type ProviderServer,
  startHermes,
} from '../../src/testing/index.ts';
import { verifies } from '../spec/verifies.ts';
import { fullDoseOnly } from '../support/dose.ts';
import { runHermes } from '../support/run-hermes.ts';

type Home = Awaited<ReturnType<typeof createTemporaryHome>>;

const configOf = (provider: ProviderServer) =>
  `model: { provider: custom, default: m, base_url: "${provider.url}/v1", api_key: k }\nterminal: { backend: local }\n`;

/** Starts the real program and returns the URL that it prints. */
async function serve(home: Home, env: Record<string, string> = {}, args: string[] = ['serve', '--port', '0']) {
  const hermes = startHermes(args, { home, env });
  const [, url = ''] = /API: (\S+)/.exec(await hermes.waitForOutput(/API: \S+\n/)) ?? [];
  return { hermes, url };
}

async function stop(hermes: HermesProcess) {
  hermes.kill('SIGTERM');
  return hermes.exited;
}

async function allFiles(folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const texts = await Promise.all(
    files.filter((file) => !file.endsWith('api_server.key')).map((file) => readFile(file)),
  );
  return Buffer.concat(texts).toString('latin1');
}

describe('hermes serve', () => {
  verifies(
    ['SURF-5', 'GW-26'],
    'creates a key at the first start, accepts it, and writes it nowhere else',
    async () => {
      await using provider = await createProviderServer({ script: () => ({ text: 'hello' }) });
      await using home = await createTemporaryHome({ 'config.yaml': configOf(provider) });
      const { hermes, url } = await serve(home);
      const file = join(home.path, 'api_server.key');
      const key = (await readFile(file, 'utf8')).trim();
      expect((await stat(file)).mode & 0o777).toBe(0o600);
      expect(key.length).toBeGreaterThan(64);
      const client = new OpenAI({ apiKey: key, baseURL: url, maxRetries: 0, logLevel: 'off' });
      const asked = { model: 'hermes-agent', messages: [{ role: 'user', content: 'hi' } as const] };
      expect((await client.chat.completions.create(asked)).choices[0]?.message.content).toBe('hello');
      const wrong = new OpenAI({ apiKey: `${key}x`, baseURL: url, maxRetries: 0, logLevel: 'off' });
      await expect(wrong.models.list()).rejects.toBeInstanceOf(OpenAI.AuthenticationError);
      expect((await fetch(`${url}/models`)).status).toBe(401);

      const added = await runHermes(['api', 'key', 'add', 'friend', '--toolsets', 'web', '--limit-usd-day', '2'], {
        home,
      });
      expect(added.stderr).toContain('The price of custom/m is unknown, so the server refuses requests with this key.');
      const friend = new OpenAI({ apiKey: added.stdout.trim(), baseURL: url, maxRetries: 0, logLevel: 'off' });
      expect((await friend.models.list()).data).toHaveLength(2);
      expect((await runHermes(['api', 'key', 'list'], { home })).stdout).toMatch(/friend .*user .*web .*2 USD/);
      expect((await runHermes(['api', 'key', 'revoke', 'friend'], { home })).exitCode).toBe(0);
      await expect(friend.models.list()).rejects.toBeInstanceOf(OpenAI.AuthenticationError);
      expect((await runHermes(['api', 'key', 'revoke', 'friend'], { home })).exitCode).toBe(2);

      const { exitCode, stdout, stderr } = await stop(hermes);
      expect(exitCode).toBe(0);
      expect(stderr).toContain(`Key: created in ${file}`);
      const written = stdout + stderr + (await allFiles(home.path));
      for (const secret of [key, added.stdout.trim()]) expect(written).not.toContain(secret);
      const again = await serve(home);
      expect(await again.hermes.waitForOutput(/Key: .*\n/)).toContain(`Key: in ${file}`);
      await stop(again.hermes);
    },
  );

  verifies(
    ['GW-26', 'OPS-1'],
    'refuses other hosts and origins, and other addresses without a strong key',
    async () => {
      await using provider = await createProviderServer();
      await using home = await createTemporaryHome({ 'config.yaml': configOf(provider) });
      const KEY = 'k'.repeat(32);
      await home.write('config.yaml', `${configOf(provider)}api_server: { public_url: https://hermes.example/api }\n`);
      const env = { API_SERVER_KEY: KEY, API_SERVER_CORS_ORIGINS: 'https://chat.example' };
      for (const [key, args] of [
        ['', ['--host', '0.0.0.0']],
        ['k'.repeat(31), ['--host', '0.0.0.0']],
        ['', ['--host', '::']],
      ] as const) {
        const refused = await runHermes(['serve', '--port', '0', ...args], { home, env: { API_SERVER_KEY: key } });
        expect(refused.exitCode).toBe(2);
        expect(refused.stderr).toContain('API_SERVER_KEY');
      }
      const { hermes, url } = await serve(home, env);
      const { port } = new URL(url);
      const get = (headers: Record<string, string>) =>
        fetch(`${url}/models`, { headers: { authorization: `Bearer ${KEY}`, ...headers } });
      expect((await get({})).status).toBe(200);
      expect((await get({ origin: 'https://evil.example' })).status).toBe(403);
      const allowed = await get({ origin: 'https://chat.example' });
      expect([allowed.status, allowed.headers.get('access-control-allow-origin')]).toEqual([
        200,
        'https://chat.example',
      ]);
      const { request } = await import('node:http');
      const statusOf = (host: string) =>
        new Promise((resolve) => {
          const headers = { host, authorization: `Bearer ${KEY}` };
          request({ host: '127.0.0.1', port, path: '/v1/models', headers }, (response) => {
            response.resume();
            resolve(response.statusCode);
          }).end();
        });
      expect(await statusOf(`evil.example:${port}`)).toBe(421);
      expect(await statusOf('hermes.example')).toBe(200);
      await stop(hermes);
      const open = await serve(home, env, ['serve', '--port', '0', '--host', '0.0.0.0']);
      expect((await fetch(`http://127.0.0.1:${new URL(open.url).port}/v1/models`)).status).toBe(401);
      await stop(open.hermes);
    },
  );

  it('runs inside the gateway if a key is set', async () => {
    await using provider = await createProviderServer({ script: () => ({ text: 'hello' }) });
    await using home = await createTemporaryHome({ 'config.yaml': configOf(provider) });
    const env = { API_SERVER_KEY: 'k'.repeat(32), API_SERVER_PORT: '0' };
    const { hermes, url } = await serve(home, env, ['gateway', 'run']);
    const post = (path: string, body: object) =>
      fetch(url.replace(/\/v1$/, path), {
        method: 'POST',
        body: JSON.stringify(body),
        headers: { authorization: `Bearer ${env.API_SERVER_KEY}`, 'content-type': 'application/json' },
      });
    const created = await post('/api/jobs', {
      schedule: 'every 2h',
      prompt: 'check',
      name: 'checks',
      deliver: 'local',
    });
    expect([created.status, await created.json()]).toMatchObject([
      200,
      { job: { name: 'checks', state: 'scheduled' } },
    ]);
    expect((await post('/v1/chat/completions', { messages: [{ role: 'user', content: 'hi' }] })).status).toBe(200);
    expect((await stop(hermes)).exitCode).toBe(0);
    expect((await runHermes(['cron', 'list', '--json'], { home })).stdout).toContain('checks');
  });
});

type Event = { id: number; line: { type: string; text?: string } };

/** Reads events until there are `count`, or the connection ends. */
async function readEvents(
  url: string,
  key: string,
  { after, count = Infinity }: { after?: number; count?: number } = {},
) {
  const headers: Record<string, string> = { authorization: `Bearer ${key}` };
  if (after !== undefined) headers['last-event-id'] = String(after);
  const response = await fetch(url, { headers });
  const events: Event[] = [];
  let text = '';
  for await (const bytes of response.body as unknown as AsyncIterable<Uint8Array>) {
    text += Buffer.from(bytes).toString('utf8');
    const parts = text.split('\n\n');
    text = parts.pop() ?? '';
    for (const part of parts) {
      const [, id, , data] = /^id: (\d+)\nevent: (.*)\ndata: (.*)$/.exec(part) ?? [];
      if (id !== undefined && data !== undefined)
        events.push({ id: Number(id), line: JSON.parse(data) as Event['line'] });
    }
    if (events.length >= count) break;
  }
  return events;
}

verifies(
  ['SURF-5', 'SURF-15'],
  'a run continues for its clients after a kill and a restart, without gaps',
  async () => {
    const script = () => ({
      text: 'one two three four',
      chunkSize: 4,
      fault: { type: 'stall', afterEvents: 4 } as const,
    });
    await using provider = await createProviderServer({ script });
    await using home = await createTemporaryHome({ 'config.yaml': configOf(provider) });
    const key = 'k'.repeat(32);
    const env = { API_SERVER_KEY: key };
    const first = await serve(home, env);
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const started = await fetch(`${first.url}/runs`, { method: 'POST', headers, body: '{"input":"hi"}' });
    const { run_id } = (await started.json()) as { run_id: string };
    const seen = await readEvents(`${first.url}/runs/${run_id}/events`, key, { count: 4 });
    expect(seen.some(({ line }) => line.type === 'text-delta')).toBe(true);
    first.hermes.kill('SIGKILL');
    await first.hermes.exited;

    const second = await serve(home, env);
    const after = seen.at(-1)?.id ?? 0;
    const rest = await readEvents(`${second.url}/runs/${run_id}/events`, key, { after });
    const all = await readEvents(`${second.url}/runs/${run_id}/events`, key);
    expect([...seen, ...rest]).toEqual(all);
    expect(all.map(({ id }) => id)).toEqual(all.map((_, index) => index + 1));
    expect(all.slice(-2).map(({ line }) => line.type)).toEqual(['answer-discarded', 'result']);
    const run = (await (await fetch(`${second.url}/runs/${run_id}`, { headers })).json()) as object;
    expect(run).toMatchObject({ status: 'failed', error: { message: expect.stringContaining('stopped') as string } });
    await stop(second.hermes);
  },
);

verifies('SURF-5', '100 parallel streams do not mix, in less than 300 MB', fullDoseOnly, async () => {
  const STREAMS = 100;
  await using provider = await createProviderServer({
    script: ({ messages }) => ({ text: `${messages.at(-1)?.text} `.repeat(200), chunkSize: 20 }),
  });
  await using home = await createTemporaryHome({ 'config.yaml': configOf(provider) });
  const key = 'k'.repeat(32);
  const { hermes, url } = await serve(home, { API_SERVER_KEY: key });
  const client = new OpenAI({ apiKey: key, baseURL: url, maxRetries: 0, logLevel: 'off' });
  let peak = 0;
  const sample = async () => {
    const status = await readFile(`/proc/${hermes.child.pid}/status`, 'utf8');
    peak = Math.max(peak, Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
  };
  for (let round = 0; round < 3; round += 1) {
    const answers = await Promise.all(
      Array.from({ length: STREAMS }, async (_, index) => {
        const words = `stream-${round}-${index}`;
        const messages = [{ role: 'user', content: words } as const];
        const stream = await client.chat.completions.create({ model: 'hermes-agent', stream: true, messages });
        let text = '';
        for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? '';
        await sample();
        return { words, text };
      }),
    );
    for (const { words, text } of answers) expect(text.trim()).toBe(`${words} `.repeat(200).trim());
  }
  console.info(`peak RSS with ${STREAMS} streams: ${Math.round(peak)} MB`);
  expect(peak).toBeLessThan(300);
  await stop(hermes);
});
