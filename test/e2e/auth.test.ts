import { existsSync } from 'node:fs';
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { declineSandbox } from '../support/answer-sandbox.ts';
import { fullDoseOnly, someOf } from '../support/dose.ts';
import { verifies } from '../spec/verifies.ts';
import { useCliFixture } from '../support/cli-fixture.ts';
import { createOAuthServer, type OAuthServer, pending } from '../support/oauth-server.ts';
import { runHermes } from '../support/run-hermes.ts';
import { startTerminal } from '../support/terminal.ts';

const cli = useCliFixture();
let oauth: OAuthServer;
beforeEach(async () => {
  oauth = await createOAuthServer();
  oauth.device = { ...oauth.device, interval: 0.01 };
});
afterEach(() => oauth.close());

/** A custom endpoint with its own login. */
const configureLab = (more = '', login = 'device') =>
  cli.home.write(
    'config.yaml',
    [
      'model: {provider: lab, default: test-model}',
      `custom_providers: [{name: lab, base_url: "${cli.server.url}/v1", api_mode: chat_completions}]`,
      `auth: {lab: {client_id: client-1, token_url: "${oauth.url}/token", ${login}_url: "${oauth.url}/${login}"}}`,
      more,
    ].join('\n'),
  );
const hermes = (args: string[], options: { input?: string; env?: Record<string, string> } = {}) =>
  runHermes(args, { home: cli.home, ...options });
const stored = async () => {
  const { credential_pool: pools } = JSON.parse(await cli.home.read('auth.json')) as {
    credential_pool: Record<string, Record<string, unknown>[]>;
  };
  return pools;
};
const storeLogin = (changes: object = {}) => {
  oauth.refreshTokens.add('refresh-0');
  const login = { id: 'abc123', label: 'login-1', auth_type: 'oauth', source: 'login', access_token: 'access-0' };
  const entry = { ...login, refresh_token: 'refresh-0', expires_at_ms: Date.now() - 1, ...changes };
  return cli.home.write('auth.json', JSON.stringify({ credential_pool: { 'custom:lab': [entry] } }));
};
const FILE_WATCH = `
  const fs = require('node:fs');
  const append = fs.appendFileSync;
  for (const object of [fs, fs.promises]) {
    for (const [name, value] of Object.entries(object)) {
      if (typeof value !== 'function' || /^[A-Z_]/.test(name)) continue;
      object[name] = (...args) => {
        if (String(args[0]).startsWith(process.env.WATCHED)) append(process.env.SEEN, name + ' ' + args[0] + '\\n');
        return value.apply(object, args);
      };
    }
  }
`;
const sentWith = () => cli.server.requests.map(({ headers }) => headers.authorization);

