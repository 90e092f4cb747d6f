import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createOAuthServer, type OAuthServer, pending, slowDown } from '../../../test/support/oauth-server.ts';
import { createFakeClock, type FakeClock } from '../../testing/index.ts';
import { readPasted } from './code-flow.ts';
import { allowedBaseUrl, exchangeToken } from './refresh-tokens.ts';
import {
  type CodeHooks,
  type DevicePrompt,
  LoginFailure,
  loginWithCode,
  loginWithDevice,
  refreshTokens,
} from './index.ts';
import { findLogin, type Login, LOGINS } from './login-table.ts';
import { readExpiry, readTokens } from './token-response.ts';

let server: OAuthServer;
let clock: FakeClock;
beforeEach(async () => {
  server = await createOAuthServer();
  clock = createFakeClock();
});
afterEach(() => server.close());

const failureOf = (work: Promise<unknown>): Promise<LoginFailure> =>
  work.then(
    () => expect.unreachable('it should fail'),
    (thrown: unknown) => {
      expect(thrown).toBeInstanceOf(LoginFailure);
      return thrown as LoginFailure;
    },
  );

describe('the device flow', () => {
  const begin = (changes: Partial<Login> = {}) => {
    const prompts: DevicePrompt[] = [];
    const tokens = loginWithDevice(server.login(changes), { clock }, (prompt) => prompts.push(prompt));
    return { prompts, tokens };
  };

  it('shows the code, polls until it is authorized, and respects the interval', async () => {
    server.polls.push(pending, slowDown, pending, { body: { error: 'slow_down', interval: 30 } });
    const { prompts, tokens } = begin();
    expect(await tokens).toEqual({
      accessToken: 'access-token-1',
      refreshToken: 'refresh-token-1',
      expiresAt: clock.now() + 3_600_000,
      idToken: undefined,
    });
    expect(prompts).toMatchObject([{ userCode: 'ABCD-EFGH', address: `${server.url}/activate` }]);
    expect(clock.sleeps).toEqual([5_000, 5_000, 10_000, 10_000, 30_000]);
    expect(server.requests[0]?.fields).toEqual({ client_id: 'client-1', scope: 'models' });
    expect(server.requests[1]?.fields).toEqual({
      grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
      client_id: 'client-1',
      device_code: 'device-code-1',
    });
  });

  it('reports a rejection', async () => {
    server.polls.push(pending, { status: 400, body: { error: 'access_denied' } });
    expect(await failureOf(begin().tokens)).toMatchObject({
      reason: 'denied',
      message: 'Lab: the login was rejected.',
    });
  });

  it('ends when the code has expired, by the server or by the clock', async () => {
    server.polls.push({ status: 400, body: { error: 'expired_token' } });
    expect(await failureOf(begin().tokens)).toMatchObject({
      reason: 'expired',
      hint: expect.stringContaining('hermes auth add lab'),
    });
    server.device = { ...server.device, expires_in: 12 };
    server.polls.push(pending, pending, pending);
    expect((await failureOf(begin().tokens)).reason).toBe('expired');
    expect(server.polls).toHaveLength(1);
  });

  it('tolerates a failing token endpoint for a while, with back-off', async () => {
    const page = { status: 502, body: '<html>bad gateway</html>', type: 'text/html' };
    server.polls.push(page, { status: 200, body: 'garbage' }, { status: 503, body: {} }, pending);
    expect((await begin().tokens).accessToken).toBe('access-token-1');
    expect(clock.sleeps).toEqual([5_000, 10_000, 20_000, 40_000, 40_000]);
    server.polls.push(page, page, page, page, page, page);
    expect(await failureOf(begin().tokens)).toMatchObject({
      reason: 'temporary',
      message: expect.stringContaining('HTTP 502'),
    });
  });

  it('stops immediately when interrupted', async () => {
    const stop = new AbortController();
    server.polls.push(pending, pending);
    const tokens = loginWithDevice(server.login(), { clock, signal: stop.signal }, () =>
      stop.abort(new Error('stopped')),
    );
    await expect(tokens).rejects.toThrow('stopped');
  });

  it('reports missing settings before it sends anything', async () => {
    expect(await failureOf(begin({ clientId: undefined }).tokens)).toMatchObject({
      message: 'The login at Lab requires client_id, which is not set.',
      hint: 'Set auth.lab.client_id in config.yaml.',
    });
    expect(server.requests).toEqual([]);
  });

  it("includes the provider's message if it returns no code", async () => {
    for (const device of [{ error: 'invalid_client' }, { user_code: 'x' }, { message: 'nobody knows client-1' }]) {
      server.faults.push({ status: 401, body: device });
      expect(await failureOf(begin().tokens)).toMatchObject({
        reason: 'settings',
        hint: expect.stringContaining('auth.lab'),
      });
    }
  });

  it('supports the variations of a row: PKCE, another grant, another field, milliseconds', async () => {
    server.device = { user_code: 'WXYZ', interval: 3000, expired_in: clock.now() + 60_000, state: 's' };
    server.polls.push({ body: { status: 'pending' } });
    server.extra = { expires_in: undefined, expired_in: clock.now() + 500_000 };
    const tokens = await begin({ devicePkce: true, deviceGrant: 'own-grant', pollField: 'user_code' }).tokens;
    expect(tokens.expiresAt).toBe(clock.now() - 6_000 + 500_000);
    expect(clock.sleeps).toEqual([3_000, 3_000]);
    expect(server.requests[0]?.fields).toMatchObject({
      code_challenge_method: 'S256',
      code_challenge: expect.any(String),
    });
    expect(server.requests[1]?.fields).toMatchObject({
      grant_type: 'own-grant',
      user_code: 'WXYZ',
      code_verifier: expect.any(String),
    });
    expect(server.requests[1]?.fields).not.toHaveProperty('device_code');
  });
});

