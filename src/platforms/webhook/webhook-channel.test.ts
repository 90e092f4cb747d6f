import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { request as sendRequest } from 'node:http';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import { type JsonObject, systemClock } from '../../base/index.ts';
import {
  readWebhookRoute,
  subscriptionsFile,
  type WebhookRoute,
  type WebhookServerSettings,
} from '../../config/gateway/index.ts';
import { type AnswerDelivery, type ChannelEvent, silentLogger } from '../../contracts/index.ts';
import { createTemporaryHome } from '../../testing/index.ts';
import { sign } from './signature.ts';
import { createWebhookChannel, type ForwardedMessage } from './webhook-channel.ts';

const SECRET = 'a secret of the test';

function route(name: string, value: JsonObject = {}): WebhookRoute {
  const read = readWebhookRoute(name, { secret: SECRET, ...value }, { origin: 'config', globalSecret: undefined });
  if ('problem' in read) throw new Error(read.problem);
  return read;
}

type Options = {
  routes?: readonly WebhookRoute[];
  settings?: Partial<WebhookServerSettings>;
  variables?: NodeJS.ProcessEnv;
};

/** A channel that receives; events are stored in memory, each once. */
async function open({ routes = [route('r')], settings, variables = {} }: Options = {}) {
  const home = await createTemporaryHome();
  let offset = 0;
  const started = Date.now();
  const clock = {
    ...systemClock,
    now: () => started + offset,
    advance: (milliseconds: number) => void (offset += milliseconds),
  };
  const [events, logged, forwarded, problems] = [
    new Map<string, ChannelEvent>(),
    [] as unknown[],
    [] as ForwardedMessage[],
    [] as string[],
  ];
  const listening = Promise.withResolvers<number>();
  const channel = createWebhookChannel({
    settings: {
      isEnabled: true,
      host: '127.0.0.1',
      port: 0,
      publicUrl: undefined,
      secret: undefined,
      ratePerMinute: 30,
      maxBodyBytes: 1000,
      routes,
      ...settings,
    },
    home: home.path,
    variables,
    clock,
    logger: { ...silentLogger, info: (_, fields) => void logged.push(fields) },
    forward: async (message) => void forwarded.push(message),
    onProblem: (problem) => void problems.push(problem),
    onListening: listening.resolve,
  });
  const stopping = new AbortController();
  let failStoring: Error | undefined;
  const ended = channel.receive({
    cursor: undefined,
    async deliver([event]) {
      if (failStoring !== undefined) throw failStoring;
      if (event === undefined || events.has(event.id)) return 0;
      events.set(event.id, event);
      return 1;
    },
    onAlive: () => undefined,
    signal: stopping.signal,
  });
  ended.catch(() => undefined);
  onTestFinished(async () => {
    stopping.abort();
    await ended.catch(() => undefined);
    await home.remove();
  });
  const port = await listening.promise;
  const send = (body: string, headers: Record<string, string> = {}, name = 'r') =>
    fetch(`http://127.0.0.1:${port}/webhooks/${name}`, {
      method: 'POST',
      body,
      headers: {
        'content-type': 'application/json',
        'x-hub-signature-256': `sha256=${sign(SECRET, Buffer.from(body))}`,
        ...headers,
      },
    });
  const failWith = (error: Error) => void (failStoring = error);
  return { home: home.path, clock, channel, events, logged, forwarded, problems, port, send, ended, failWith };
}

const deliver = (
  { channel }: Awaited<ReturnType<typeof open>>,
  delivery: AnswerDelivery,
  text: string,
  mayHaveArrived = false,
) =>
  channel.send(
    { target: { chatId: 'webhook:r:1', delivery }, content: { text } },
    { key: 'key', mayHaveArrived, signal: AbortSignal.timeout(10_000) },
  );

