import { chmod, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createOAuthServer, type OAuthServer } from '../../../test/support/oauth-server.ts';
import { verifies } from '../../../test/spec/verifies.ts';
import { loadSettings } from '../../config/index.ts';
import { createFakeClock, createTemporaryHome, type TemporaryHome } from '../../testing/index.ts';
import { toEndpoint } from '../endpoint.ts';
import { readStored } from './auth-file.ts';
import { openPool } from './credential-pool.ts';
import type { CredentialPlan } from './plan-credentials.ts';

let home: TemporaryHome;
let server: OAuthServer;
const signal = new AbortController().signal;
const clock = createFakeClock(Date.now());
beforeEach(async () => {
  home = await createTemporaryHome();
  server = await createOAuthServer();
});
afterEach(async () => {
  await server.close();
  await home.remove();
});

const find = async (variables: Record<string, string>, config = '', provider = 'anthropic') => {
  await home.write('config.yaml', `auth: {anthropic: {token_url: "${server.url}/token"}}\n${config}`);
  const settings = await loadSettings({ home: home.path, env: { HOME: home.userHome, ...variables } });
  return toEndpoint(settings, { model: 'm', ...settings.model, provider }).credential;
};
const planOf = async (variables: Record<string, string> = {}): Promise<CredentialPlan> => {
  const found = await find(variables);
  if (found?.plan === undefined) throw new Error('there is no plan');
  return found.plan;
};
const file = () => join(home.userHome, '.claude', '.credentials.json');
const writeClaudeCode = async (changes: object = {}) => {
  await mkdir(join(home.userHome, '.claude'), { recursive: true });
  const claudeAiOauth = {
    accessToken: 'cc-access',
    refreshToken: 'cc-refresh',
    expiresAt: Date.now() + 3_600_000,
    scopes: ['user:inference'],
    ...changes,
  };
  await writeFile(file(), JSON.stringify({ claudeAiOauth, mcpOAuth: { kept: true } }), { mode: 0o600 });
  server.refreshTokens.add('cc-refresh');
};
const theirs = async () => JSON.parse(await readFile(file(), 'utf8')) as { claudeAiOauth: Record<string, unknown> };

const LOGIN = { scheme: 'bearer', headers: { 'anthropic-beta': 'oauth-2025-04-20' }, hosts: ['api.anthropic.com'] };