describe('the code flow', () => {
  /** A browser that follows redirects. */
  const browse = async (address: string, change: (back: URL) => void = () => undefined) => {
    const { headers } = await fetch(address, { redirect: 'manual' });
    const back = new URL(headers.get('location') ?? '');
    change(back);
    return fetch(back);
  };
  const begin = (show: CodeHooks['show'], changes: Partial<Login> = {}, askForCode?: CodeHooks['askForCode']) =>
    loginWithCode(server.login({ flow: 'code', ...changes }), { clock: NEVER_ENDING }, { show, askForCode });
  /** The test clock does not advance while waiting for the user. */
  const NEVER_ENDING = { now: () => clock.now(), sleep: (_: number, signal?: AbortSignal) => untilAbort(signal) };
  const untilAbort = (signal?: AbortSignal) =>
    new Promise<never>((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason as Error)));

  it('accepts the code of the redirect, and sends the PKCE verifier', async () => {
    const pages: Promise<Response>[] = [];
    const tokens = await begin(({ address, pasted }) => {
      expect(pasted).toBe(false);
      pages.push(browse(address));
    });
    expect(tokens).toMatchObject({ accessToken: 'access-token-1' });
    expect(await (await pages[0])?.text()).toContain('close this window');
    const [authorize, token] = server.requests;
    expect(authorize?.fields).toMatchObject({
      response_type: 'code',
      client_id: 'client-1',
      scope: 'models',
      code_challenge_method: 'S256',
    });
    expect(token?.fields).toMatchObject({
      grant_type: 'authorization_code',
      redirect_uri: authorize?.fields['redirect_uri'],
    });
    expect(token?.fields).not.toHaveProperty('state');
  });

  it('rejects a code without the right state', async () => {
    const statuses: number[] = [];
    const strangersFirst = async (address: string) => {
      statuses.push((await browse(address, (back) => back.searchParams.set('state', 'other'))).status);
      statuses.push((await browse(address, (back) => (back.pathname = '/elsewhere'))).status);
      statuses.push((await browse(address)).status);
    };
    const tokens = await begin(({ address }) => void strangersFirst(address));
    expect(tokens.accessToken).toBe('access-token-1');
    await expect.poll(() => statuses).toEqual([400, 404, 200]);
  });

  it('ignores a request with an invalid URL', async () => {
    const statuses: number[] = [];
    const strangerFirst = async (address: string) => {
      const redirectUri = new URL(address).searchParams.get('redirect_uri') ?? '';
      // Any page in a browser can send this request.
      statuses.push((await fetch(`${new URL(redirectUri).origin}//`)).status);
      statuses.push((await browse(address)).status);
    };
    const tokens = await begin(({ address }) => void strangerFirst(address));
    expect(tokens.accessToken).toBe('access-token-1');
    await expect.poll(() => statuses).toEqual([404, 200]);
  });

  it('reports a rejection', async () => {
    const refused = begin(({ address }) => {
      void browse(address, (back) => {
        back.searchParams.delete('code');
        back.searchParams.set('error', 'access_denied');
      });
    });
    expect(await failureOf(refused)).toMatchObject({
      reason: 'denied',
      message: expect.stringContaining('access_denied'),
    });
  });

  it('accepts a pasted code if the redirect is remote, with the state in the token request', async () => {
    let shown = '';
    const paste = async () => {
      const { headers } = await fetch(shown, { redirect: 'manual' });
      const { searchParams } = new URL(headers.get('location') ?? '');
      return ` ${searchParams.get('code')}#${searchParams.get('state')}\n`;
    };
    const changes = {
      redirectUri: 'https://lab.example/callback',
      sendState: true,
      bodyFormat: 'json' as const,
      authorizeParameters: { code: 'true' },
    };
    const tokens = await begin(({ address, pasted }) => ((shown = address), expect(pasted).toBe(true)), changes, paste);
    expect(tokens.accessToken).toBe('access-token-1');
    const [authorize, token] = server.requests;
    expect(authorize?.fields).toMatchObject({ code: 'true', redirect_uri: 'https://lab.example/callback' });
    expect(token?.headers['content-type']).toBe('application/json');
    expect(token?.fields['state']).toBe(authorize?.fields['state']);
  });

  it('accepts a pasted code while it listens, and if the port is in use', async () => {
    let shown = '';
    const paste = async () => (await fetch(shown, { redirect: 'manual' })).headers.get('location') ?? '';
    const redirectUri = `${server.url}/callback`;
    expect((await begin(({ address }) => (shown = address), {}, paste)).accessToken).toBe('access-token-1');
    expect((await begin(({ address }) => (shown = address), { redirectUri }, paste)).accessToken).toBe(
      'access-token-2',
    );
    expect(await failureOf(begin(() => undefined, { redirectUri }))).toMatchObject({
      message: expect.stringContaining('could not listen'),
    });
  });

  it('accepts all forms of pasted text', () => {
    const read = (text: string) => readPasted(server.login(), text, 'the-state');
    expect(read('abc')).toBe('abc');
    expect(read('abc#the-state')).toBe('abc');
    expect(read('http://localhost:1/cb?code=abc&state=the-state')).toBe('abc');
    expect(() => read('abc#another')).toThrow(/a different login attempt/);
    expect(() => read('http://localhost:1/cb?code=abc')).toThrow(/a different login attempt/);
    expect(() => read('http://localhost:1/cb?error=access_denied&state=the-state')).toThrow(/rejected/);
    for (const text of ['', ' ', 'two words', 'http://localhost/']) expect(() => read(text)).toThrow(/no code/);
  });

  it('reports a rejected code without showing it', async () => {
    server.faults.push({ status: 400, body: { error: 'invalid_grant', error_description: 'bad code-1234567' } });
    const failure = await failureOf(
      begin(
        () => undefined,
        {},
        async () => 'code-1234567',
      ),
    );
    expect(failure).toMatchObject({ reason: 'denied', hint: expect.stringContaining('Start again') });
    expect(failure.message).not.toContain('code-1234567');
  });

  it('times out without a code', async () => {
    const waiting = loginWithCode(server.login({ flow: 'code' }), { clock }, { show: () => undefined });
    expect((await failureOf(waiting)).reason).toBe('expired');
  });
});

