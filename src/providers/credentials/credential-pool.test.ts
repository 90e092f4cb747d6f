import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createOAuthServer, type OAuthServer } from '../../../test/support/oauth-server.ts';
import { verifies } from '../../../test/spec/verifies.ts';
import { ModelError } from '../../base/index.ts';
import { createFakeClock, createTemporaryHome, type FakeClock, type TemporaryHome } from '../../testing/index.ts';
import { readStored } from './auth-file.ts';
import { openPool } from './credential-pool.ts';
import { resetPool } from './pool-store.ts';
import { readPoolState } from './pool-state.ts';
import { addStored, type NewCredential } from './stored-changes.ts';
import { type CredentialPlan, variableMember } from './plan-credentials.ts';

let home: TemporaryHome;
let server: OAuthServer;
let clock: FakeClock;
const signal = new AbortController().signal;
beforeEach(async () => {
  home = await createTemporaryHome();
  server = await createOAuthServer();
  clock = createFakeClock();
});
afterEach(async () => {
  await server.close();
  await home.remove();
});

const planWith = (changes: Partial<CredentialPlan> = {}): CredentialPlan => ({
  pool: 'lab',
  name: 'Lab',
  home: home.path,
  hosts: ['lab.example'],
  strategy: 'fill_first',
  found: [],
  login: server.login(),
  ...changes,
});
const open = (changes: Partial<CredentialPlan> = {}) => openPool(planWith(changes), { clock, random: () => 0 });
const addKeys = async (...secrets: string[]) => {
  for (const secret of secrets) await addStored(home.path, 'lab', { kind: 'api_key', source: 'manual', secret });
};
/** A login created before the test. */
const addLogin = async (changes: Partial<NewCredential> = {}) => {
  server.refreshTokens.add('refresh-0');
  const login = { kind: 'oauth' as const, source: 'login', secret: 'access-0', refreshToken: 'refresh-0' };
  return (await addStored(home.path, 'lab', { ...login, expiresAt: clock.now() + 3_600_000, ...changes })).credential;
};
const secretOf = async (pool: ReturnType<typeof open>) => (await pool.take(signal)).secret;
const restsOf = async () => {
  const state = await readPoolState(home.path, 'lab');
  return readStored(home.path, 'lab').map(({ id, secret }) => [secret, state[id]?.rest?.reason, state[id]?.uses ?? 0]);
};
const failureOf = (work: Promise<unknown>): Promise<ModelError> =>
  work.then(
    () => expect.unreachable('it should fail'),
    (thrown: unknown) => {
      expect(thrown).toBeInstanceOf(ModelError);
      return thrown as ModelError;
    },
  );