describe('keys', () => {
  it('are added from stdin, listed without being shown, and removed', async () => {
    const key = 'sk-or-v1-0123456789abcdef-the-end';
    const added = await hermes(['auth', 'add', 'openrouter', '--label', 'work'], { input: `${key}\n` });
    expect(added).toMatchObject({
      exitCode: 0,
      stdout: 'Added work (key sk-or-***-end) for OpenRouter.\n',
      stderr: '',
    });
    expect((await stat(join(cli.home.path, 'auth.json'))).mode & 0o777).toBe(0o600);
    expect((await stored())['openrouter']).toMatchObject([{ access_token: key, auth_type: 'api_key' }]);
    const env = { DEEPSEEK_API_KEY: 'sk-deepseek-0123456789' };
    const list = await hermes(['auth', 'list'], { env });
    expect(list.stdout).toMatch(/deepseek\n {2}DEEPSEEK_API_KEY {2}variable {2}key {2}sk-dee\*\*\*6789 {2}ready\n/);
    expect(list.stdout).toMatch(/openrouter\n {2}work {2}[0-9a-f]{6} {2}key {2}sk-or-\*\*\*-end {2}ready\n/);
    const json = await hermes(['auth', 'list', '--json'], { env });
    expect(JSON.parse(json.stdout)).toMatchObject([
      { provider: 'deepseek' },
      { provider: 'openrouter', next: 'work', credentials: [{ label: 'work', state: 'ready', uses: 0 }] },
    ]);
    const status = await hermes(['auth', 'status'], { env });
    expect(status.stdout).toBe('deepseek: next: DEEPSEEK_API_KEY\nopenrouter: next: work\n');
    for (const { stdout, stderr } of [added, list, json, status]) expect(stdout + stderr).not.toMatch(/0123456789/);
    expect(await hermes(['auth', 'remove', 'openrouter'])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('--yes'),
    });
    expect(await hermes(['auth', 'remove', 'openrouter', 'work', '--yes'])).toMatchObject({ exitCode: 0 });
    expect((await hermes(['auth', 'list'])).stdout).toContain('There are no API keys or logins yet');
  });

  it('are accepted as an argument with a warning; invalid ones are rejected by name', async () => {
    const argument = await hermes(['auth', 'add', 'openrouter', '--key', 'sk-or-given-as-argument']);
    expect(argument).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('in your shell history') });
    const cases = {
      '': 'The API key from standard input is empty',
      'two words': 'a space',
      'a\nb': 'line break',
      kéy: 'an invalid character',
    };
    for (const [input, message] of Object.entries(cases)) {
      const refused = await hermes(['auth', 'add', 'openrouter', '--key', '-'], { input });
      expect(refused).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(message) });
    }
    expect((await stored())['openrouter']).toHaveLength(1);
    expect(await hermes(['auth', 'add', 'nowhere'])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('"nowhere" is not a known provider'),
    });
    expect(await hermes(['auth', 'add', 'openrouter', '--login'])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('--key -'),
    });
  });

  it('are rejected with quotes around them, as in a variable', async () => {
    const { exitCode, stderr } = await hermes(['auth', 'add', 'openrouter'], { input: '"sk-or-v1-quoted"\n' });
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('quotes')]);
    expect(stderr).not.toContain('sk-or-v1-quoted');
  });

  it('are typed into a terminal without an echo', async () => {
    const terminal = startTerminal(cli.home, ['auth', 'add', 'openrouter']);
    await terminal.see('API key for OpenRouter');
    terminal.type('sk-or-typed-by-hand-1234\r');
    await terminal.see('Added key-1');
    expect(await terminal.exited).toBe(0);
    expect(terminal.output()).not.toContain('typed-by-hand');
    expect((await stored())['openrouter']).toMatchObject([{ access_token: 'sk-or-typed-by-hand-1234' }]);
  });

  verifies('PROV-9', 'are rotated: a second key is used while the first is in cooldown', async () => {
    await configureLab();
    for (const input of ['key-number-one', 'key-number-two'])
      await hermes(['auth', 'add', 'lab', '--key', '-'], { input });
    const limited = { fault: { type: 'status' as const, status: 429, retryAfter: 7200 } };
    cli.server.setScript(({ headers }) =>
      headers.authorization === 'Bearer key-number-one' ? limited : { text: 'fine' },
    );
    expect(await hermes(['-z', 'hello'])).toMatchObject({ exitCode: 0, stdout: 'fine\n' });
    expect(await hermes(['-z', 'hello'])).toMatchObject({ exitCode: 0, stdout: 'fine\n' });
    expect(sentWith()).toEqual(['Bearer key-number-one', 'Bearer key-number-two', 'Bearer key-number-two']);
    const list = async () => (await hermes(['auth', 'list'])).stdout;
    expect(await list()).toMatch(
      /key-1 .* in cooldown until .* \(rate limit reached\), used 1×\n.*key-2 .* ready, used 2×\n/,
    );
    expect((await hermes(['auth', 'status'])).stdout).toMatch(
      /custom:lab: next: key-2, 1 of 2 ready, fill_first\n {2}key-1: in cooldown/,
    );
    expect((await hermes(['auth', 'reset', 'lab'])).stdout).toBe('1 credential enabled again.\n');
    expect(await list()).not.toContain('cooldown');
  });

  verifies('PROV-9', 'are shared by two processes, and only the failed one is in cooldown', async () => {
    await configureLab();
    for (const input of ['key-number-one', 'key-number-two'])
      await hermes(['auth', 'add', 'lab', '--key', '-'], { input });
    const limited = { fault: { type: 'status' as const, status: 429, retryAfter: 7200 } };
    cli.server.setScript(async ({ headers }) => {
      // Neither process gets its answer before both have sent a request.
      await cli.server.waitForRequests(2);
      return headers.authorization === 'Bearer key-number-one' ? limited : { text: 'fine' };
    });
    for (const run of await Promise.all([hermes(['-z', 'one']), hermes(['-z', 'two'])])) {
      expect(run).toMatchObject({ exitCode: 0, stdout: 'fine\n' });
    }
    expect(new Set(sentWith().slice(0, 2)).size).toBe(2);
    const [{ credentials }] = JSON.parse((await hermes(['auth', 'list', '--json'])).stdout) as [
      { credentials: object[] },
    ];
    expect(credentials).toMatchObject([
      { state: 'resting', reason: 'rate_limit', uses: 1 },
      { state: 'ready', uses: 2 },
    ]);
  });

  it('in auth.json are found without other configuration, and a damaged file is reported and kept', async () => {
    await cli.home.write('auth.json', '{"credential_pool": {"openrouter": [{"access_token": "sk-or-secret-secret",');
    const failed = await hermes(['-z', 'hello']);
    expect(failed).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining(`${join(cli.home.path, 'auth.json')} is damaged`),
    });
    expect(failed.stderr).not.toContain('sk-or-secret');
    expect(await hermes(['auth', 'add', 'openrouter'], { input: 'a-new-key' })).toMatchObject({ exitCode: 2 });
    expect(await cli.home.read('auth.json')).toContain('sk-or-secret-secret');
  });
});