describe('renewing', () => {
  const refresh = (token = 'old-refresh-token') => refreshTokens(server.login(), token, { clock });

  it('returns new tokens', async () => {
    server.refreshTokens.add('old-refresh-token');
    expect(await refresh()).toMatchObject({ accessToken: 'access-token-1', refreshToken: 'refresh-token-1' });
    expect(server.requests[0]?.fields).toEqual({
      grant_type: 'refresh_token',
      refresh_token: 'old-refresh-token',
      client_id: 'client-1',
    });
  });

  it('says what to do when the login has ended, and never shows a token', async () => {
    const failure = await failureOf(refresh());
    expect(failure).toMatchObject({ reason: 'ended', hint: 'Sign in again with `hermes auth add lab --login`.' });
    expect(failure.message).toBe('The login at Lab has ended (Lab: *** is not known here).');
    server.faults.push({ status: 401, body: { error: { code: 'refresh_token_reused', message: 'used before' } } });
    expect((await failureOf(refresh())).reason).toBe('ended');
  });

  for (const [name, fault] of Object.entries({
    'an HTML page': { status: 200, body: '<html>maintenance</html>', type: 'text/html' },
    'status 500': { status: 500, body: { error: 'server_error' } },
    'status 429': { status: 429, body: { error: 'too_many_requests' } },
    'no token': { status: 200, body: { ok: true } },
    'a token that is no text': { status: 200, body: { access_token: 17 } },
    garbage: { status: 200, body: '\u0000\u0001{{{' },
    'an empty body': { status: 200, body: '' },
  })) {
    it(`${name} does not end a login`, async () => {
      server.faults.push(fault);
      expect(await failureOf(refresh())).toMatchObject({ reason: 'temporary' });
    });
  }

  it('treats a rejected client id as a wrong setting, and an unreachable host as temporary', async () => {
    server.faults.push({ status: 401, body: { error: 'invalid_client' } });
    expect((await failureOf(refresh())).reason).toBe('settings');
    await server.close();
    expect((await failureOf(refresh())).reason).toBe('temporary');
  });

  it('does not follow a redirect of the token endpoint', async () => {
    server.faults.push({ status: 307, body: {} });
    expect((await failureOf(refresh())).reason).toBe('temporary');
    expect(server.requests).toHaveLength(1);
  });
});