describe('a pool of keys', () => {
  verifies('PROV-9', 'rotates when a credential fails, and returns to it after its cooldown', async () => {
    await addKeys('one', 'two');
    const pool = open();
    expect(await pool.take(signal)).toEqual({ secret: 'one', hosts: ['lab.example'] });
    expect(await pool.rotate('rate_limit', undefined)).toBe(true);
    expect(await secretOf(pool)).toBe('two');
    expect(await pool.rotate('auth', undefined)).toBe(false);
    clock.advance(300_000);
    expect(await secretOf(pool)).toBe('two');
    // The lease of the second one has expired, so the first one is preferred again.
    clock.advance(3_300_000);
    expect(await secretOf(pool)).toBe('one');
  });

  verifies('PROV-9', "prefers the provider's reset time to the default cooldown", async () => {
    await addKeys('one', 'two');
    const pool = open();
    await pool.take(signal);
    await pool.rotate('rate_limit', 5_000);
    expect(await secretOf(pool)).toBe('two');
    clock.advance(400_000);
    expect(await secretOf(pool)).toBe('one');
  });

  verifies('PROV-9', 'gives two concurrent users different credentials, each with its own failures', async () => {
    await addKeys('one', 'two', 'three');
    const [first, second] = [open(), open()];
    expect([await secretOf(first), await secretOf(second)]).toEqual(['one', 'two']);
    expect([await secretOf(first), await secretOf(second)]).toEqual(['one', 'two']);
    await second.rotate('rate_limit', undefined);
    expect(await restsOf()).toEqual([
      ['one', undefined, 2],
      ['two', 'rate_limit', 2],
      ['three', undefined, 0],
    ]);
    expect([await secretOf(first), await secretOf(second)]).toEqual(['one', 'three']);
    // A fourth caller shares the least used one instead of waiting.
    expect(await secretOf(open())).toBe('three');
  });

  verifies('PROV-9', 'never disables the credential of another provider, even with the same key', async () => {
    await addKeys('same');
    await addStored(home.path, 'other', { kind: 'api_key', source: 'manual', secret: 'same' });
    const pool = open();
    await pool.take(signal);
    await pool.rotate('rate_limit', undefined);
    expect(await restsOf()).toEqual([['same', 'rate_limit', 0]]);
    expect(await readPoolState(home.path, 'other')).toEqual({});
  });

  verifies('PROV-9', 'alternates with round_robin, and balances with least_used', async () => {
    await addKeys('one', 'two', 'three');
    const turns = async (strategy: 'round_robin' | 'least_used') => {
      const taken: string[] = [];
      for (let turn = 0; turn < 4; turn += 1) {
        taken.push(await secretOf(open({ strategy })));
        clock.advance(300_000);
      }
      return taken;
    };
    expect(await turns('round_robin')).toEqual(['one', 'two', 'three', 'one']);
    expect(await turns('least_used')).toEqual(['two', 'three', 'one', 'two']);
  });

  it('keeps a credential disabled until it is reset, or for a day', async () => {
    await addKeys('one', 'two');
    const pool = open();
    await pool.take(signal);
    await pool.rotate('billing', 1_000);
    // Later failures do not shorten the cooldown.
    await pool.rotate('rate_limit', 1_000);
    clock.advance(23 * 3_600_000);
    expect(await secretOf(pool)).toBe('two');
    expect(await resetPool(home.path, 'lab')).toBe(1);
    expect(await secretOf(open())).toBe('one');
  });

  verifies(
    'PROV-9',
    'reports when the first one is ready again if all are in cooldown, and who set that time',
    async () => {
      await addKeys('one', 'two');
      const pool = open();
      await pool.take(signal);
      expect(pool.current()).toBe(readStored(home.path, 'lab')[0]?.id);
      await pool.rotate('rate_limit', undefined);
      expect(await pool.findCooldown()).toBeUndefined();
      await pool.take(signal);
      await pool.rotate('rate_limit', 5_000);
      // Another process sees the cooldown too.
      expect(await open().findCooldown()).toEqual({ until: clock.now() + 5_000, told: true });
      clock.advance(5_000);
      expect(await pool.findCooldown()).toBeUndefined();
      await pool.take(signal);
      await pool.rotate('billing', undefined);
      expect(await pool.findCooldown()).toEqual({ until: clock.now() + 3_595_000, told: false });
    },
  );

  it('writes failed changes later, on top of the changes of others', async () => {
    await addKeys('one', 'two');
    const pool = open();
    // A directory at the path of the file, so that it cannot be written.
    const stateFile = join(home.path, 'auth-state.json');
    await mkdir(stateFile);
    expect(await secretOf(pool)).toBe('one');
    await pool.rotate('rate_limit', undefined);
    expect(await secretOf(pool)).toBe('two');
    await rm(stateFile, { recursive: true });
    const other = open();
    expect(await secretOf(other)).toBe('one');
    await other.rotate('auth', undefined);
    expect(await secretOf(pool)).toBe('two');
    expect(await restsOf()).toEqual([
      ['one', 'rate_limit', 2],
      ['two', undefined, 2],
    ]);
  });

  it('writes nothing for a single credential, and keeps using it after a failure', async () => {
    await addKeys('one');
    const pool = open();
    expect(await secretOf(pool)).toBe('one');
    expect(await readdir(home.path)).toEqual(['auth.json']);
    expect(await pool.refresh()).toBe(false);
    expect(await pool.rotate('rate_limit', undefined)).toBe(false);
    expect(await secretOf(pool)).toBe('one');
    const [state] = Object.values(await readPoolState(home.path, 'lab'));
    expect(state?.rest?.until).toBe(clock.now() + 60_000);
  });

  it('puts keys of variables first, sees new ones, and reports when none is left', async () => {
    const pool = open({ found: [variableMember('LAB_KEY', 'from-variable')] });
    expect(await secretOf(pool)).toBe('from-variable');
    await addKeys('from-variable', 'added');
    await pool.rotate('rate_limit', undefined);
    expect(await secretOf(pool)).toBe('added');
    const empty = await failureOf(openPool(planWith({ pool: 'none' }), { clock }).take(signal));
    expect(empty).toMatchObject({
      failure: { kind: 'auth_permanent', fallBack: true },
      hint: 'Add one with `hermes auth add none`.',
    });
  });

  it('stores no secrets, and ignores a damaged state file', async () => {
    await addKeys('the-first-key', 'the-second-key');
    await home.write(
      'auth-state.json',
      '{"lab": {"x": [], "y": {"leases": [7, {"holder": 1}], "rest": "?", "uses": "many"}}, "z": 1, broken',
    );
    const pool = open();
    await pool.take(signal);
    await pool.rotate('rate_limit', undefined);
    expect(await home.read('auth-state.json')).not.toMatch(/the-(first|second)-key/);
    await home.write(
      'auth-state.json',
      '{"lab": {"x": [], "y": {"leases": [7, {"holder": 1}], "rest": "?", "uses": "many"}}, "z": 1}',
    );
    expect(await secretOf(open())).toBe('the-first-key');
  });

  it('works if nothing can be written', async () => {
    await addKeys('one', 'two');
    // A directory at the path of the lock, which not even root can take.
    await mkdir(join(home.path, 'auth-state.json.lock'));
    const pool = open();
    expect(await secretOf(pool)).toBe('one');
    expect(await pool.rotate('rate_limit', undefined)).toBe(true);
    expect(await secretOf(pool)).toBe('two');
    expect(await readdir(home.path)).toEqual(['auth-state.json.lock', 'auth.json']);
  });
});