describe('logins', () => {
  it('with a device code: the terminal shows the instructions, and the next call uses the token', async () => {
    await configureLab();
    oauth.polls.push(pending, pending);
    const terminal = startTerminal(cli.home, ['auth', 'add', 'lab', '--login']);
    await terminal.see(`Open ${oauth.url}/activate`);
    await terminal.see('enter the code ABCD-EFGH');
    await terminal.see('Added login-1 (login) for lab.');
    expect(await terminal.exited).toBe(0);
    expect(await hermes(['-z', 'hello'])).toMatchObject({ exitCode: 0, stdout: 'ok\n' });
    expect(sentWith()).toEqual(['Bearer access-token-1']);
    expect(terminal.output()).not.toMatch(/access-token|refresh-token/);
  });

  it('work without a terminal, and report a denial', async () => {
    await configureLab();
    expect(await hermes(['auth', 'add', 'lab', '--login'])).toMatchObject({
      exitCode: 0,
      stdout: 'Added login-1 (login) for lab.\n',
    });
    oauth.polls.push({ status: 400, body: { error: 'access_denied' } });
    expect(await hermes(['auth', 'add', 'lab', '--login'])).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('the login was rejected'),
    });
    expect((await stored())['custom:lab']).toHaveLength(1);
  });

  it('in the browser: redirects to this machine, or the code is pasted', fullDoseOnly, async () => {
    await configureLab('', 'authorize');
    const terminal = startTerminal(cli.home, ['auth', 'add', 'lab', '--login']);
    await terminal.see('Waiting for the browser');
    const address = /Open (\S+)/.exec(terminal.output().replaceAll(/\r?\n/g, '\n'))?.[1] ?? '';
    expect(await (await fetch(address)).text()).toContain('close this window');
    expect(await terminal.exited).toBe(0);
    const second = startTerminal(cli.home, ['auth', 'add', 'lab', '--login']);
    await second.see('paste the code');
    const shown = /Open (\S+)/.exec(second.output())?.[1] ?? '';
    const { headers } = await fetch(shown, { redirect: 'manual' });
    second.type(`${headers.get('location')}\r`);
    await second.see('Added login-2');
    expect(await second.exited).toBe(0);
    expect((await stored())['custom:lab']).toMatchObject([
      { access_token: 'access-token-1' },
      { access_token: 'access-token-2' },
    ]);
  });

  it('change nothing after Ctrl-C', async () => {
    await configureLab();
    oauth.device = { ...oauth.device, interval: 60 };
    const terminal = startTerminal(cli.home, ['auth', 'add', 'lab', '--login']);
    await terminal.see('Waiting');
    terminal.type('\u0003');
    expect(await terminal.exited).toBe(130);
    expect(await hermes(['auth', 'list'])).toMatchObject({
      stdout: expect.stringContaining('no API keys or logins yet'),
    });
  });

  it('are refreshed once by two processes that need it at the same moment', fullDoseOnly, async () => {
    await configureLab();
    await storeLogin();
    const both = Promise.withResolvers<void>();
    oauth.beforeRefresh = () => both.promise;
    const runs = [hermes(['-z', 'one']), hermes(['-z', 'two'])];
    // The user message is stored just before the call; the token is issued only when both processes have got that
    // far.
    const asked = async () => JSON.parse((await hermes(['sessions', 'list', '--json'])).stdout) as unknown[];
    await expect.poll(asked).toHaveLength(2);
    await expect.poll(() => oauth.count('/token')).toBe(1);
    both.resolve();
    for (const run of await Promise.all(runs)) expect(run).toMatchObject({ exitCode: 0, stdout: 'ok\n', stderr: '' });
    expect(oauth.count('/token')).toBe(1);
    expect(sentWith()).toEqual(['Bearer access-token-1', 'Bearer access-token-1']);
    expect((await stored())['custom:lab']).toMatchObject([
      { access_token: 'access-token-1', refresh_token: 'refresh-token-1' },
    ]);
  });

  it('are refreshed after a 401, and the call is retried', async () => {
    await configureLab();
    await storeLogin({ expires_at_ms: Date.now() + 3_600_000 });
    const refused = { fault: { type: 'status' as const, status: 401 } };
    cli.server.setScript(({ headers }) =>
      headers.authorization === 'Bearer access-0' ? refused : { text: 'in again' },
    );
    expect(await hermes(['-z', 'hello'])).toMatchObject({ exitCode: 0, stdout: 'in again\n' });
    expect(sentWith()).toEqual(['Bearer access-0', 'Bearer access-token-1']);
  });

  it('that have expired say how to log in again, and the next login replaces them', async () => {
    await configureLab();
    await storeLogin();
    oauth.refreshTokens.clear();
    const ended = await hermes(['--json', '-q', 'hello']);
    expect(ended.exitCode).toBe(1);
    expect(ended.stdout).toContain('Sign in again with `hermes auth add lab --login`.');
    expect(ended.stdout + ended.stderr).not.toMatch(/refresh-0|access-0/);
    expect((await hermes(['auth', 'list'])).stdout).toContain('disabled (the login has expired)');
    expect((await hermes(['auth', 'status'])).stdout).toContain('log in again with `hermes auth add');
    const again = await hermes(['auth', 'add', 'lab', '--login']);
    expect(again.stdout).toBe('Replaced login-1 (login) for lab.\n');
    expect((await stored())['custom:lab']).toHaveLength(1);
    expect(await hermes(['-z', 'hello'])).toMatchObject({ exitCode: 0, stdout: 'ok\n' });
    const log = await cli.home.read('logs/agent.log');
    expect(log).not.toMatch(/refresh-0|access-0|refresh-token|access-token/);
  });

  it('say what is missing if the client id is unknown', async () => {
    await cli.home.write(
      'config.yaml',
      `custom_providers: [{name: lab, base_url: "${cli.server.url}/v1"}]\nauth: {lab: {device_url: "${oauth.url}/device"}}\n`,
    );
    expect(await hermes(['auth', 'add', 'lab', '--login'])).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('Set auth.lab.client_id in config.yaml.'),
    });
    await cli.home.write('config.yaml', 'auth: {lab: {token_url: "http://tokens.example/token"}}\n');
    expect(await hermes(['auth', 'list'])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('auth.lab.token_url must be an https URL'),
    });
  });

  verifies('BOUND-3', 'of Claude Code are read only if Anthropic is selected', fullDoseOnly, async () => {
    await configureLab();
    const folder = join(cli.home.userHome, '.claude');
    await mkdir(folder);
    const claudeAiOauth = { accessToken: 'cc-access', refreshToken: 'cc-refresh', expiresAt: Date.now() - 1 };
    const content = JSON.stringify({ claudeAiOauth });
    await writeFile(join(folder, '.credentials.json'), content);
    // Records every access to files of that folder, through any function.
    const [watch, seen] = [join(cli.home.userHome, 'watch.cjs'), join(cli.home.userHome, 'seen.txt')];
    await writeFile(watch, FILE_WATCH);
    const env = { NODE_OPTIONS: `--require ${watch}`, WATCHED: folder, SEEN: seen };
    const keys = { OPENROUTER_API_KEY: 'sk-or-0123456789', LAB_KEY: 'lab' };
    const commands = [['-z', 'hello'], ['status'], ['auth', 'list'], ['auth', 'status'], ['sessions', 'list']];
    for (const args of someOf(commands, 2)) {
      expect(await hermes(args, { env: { ...env, ...keys } })).toMatchObject({ exitCode: 0 });
    }
    expect(existsSync(seen)).toBe(false);
    expect((await hermes(['status', '--provider', 'anthropic'], { env })).stdout).toContain('Claude Code');
    expect(await readFile(seen, 'utf8')).toContain('.credentials.json');
    expect(await readFile(join(folder, '.credentials.json'), 'utf8')).toBe(content);
  });

  verifies('PROV-6', 'imports the login of the Codex CLI and leaves its file unchanged', async () => {
    const claims = { exp: 4_000_000_000, 'https://api.openai.com/auth': { chatgpt_account_id: 'account-1' } };
    const token = `h.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.s`;
    const content = JSON.stringify({
      tokens: { access_token: token, refresh_token: 'codex-refresh', id_token: token },
    });
    await mkdir(join(cli.home.userHome, '.codex'));
    const file = join(cli.home.userHome, '.codex', 'auth.json');
    await writeFile(file, content);
    const imported = await hermes(['auth', 'add', 'openai-codex', '--import']);
    expect(imported).toMatchObject({
      exitCode: 0,
      stdout: 'Added login-1 (login) for OpenAI Codex.\n',
      stderr: expect.stringContaining('share one login'),
    });
    expect((await stored())['openai-codex']).toMatchObject([
      {
        access_token: token,
        refresh_token: 'codex-refresh',
        account_id: 'account-1',
        expires_at_ms: 4_000_000_000_000,
      },
    ]);
    expect(await readFile(file, 'utf8')).toBe(content);
    expect(await hermes(['auth', 'add', 'openrouter', '--import'])).toMatchObject({ exitCode: 2 });
  });
});

it('logs in while a model is selected, and the setup uses the login', fullDoseOnly, async () => {
  await configureLab();
  const chat = startTerminal(cli.home, ['setup']);
  await chat.see('Which provider?');
  await chat.see('lab (current: test-model)');
  chat.type('\r');
  await chat.see('How do you want to sign in?');
  await chat.see('Log in to lab');
  chat.type('\r');
  await chat.see('and enter the code');
  await chat.see('Logged in to lab.');
  await chat.see('Which model?');
  await chat.see('test-model');
  chat.type('\r');
  await chat.see('The model responded');
  await chat.see('Saved lab with test-model');
  await declineSandbox(chat);
  await chat.see('Start a chat now?');
  chat.type('n');
  expect(await chat.exited).toBe(0);
  expect(sentWith()).toEqual([`Bearer ${oauth.accessTokens[0]}`]);
  expect((await stored())['custom:lab']).toMatchObject([{ auth_type: 'oauth', access_token: oauth.accessTokens[0] }]);
  expect(chat.output()).not.toContain(oauth.accessTokens[0]);
});