verifies(['GW-1', 'GW-7', 'GW-26'], 'accepts signed requests only, and each delivery once', async () => {
  const { send, events, port } = await open();
  for (const headers of [{ 'x-hub-signature-256': 'sha256=00' }, { 'x-hub-signature-256': '' }])
    expect((await send('{}', headers)).status).toBe(401);
  const unsigned = await fetch(`http://127.0.0.1:${port}/webhooks/r`, { method: 'POST', body: '{}' });
  expect([unsigned.status, events.size]).toEqual([401, 0]);
  expect((await send('{}', {}, 'unknown')).status).toBe(404);
  const id = { 'x-github-delivery': 'd-1', 'x-github-event': 'push' };
  const first = await send('{"a":1}', id);
  expect([first.status, await first.json()]).toEqual([
    202,
    { status: 'accepted', route: 'r', event: 'push', delivery_id: 'd-1' },
  ]);
  const second = await send('{"a":1}', id);
  expect([second.status, await second.json()]).toMatchObject([200, { status: 'duplicate' }]);
  expect(events.size).toBe(1);
  const health = await fetch(`http://127.0.0.1:${port}/health`);
  expect(await health.json()).toEqual({ status: 'ok', platform: 'webhook' });
});

it('answers the 31st request in a minute with 429, also if they are spread over it', async () => {
  const { send, clock } = await open({ routes: [route('r'), route('other')] });
  for (let index = 0; index < 30; index += 1) {
    expect((await send('{}')).status).toBe(202);
    clock.advance(1900);
  }
  const refused = await send('{}');
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '3']);
  expect((await send('{}', {}, 'other')).status).toBe(202);
  clock.advance(3000);
  expect((await send('{}')).status).toBe(202);
  expect((await send('{}')).status).toBe(429);
});

it('does not count signed requests as those of a stranger, and makes strangers wait', async () => {
  const { send, port } = await open({ settings: { ratePerMinute: 1000 } });
  for (let index = 0; index < 70; index += 1) expect((await send('{}')).status).toBe(202);
  const guess = () => fetch(`http://127.0.0.1:${port}/webhooks/r`, { method: 'POST', body: '{}' });
  for (let index = 0; index < 60; index += 1) expect((await guess()).status).toBe(401);
  expect((await guess()).status).toBe(429);
});

it('refuses what is not a JSON object of a reasonable size', async () => {
  const { send, events } = await open();
  for (const body of ['', '[]', '1', '{', '\0']) expect((await send(body)).status).toBe(400);
  expect((await send('{}', { 'content-type': 'application/x-www-form-urlencoded' })).status).toBe(400);
  expect((await send(JSON.stringify({ a: 'x'.repeat(2000) }))).status).toBe(413);
  expect(events.size).toBe(0);
});

it('ignores other events, and the ping of GitHub', async () => {
  const { send, events } = await open({
    routes: [route('r', { events: ['pull_request', 'merge_request'] }), route('all')],
  });
  const statusOf = async (headers: Record<string, string>, body = '{}', name = 'r') => {
    const answer = (await (await send(body, headers, name)).json()) as { status: string };
    return answer.status;
  };
  expect(await statusOf({ 'x-github-event': 'push' })).toBe('ignored');
  expect(await statusOf({ 'x-github-event': 'pull_request' })).toBe('accepted');
  expect(await statusOf({ 'x-gitlab-event': 'Merge Request Hook' }, '{"object_kind":"merge_request"}')).toBe(
    'accepted',
  );
  expect(await statusOf({ 'x-github-event': 'push' }, '{"event_type":"pull_request"}')).toBe('ignored');
  expect(await statusOf({}, '{"event_type":"Pull_Request"}')).toBe('accepted');
  expect(await statusOf({ 'x-github-event': 'ping' }, '{}', 'all')).toBe('ignored');
  expect(events.size).toBe(3);
});