describe('a pool with logins', () => {
  it('sends a login as a bearer token, with the headers of its row and its account', async () => {
    await addLogin({ accountId: 'account-7' });
    const login = server.login({ accountHeader: 'chatgpt-account-id', headers: { 'x-mark': 'login' } });
    expect(await open({ login }).take(signal)).toEqual({
      secret: 'access-0',
      hosts: ['lab.example'],
      scheme: 'bearer',
      headers: { 'x-mark': 'login', 'chatgpt-account-id': 'account-7' },
    });
  });

  verifies('PROV-6', 'reads the account of a Codex login from its id token, also after a refresh', async () => {
    const { id } = await addLogin({ expiresAt: clock.now() + 60_000 });
    const claims = { 'https://api.openai.com/auth': { chatgpt_account_id: 'account-9' } };
    server.extra = { id_token: `h.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.s` };
    const login = server.login({
      accountHeader: 'chatgpt-account-id',
      accountClaim: ['https://api.openai.com/auth', 'chatgpt_account_id'],
    });
    const { headers } = await open({ login }).take(signal);
    expect(headers).toEqual({ 'chatgpt-account-id': 'account-9' });
    expect(readStored(home.path, 'lab')).toMatchObject([{ id, accountId: 'account-9' }]);
  });

  it('refreshes a token once shortly before it expires, and saves it', async () => {
    await addLogin();
    const pool = open();
    expect(await secretOf(pool)).toBe('access-0');
    clock.advance(3_600_000 - 119_000);
    expect(await secretOf(pool)).toBe('access-token-1');
    expect(await secretOf(open())).toBe('access-token-1');
    expect(server.count('/token')).toBe(1);
    expect(readStored(home.path, 'lab')).toMatchObject([{ secret: 'access-token-1', refreshToken: 'refresh-token-1' }]);
    expect(await readdir(home.path)).toEqual(['auth.json']);
  });

  it('refreshes once after a rejection, and uses a token that another process refreshed', async () => {
    await addLogin();
    const [first, second] = [open(), open()];
    await first.take(signal);
    await second.take(signal);
    expect(await Promise.all([first.refresh(), second.refresh()])).toEqual([true, true]);
    expect(server.count('/token')).toBe(1);
    expect([await secretOf(first), await secretOf(second)]).toEqual(['access-token-1', 'access-token-1']);
    expect(await restsOf()).toEqual([['access-token-1', undefined, 0]]);
  });

  it('disables a login that has ended, and uses the next credential', async () => {
    await addLogin({ expiresAt: clock.now() - 1 });
    await addKeys('a-key');
    server.refreshTokens.clear();
    const pool = open();
    expect(await secretOf(pool)).toBe('a-key');
    expect(await secretOf(pool)).toBe('a-key');
    expect(server.count('/token')).toBe(1);
    expect(await restsOf()).toEqual([
      ['access-0', 'login_ended', 1],
      ['a-key', undefined, 2],
    ]);
  });

  it('says to sign in again if it was the only credential', async () => {
    await addLogin({ expiresAt: clock.now() - 1 });
    server.refreshTokens.clear();
    expect(await failureOf(open().take(signal))).toMatchObject({
      failure: { kind: 'auth_permanent', retryable: false, fallBack: true },
      hint: 'Sign in again with `hermes auth add lab --login`.',
    });
    await addLogin({ secret: 'access-1', refreshToken: undefined, expiresAt: clock.now() - 1 });
    expect((await failureOf(open().take(signal))).message).toContain('has ended');
  });

  it('uses a login that cannot be refreshed until it expires', async () => {
    await addLogin({ expiresAt: clock.now() + 60_000 });
    const pool = open({ login: undefined });
    expect(await pool.take(signal)).toEqual({
      secret: 'access-0',
      hosts: ['lab.example'],
      scheme: 'bearer',
      headers: {},
    });
    clock.advance(60_000);
    expect((await failureOf(pool.take(signal))).message).toContain('the token has expired');
  });

  it('leaves a rejected refresh after a 401 to rotation', async () => {
    await addLogin();
    await addKeys('a-key');
    server.refreshTokens.clear();
    const pool = open();
    await pool.take(signal);
    expect(await pool.refresh()).toBe(false);
    expect(await pool.rotate('auth', undefined)).toBe(true);
    expect(await secretOf(pool)).toBe('a-key');
    expect((await restsOf())[0]).toEqual(['access-0', 'login_ended', 1]);
  });

  it('keeps the login if the token endpoint fails temporarily', async () => {
    await addLogin({ expiresAt: clock.now() + 60_000 });
    server.faults.push({ status: 500, body: {} }, { status: 200, body: '<html>' });
    const pool = open();
    expect(await secretOf(pool)).toBe('access-0');
    clock.advance(61_000);
    expect(await failureOf(pool.take(signal))).toMatchObject({ failure: { kind: 'connection', retryable: true } });
    expect(await secretOf(pool)).toBe('access-token-1');
  });

  it('stops waiting on an interrupt, but still saves the new tokens', async () => {
    await addLogin({ expiresAt: clock.now() });
    const stop = new AbortController();
    server.beforeRefresh = async () => stop.abort(new Error('stopped'));
    await expect(open().take(stop.signal)).rejects.toThrow('stopped');
    await expect.poll(() => readStored(home.path, 'lab')[0]?.secret).toBe('access-token-1');
  });

  it('exchanges a token for a short-lived one, and caches it until it expires', async () => {
    await addLogin({ refreshToken: undefined, expiresAt: undefined });
    const now = () => Math.floor(clock.now() / 1000);
    const exchange = {
      method: 'GET' as const,
      url: `${server.url}/exchange`,
      secretField: 'token',
      expiryField: 'expires_at',
      baseUrlPath: ['endpoints', 'api'],
      baseUrlHost: 'githubcopilot.com',
    };
    const endpoints = { api: 'https://api.business.githubcopilot.com' };
    server.exchange = { body: { token: 'short-1', expires_at: now() + 1500, endpoints } };
    const pool = open({ login: server.login({ exchange, headers: { 'x-mark': 'copilot' } }) });
    expect(await pool.baseUrl()).toBe('https://api.business.githubcopilot.com');
    expect(await pool.take(signal)).toEqual({
      secret: 'short-1',
      hosts: ['lab.example', 'api.business.githubcopilot.com'],
      scheme: 'bearer',
      headers: { 'x-mark': 'copilot' },
    });
    expect(await pool.peek(signal)).toMatchObject({ secret: 'short-1' });
    expect(server.count('/exchange')).toBe(1);
    server.exchange = { body: { token: 'short-2', expires_at: now() + 3000, endpoints } };
    clock.advance(1_450_000);
    expect(await secretOf(pool)).toBe('short-2');
    server.exchange = { body: { token: 'short-3', expires_at: now() + 3000, endpoints } };
    expect(await pool.refresh()).toBe(true);
    expect(await secretOf(pool)).toBe('short-3');
    server.exchange = undefined;
    expect(await pool.refresh()).toBe(false);
  });
});