describe('the token exchange', () => {
  const exchange = {
    method: 'GET' as const,
    secretField: 'token',
    expiryField: 'expires_at',
    baseUrlPath: ['endpoints', 'api'],
    baseUrlHost: 'githubcopilot.com',
  };
  const run = () =>
    exchangeToken(server.login(), { ...exchange, url: `${server.url}/exchange` }, 'github-token', { clock });

  it('returns a short-lived token, and accepts a base URL only on hosts of the provider', async () => {
    server.exchange = {
      body: {
        token: 'short',
        expires_at: 1_800_000_000,
        endpoints: { api: 'https://api.business.githubcopilot.com/' },
      },
    };
    expect(await run()).toEqual({
      secret: 'short',
      expiresAt: 1_800_000_000_000,
      baseUrl: 'https://api.business.githubcopilot.com',
    });
    expect(server.requests[0]?.headers.authorization).toBe('Bearer github-token');
    server.exchange = { body: { token: 'short', endpoints: { api: 'https://githubcopilot.com.evil.example' } } };
    expect(await run()).toMatchObject({ baseUrl: undefined, expiresAt: clock.now() + 25 * 60_000 });
  });

  it('checks which base URLs are allowed', () => {
    const allowed = (address: string) => allowedBaseUrl(address, 'githubcopilot.com');
    expect(allowed('https://githubcopilot.com')).toBe('https://githubcopilot.com');
    for (const bad of [
      'http://api.githubcopilot.com',
      'https://evilgithubcopilot.com',
      'https://x@api.githubcopilot.com',
      'https://api.githubcopilot.com@evil.example',
      'nonsense',
    ]) {
      expect(allowed(bad)).toBeUndefined();
    }
  });

  it('distinguishes a missing subscription, an ended login and a temporary failure', async () => {
    expect(await failureOf(run())).toMatchObject({ reason: 'ended', hint: expect.stringContaining('Sign in again') });
    server.exchange = { status: 403, body: { message: 'no Copilot for github-token' } };
    const failure = await failureOf(run());
    expect(failure).toMatchObject({ reason: 'ended', message: 'Lab rejects this account: no Copilot for ***.' });
    server.exchange = { status: 503, body: {} };
    expect((await failureOf(run())).reason).toBe('temporary');
  });
});

describe('login settings', () => {
  it('are complete in every row, with https URLs', () => {
    for (const [provider, row] of Object.entries(LOGINS)) {
      const urls = [row.tokenUrl, row.flow === 'device' ? row.deviceUrl : row.authorizeUrl, row.exchange?.url];
      for (const url of urls) expect(url === undefined || url.startsWith('https://'), provider).toBe(true);
      expect([row.clientId, row.tokenUrl].every(Boolean), provider).toBe(true);
    }
  });

  it('of the user override the row, and can define a new login', () => {
    const logins = {
      copilot: { clientId: 'mine', exchangeUrl: 'https://ghe.example/token' },
      lab: { authorizeUrl: 'https://lab.example/a' },
    };
    expect(findLogin({ logins }, 'copilot')).toMatchObject({
      clientId: 'mine',
      deviceUrl: 'https://github.com/login/device/code',
      exchange: { url: 'https://ghe.example/token', secretField: 'token' },
    });
    expect(findLogin({ logins }, 'lab', 'The lab')).toMatchObject({ name: 'The lab', flow: 'code', provider: 'lab' });
    expect(findLogin({ logins }, 'openrouter')).toBeUndefined();
    expect(findLogin({}, 'constructor')).toBeUndefined();
  });

  it('accept every format of an expiry time', () => {
    const now = Date.UTC(2026, 0, 1);
    expect(
      [3600, '3600', 1_800_000_000, 1_800_000_000_000, '2027-01-15T08:00:00Z'].map((value) => readExpiry(value, now)),
    ).toEqual([now + 3_600_000, now + 3_600_000, 1_800_000_000_000, 1_800_000_000_000, 1_800_000_000_000]);
    expect([undefined, null, '', 'soon', -1, 0, Number.MAX_VALUE, true].map((value) => readExpiry(value, now))).toEqual(
      Array(8).fill(undefined),
    );
    const token = `x.${Buffer.from('{"exp": 1800000000}').toString('base64url')}.y`;
    expect(readTokens({ access_token: token }, now)?.expiresAt).toBe(1_800_000_000_000);
  });
});