it('recognises repeated deliveries of GitLab and of senders with a signed time', async () => {
  const { port, clock, send } = await open();
  // A header that is present decides, even if it is empty.
  expect((await send('{}', { 'x-hub-signature-256': '', 'x-gitlab-token': SECRET })).status).toBe(401);
  const post = async (body: string, headers: Record<string, string>) => {
    const all = { 'content-type': 'application/json', ...headers };
    const response = await fetch(`http://127.0.0.1:${port}/webhooks/r`, { method: 'POST', body, headers: all });
    return ((await response.json()) as { status: string }).status;
  };
  const token = { 'x-gitlab-token': SECRET, 'x-gitlab-event-uuid': 'u' };
  expect(await post('{"a":1}', token)).toBe('accepted');
  expect(await post('{"a":1}', token)).toBe('duplicate');
  expect(await post('{"a":2}', token)).toBe('accepted');
  const time = String(Math.floor(clock.now() / 1000));
  const timed = { 'x-webhook-timestamp': time, 'x-webhook-signature-v2': sign(SECRET, Buffer.from(`${time}.{}`)) };
  expect(await post('{}', timed)).toBe('accepted');
  expect(await post('{}', timed)).toBe('duplicate');
  // Somebody who has recorded it can change the id, which is not signed.
  for (const name of ['x-request-id', 'idempotency-key', 'x-github-delivery', 'x-gitlab-event-uuid'])
    expect(await post('{}', { ...timed, [name]: 'other' })).toBe('duplicate');
  // Without an id, every request is a new one.
  const plain = { 'x-webhook-signature': sign(SECRET, Buffer.from('{}')) };
  expect(await post('{}', plain)).toBe('accepted');
  expect(await post('{}', plain)).toBe('accepted');
});

it('makes an event whose session key is that of the original, with its fields apart', async () => {
  const made = route('pr', {
    prompt: 'Review {number}: {title}, {diff_url}',
    skills: ['s'],
    toolsets: ['web'],
    deliver: 'github_comment',
  });
  const { send, events } = await open({ routes: [made] });
  const body = {
    number: 7,
    title: 'Hi',
    diff_url: 'https://github.com/a/b/pull/7.diff',
    repository: { full_name: 'a/b' },
  };
  await send(JSON.stringify(body), { 'x-github-delivery': 'd' }, 'pr');
  const [event] = events.values();
  expect(event?.source).toEqual({
    platform: 'webhook',
    chatType: 'webhook',
    chatId: 'webhook:pr:d',
    chatName: 'webhook/pr',
    userId: 'webhook:pr',
    userName: 'pr',
    skills: ['s'],
    toolsets: ['web'],
    urls: ['https://github.com/a/b/pull/7.diff'],
  });
  expect(event?.content).toMatchObject({
    text: 'Review 7: {title}, {diff_url}',
    fields: [
      { name: 'title', value: 'Hi' },
      { name: 'diff_url', value: 'https://github.com/a/b/pull/7.diff' },
    ],
  });
  expect(event?.delivery).toEqual({ to: 'github_comment', repository: 'a/b', number: '7' });
  const nowhere = await send('{"number": "7; rm", "repository": {"full_name": "-R"}}', {}, 'pr');
  expect(nowhere.status).toBe(422);
});

it('reads subscriptions again when they change, and keeps the known ones while the file is damaged', async () => {
  const { home, send, problems } = await open();
  const write = (content: unknown) => writeFile(subscriptionsFile(home), JSON.stringify(content));
  const statuses = async (...names: string[]) =>
    Promise.all(names.map(async (name) => (await send('{}', {}, name)).status));
  expect(await statuses('new')).toEqual([404]);
  await write({ new: { secret: SECRET }, r: { secret: 'another' }, bad: { secret: 'INSECURE_NO_AUTH' } });
  expect(await statuses('new', 'r', 'bad')).toEqual([202, 202, 404]);
  expect(problems).toEqual(['The webhook route "bad" has no secret: INSECURE_NO_AUTH is not supported.']);
  await writeFile(subscriptionsFile(home), '{"new": ');
  expect(await statuses('new')).toEqual([202]);
  expect(problems[1]).toContain('is not a JSON object');
  await write({});
  expect(await statuses('new')).toEqual([404]);
});

it('asks the sender to repeat a request that could not be stored, and ends', async () => {
  const { send, failWith, ended } = await open();
  failWith(new Error('the disk is full'));
  const response = await send('{}');
  expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5']);
  await expect(ended).rejects.toThrow('the disk is full');
});

