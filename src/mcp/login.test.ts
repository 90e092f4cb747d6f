import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import { startMcpLoginServer } from '../../test/support/mcp-login-server.ts';
import { createLogin } from './index.ts';
import { createTokenStore } from './login.ts';
import { callTool, createTemporaryFolder, openTestServer, settingsFor } from '../../test/support/mcp-servers.ts';

async function startServer() {
  const server = await startMcpLoginServer();
  onTestFinished(() => server.close());
  return server;
}

async function follow(address: string): Promise<{ code: string; issuer?: string }> {
  const response = await fetch(address, { redirect: 'manual' });
  const { searchParams } = new URL(response.headers.get('location') ?? '');
  const [code, issuer] = [searchParams.get('code'), searchParams.get('iss') ?? ''];
  if (code === null) throw new Error(searchParams.get('error') ?? '');
  return { code, issuer };
}

/** Requests the authorization URL as a browser would, and returns the code that the server issued. */
function browser() {
  const brought = Promise.withResolvers<{ code: string; issuer?: string }>();
  return {
    receive: async () => ({ redirectUrl: 'http://127.0.0.1:1/callback', code: brought.promise, close() {} }),
    show(address: string) {
      void follow(address).then(brought.resolve, brought.reject);
    },
  };
}

async function setUp(entry: object = {}) {
  const remote = await startServer();
  const folder = await createTemporaryFolder();
  const settings = await settingsFor({ url: remote.url, auth: 'oauth', ...entry });
  const tokensFolder = join(folder, 'tokens');
  const login = createLogin('it', settings, { variables: {}, workingDirectory: folder, tokensFolder });
  const open = () => openTestServer({ url: remote.url, auth: 'oauth', ...entry }, { folder });
  return { remote, login, open, tokensFolder };
}

describe('a server that requires a login', () => {
  verifies(
    'SURF-8',
    'reports it until the user logs in, then its tools work and its token file is private',
    async () => {
      const { remote, login, open, tokensFolder } = await setUp();
      await expect((await open()).connect()).rejects.toMatchObject({
        kind: 'login',
        message: 'it requires a login.',
        hint: 'Run: hermes mcp login it',
      });
      expect(await login.isLoggedIn()).toBe(false);
      await login.run(browser());
      expect(await login.isLoggedIn()).toBe(true);
      const server = await open();
      await server.connect();
      expect(await callTool(server, 'whoami')).toMatchObject({ text: 'you are logged in' });
      const [file = ''] = await readdir(tokensFolder);
      expect((await stat(join(tokensFolder, file))).mode & 0o777).toBe(0o600);
      expect((await stat(tokensFolder)).mode & 0o777).toBe(0o700);
      expect(remote.requests.filter((request) => request === 'POST /register')).toHaveLength(1);
      expect(await login.forget()).toBe(true);
      expect(await login.isLoggedIn()).toBe(false);
    },
  );

  verifies(
    'SURF-8',
    'refreshes its tokens without the user, and requires a new login when the refresh fails',
    async () => {
      const { remote, login, open } = await setUp();
      await login.run(browser());
      remote.accessTokens.clear();
      const server = await open();
      await server.connect();
      expect(await callTool(server, 'whoami')).toMatchObject({ text: 'you are logged in' });
      remote.accessTokens.clear();
      remote.refreshTokens.clear();
      await expect(callTool(server, 'whoami')).rejects.toMatchObject({
        kind: 'login',
        hint: 'Run: hermes mcp login it',
      });
      await expect((await open()).connect()).rejects.toMatchObject({ kind: 'login' });
    },
  );

  verifies('SURF-8', 'leaves nothing behind if the login fails, and says what to do', async () => {
    const { remote, login, tokensFolder } = await setUp();
    remote.refuses = true;
    await expect(login.run(browser())).rejects.toThrow('The login at it failed: access_denied');
    expect(await login.isLoggedIn()).toBe(false);
    remote.refuses = false;
    remote.registers = false;
    await expect(login.run(browser())).rejects.toMatchObject({
      kind: 'login',
      hint: expect.stringContaining('mcp_servers.it.oauth.client_id'),
    });
    const named = await setUp({ oauth: { client_id: 'known' } });
    named.remote.registers = false;
    await named.login.run(browser());
    expect(await named.login.isLoggedIn()).toBe(true);
    expect(await readdir(tokensFolder).catch(() => [])).toHaveLength(0);
  });

  verifies('BOUND-4', 'keeps the tokens and the registration that different processes save', async () => {
    const folder = await createTemporaryFolder();
    const store = () => createTokenStore(folder, 'it', 'https://a.example/mcp');
    for (let round = 0; round < 10; round += 1) {
      const [tokens, client] = [{ access_token: `new ${round}` }, { client_id: `c ${round}` }];
      const old = (await store().read()).tokens;
      // One process saves new tokens, one a registration, and one removes the old tokens if they are still there.
      await Promise.all([store().forget(old), store().save({ tokens }), store().save({ client })]);
      expect(await store().read()).toEqual({ tokens, client });
    }
  });

  it('does not send its tokens to another URL', async () => {
    const { login, open, tokensFolder } = await setUp();
    await login.run(browser());
    const [file = ''] = await readdir(tokensFolder);
    const stored = JSON.parse(await readFile(join(tokensFolder, file), 'utf8')) as { url: string };
    await writeFile(join(tokensFolder, file), JSON.stringify({ ...stored, url: 'https://elsewhere.example/mcp' }));
    await expect((await open()).connect()).rejects.toMatchObject({ kind: 'login' });
  });

  it('gets the call again on a new connection if it no longer knows the session', async () => {
    const { remote, login, open } = await setUp();
    await login.run(browser());
    const server = await open();
    await server.connect();
    remote.sessions.clear();
    expect(await callTool(server, 'whoami')).toMatchObject({ text: 'you are logged in' });
    expect(remote.sessions.size).toBe(1);
  });
});