describe('credentials for Anthropic', () => {
  verifies(
    'PROV-5',
    'are used in this order: configured key, key in a token variable, Claude Code, copied token, API key',
    async () => {
      await writeClaudeCode();
      const copied = { ANTHROPIC_TOKEN: 'sk-ant-oat01-copied', ANTHROPIC_API_KEY: 'sk-ant-api03-key' };
      const withKey = { ...copied, CLAUDE_CODE_OAUTH_TOKEN: 'sk-ant-api03-in-token' };
      expect(await find(withKey, 'model: {provider: anthropic, api_key: written}')).toEqual({
        secret: 'written',
        hosts: ['api.anthropic.com'],
      });
      expect(await find(withKey)).toEqual({ secret: 'sk-ant-api03-in-token', hosts: ['api.anthropic.com'] });
      expect(await find(copied)).toMatchObject({ ...LOGIN, secret: 'cc-access' });
      await writeFile(file(), '{}');
      expect(await find(copied)).toEqual({ ...LOGIN, secret: 'sk-ant-oat01-copied' });
      expect(await find({ CLAUDE_CODE_OAUTH_TOKEN: 'eyJ.other.token', ANTHROPIC_API_KEY: 'sk-ant-api03-key' })).toEqual(
        { ...LOGIN, secret: 'eyJ.other.token' },
      );
      expect(await find({ ANTHROPIC_API_KEY: 'sk-ant-api03-key' })).toEqual({
        secret: 'sk-ant-api03-key',
        hosts: ['api.anthropic.com'],
      });
      await expect(find({})).rejects.toThrow(/No API key was found for Anthropic/);
    },
  );

  verifies('PROV-5', 'skip an unusable Claude Code login', async () => {
    const variables = { ANTHROPIC_API_KEY: 'sk-ant-api03-key' };
    const secret = async () => (await find(variables))?.secret;
    await writeClaudeCode({ refreshToken: undefined, expiresAt: Date.now() - 1 });
    expect(await secret()).toBe('sk-ant-api03-key');
    await writeClaudeCode({ expiresAt: Date.now() - 1 });
    expect(await secret()).toBe('cc-access');
    for (const content of ['not JSON', '[]', '{"claudeAiOauth": {"accessToken": 5}}', '']) {
      await writeFile(file(), content);
      expect(await secret()).toBe('sk-ant-api03-key');
    }
  });

  it('send a login token as such wherever it is configured', async () => {
    const written = await find({}, 'model: {provider: anthropic, api_key: sk-ant-oat01-written}');
    expect(written).toEqual({ ...LOGIN, secret: 'sk-ant-oat01-written' });
    expect(await find({ ANTHROPIC_API_KEY: 'sk-ant-oat01-misplaced' })).toEqual({
      ...LOGIN,
      secret: 'sk-ant-oat01-misplaced',
    });
  });

  verifies('PROV-5', 'are refreshed before a call and once after a 401, and written back to their source', async () => {
    await writeClaudeCode({ expiresAt: Date.now() + 60_000 });
    await chmod(file(), 0o640);
    const pool = openPool(await planOf(), { clock });
    expect(await pool.take(signal)).toEqual({ ...LOGIN, secret: 'access-token-1' });
    expect(await theirs()).toEqual({
      claudeAiOauth: {
        accessToken: 'access-token-1',
        refreshToken: 'refresh-token-1',
        expiresAt: clock.now() + 3_600_000,
        scopes: ['user:inference'],
      },
      mcpOAuth: { kept: true },
    });
    expect((await stat(file())).mode & 0o777).toBe(0o640);
    expect(await pool.refresh()).toBe(true);
    expect(await pool.take(signal)).toMatchObject({ secret: 'access-token-2' });
    expect(server.requests.at(-1)?.headers['content-type']).toBe('application/json');
    expect(readStored(home.path, 'anthropic')).toEqual([]);
  });

  verifies('BOUND-3', 'report once that the file was written, across processes and pools', async () => {
    await writeClaudeCode({ expiresAt: Date.now() + 60_000 });
    const pool = openPool(await planOf(), { clock });
    expect(await pool.warnings?.()).toEqual([]);
    await pool.take(signal);
    expect(await pool.warnings?.()).toEqual([expect.stringContaining(`written to ${file()}`)]);
    await pool.refresh();
    await pool.take(signal);
    const other = openPool(await planOf(), { clock });
    await other.take(signal);
    await other.refresh();
    expect([await pool.warnings?.(), await other.warnings?.(), server.count('/token')]).toEqual([[], [], 3]);
  });

  it('use a token that Claude Code refreshed itself, without refreshing it again', async () => {
    await writeClaudeCode();
    const pool = openPool(await planOf(), { clock });
    await pool.take(signal);
    await writeClaudeCode({ accessToken: 'cc-newer', refreshToken: 'cc-refresh-2' });
    expect(await pool.refresh()).toBe(true);
    expect(await pool.take(signal)).toMatchObject({ secret: 'cc-newer' });
    expect(server.count('/token')).toBe(0);
  });

  it('are stored in auth.json if they cannot be written back, until Claude Code has a newer login', async () => {
    await writeClaudeCode({ expiresAt: Date.now() - 1 });
    // Claude Code signs in again while the token is being refreshed.
    server.beforeRefresh = () => writeClaudeCode({ refreshToken: 'cc-refresh-2', expiresAt: Date.now() - 1 });
    const pool = openPool(await planOf(), { clock });
    expect(await pool.take(signal)).toMatchObject({ secret: 'access-token-1' });
    expect(await theirs()).toMatchObject({ claudeAiOauth: { refreshToken: 'cc-refresh-2' } });
    expect(readStored(home.path, 'anthropic')).toMatchObject([
      { source: 'claude_code', refreshToken: 'refresh-token-1' },
    ]);
    expect(await openPool(await planOf(), { clock }).take(signal)).toMatchObject({ secret: 'access-token-1' });
    await writeClaudeCode({ accessToken: 'cc-newest', expiresAt: Date.now() + 9_999_999 });
    expect(await openPool(await planOf(), { clock }).take(signal)).toMatchObject({ secret: 'cc-newest' });
  });
});