verifies('GW-26', 'answers only to known host names on loopback', async () => {
  const ask = async (port: number, host: string) => {
    const { promise, resolve } = Promise.withResolvers<number | undefined>();
    sendRequest({ port, host: '127.0.0.1', path: '/health', headers: { host } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    }).end();
    return promise;
  };
  const local = await open();
  expect(await ask(local.port, 'evil.example')).toBe(421);
  const proxied = await open({ settings: { publicUrl: 'https://hooks.example/' } });
  expect(await ask(proxied.port, 'hooks.example')).toBe(200);
  expect(await ask(proxied.port, 'evil.example')).toBe(421);
});

it('delivers to the log and to chats, but never a silent answer to a chat', async () => {
  const opened = await open();
  await deliver(opened, { to: 'log' }, 'Fine.');
  await deliver(opened, { to: 'chat', target: 'telegram' }, 'Fine.');
  await deliver(opened, { to: 'chat', target: 'telegram' }, ' [SILENT]\n');
  expect(opened.logged).toMatchObject([{ answer: 'Fine.' }, { answer: ' [SILENT]\n' }]);
  expect(opened.forwarded).toEqual([{ target: 'telegram', text: 'Fine.', key: 'key' }]);
});

/** A program `gh` that records its calls, keeps comments in a file, and fails if there is a file `fail`. */
async function installGh(
  folder: string,
): Promise<{ path: string; read(name: string): Promise<string>; fail(how: string): Promise<void> }> {
  const path = join(folder, 'bin');
  await mkdir(path);
  const script = `#!/bin/sh
cd '${path}'; echo "$*" >> calls
[ -f fail ] && { cat fail >&2; exit 1; }
case "$1" in
  api) cat comments 2>/dev/null || true ;;
  pr) cat >> comments ;;
esac
`;
  await writeFile(join(path, 'gh'), script);
  await chmod(join(path, 'gh'), 0o755);
  return {
    path,
    read: (name) => readFile(join(path, name), 'utf8').catch(() => ''),
    fail: (how) => writeFile(join(path, 'fail'), how),
  };
}

verifies('GW-2', 'adds a comment on GitHub once, although its arrival is unknown', async () => {
  const folder = await createTemporaryHome();
  onTestFinished(() => folder.remove());
  const gh = await installGh(folder.path);
  const opened = await open({ variables: { ...process.env, PATH: `${gh.path}:${process.env['PATH']}` } });
  const target = { to: 'github_comment', repository: 'a/b', number: '7' } as const;
  await deliver(opened, target, 'Looks **good**; $(touch x) `y`');
  await deliver(opened, target, 'Looks **good**; $(touch x) `y`', true);
  expect(await gh.read('comments')).toMatch(
    /^Looks \*\*good\*\*; \$\(touch x\) `y`\n\n<!-- hermes:[0-9a-f]{32} -->\n$/,
  );
  expect(await gh.read('calls')).toBe(
    'pr comment 7 --repo a/b --body-file -\napi --paginate repos/a/b/issues/7/comments?per_page=100\n',
  );
  for (const [error, fault] of [
    ['GraphQL: Could not resolve to a Repository', 'rejected'],
    ['HTTP 502: Bad Gateway', 'uncertain'],
    ['error connecting to api.github.com', 'transient'],
  ] as const) {
    await gh.fail(error);
    await expect(deliver(opened, target, 'x')).rejects.toMatchObject({
      fault,
      message: expect.stringContaining(error),
    });
  }
});

it('says that the GitHub CLI is missing', async () => {
  const opened = await open({ variables: { PATH: '/nonexistent' } });
  const target = { to: 'github_comment', repository: 'a/b', number: '7' } as const;
  await expect(deliver(opened, target, 'x')).rejects.toMatchObject({
    fault: 'rejected',
    message: expect.stringContaining('gh auth login'),
  });
});

it('splits only what is too long for a comment, and loses nothing', async () => {
  const { channel } = await open();
  expect(channel.render('  ')).toEqual([]);
  expect(channel.render('**a**\n')).toEqual([{ text: '**a**' }]);
  const long = Array.from({ length: 30_000 }, (_, index) => `line ${index} 😀`).join('\n');
  const parts = channel.render(long);
  expect(parts.every(({ text }) => text.length <= channel.facts.maxText)).toBe(true);
  expect(parts.map(({ text }) => text).join('\n')).toBe(long);
});
