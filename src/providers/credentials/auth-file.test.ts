import { execFileSync } from 'node:child_process';
import { chmod, mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import { ConfigurationError } from '../../base/index.ts';
import { createTemporaryHome, type TemporaryHome } from '../../testing/index.ts';
import { currentProcess } from '../../util/index.ts';
import { readStored, storedProviders, updateStored } from './auth-file.ts';
import { addStored, removeStored, saveTokens } from './stored-changes.ts';
import type { StoredCredential } from './stored-credential.ts';

/** The content of `auth.json` as the original writes it, including fields that only the original uses. */
const ORIGINAL = {
  version: 1,
  active_provider: 'nous',
  providers: { nous: { access_token: 'nous-secret-token', tls: { insecure: false } } },
  credential_pool: {
    openrouter: [
      {
        id: 'a1b2c3',
        label: 'first',
        auth_type: 'api_key',
        priority: 0,
        source: 'manual',
        access_token: 'or-secret-1',
        request_count: 7,
      },
      {
        id: 'env000',
        label: 'OPENROUTER_API_KEY',
        auth_type: 'api_key',
        source: 'env:OPENROUTER_API_KEY',
        access_token: 'or-stale',
      },
      'something else',
    ],
    anthropic: [
      {
        id: 'd4e5f6',
        label: 'login',
        auth_type: 'oauth',
        source: 'manual:hermes_pkce',
        access_token: 'at',
        refresh_token: 'rt',
        expires_at_ms: 1_900_000_000_000,
        expires_at: '2030-03-17T17:46:40Z',
        scope: 'x',
      },
    ],
  },
  suppressed_sources: { nous: ['env'] },
};

describe('auth.json', () => {
  let home: TemporaryHome;
  beforeEach(async () => {
    home = await createTemporaryHome();
  });
  afterEach(() => home.remove());
  const document = async () => JSON.parse(await home.read('auth.json')) as typeof ORIGINAL;
  const key = (secret: string) => ({ kind: 'api_key' as const, source: 'manual', secret });

  it('is read in the format of the original, and is empty in an empty home directory', async () => {
    expect(readStored(home.path, 'openrouter')).toEqual([]);
    expect(storedProviders(home.path)).toEqual([]);
    await home.write('auth.json', JSON.stringify(ORIGINAL));
    expect(readStored(home.path, 'openrouter')).toMatchObject([
      { id: 'a1b2c3', label: 'first', kind: 'api_key', secret: 'or-secret-1' },
    ]);
    expect(readStored(home.path, 'anthropic')).toMatchObject([
      { kind: 'oauth', refreshToken: 'rt', expiresAt: 1_900_000_000_000 },
    ]);
    expect(storedProviders(home.path)).toEqual(['openrouter', 'anthropic']);
    expect(readStored(home.path, '__proto__')).toEqual([]);
  });

  it('has logins that the original keeps outside the pool, and new tokens are written there as well', async () => {
    const login = { tokens: { access_token: 'at-1', refresh_token: 'rt-1' }, auth_mode: 'chatgpt' };
    const pools = { ...ORIGINAL, providers: { 'openai-codex': login, odd: 7 } };
    await home.write('auth.json', JSON.stringify(pools));
    const [stored] = readStored(home.path, 'openai-codex');
    expect(stored).toMatchObject({ kind: 'oauth', secret: 'at-1', refreshToken: 'rt-1', source: 'device_code' });
    expect(storedProviders(home.path)).toEqual(['openrouter', 'anthropic', 'openai-codex']);
    await saveTokens(home.path, 'openai-codex', stored?.id ?? '', {
      secret: 'at-2',
      refreshToken: 'rt-2',
      expiresAt: undefined,
      accountId: undefined,
    });
    const changed = JSON.parse(await home.read('auth.json')) as { providers: object; credential_pool: object };
    const tokens = { access_token: 'at-2', refresh_token: 'rt-2' };
    expect(changed.providers).toEqual({ 'openai-codex': { ...login, tokens }, odd: 7 });
    expect(changed.credential_pool).toMatchObject({ 'openai-codex': [tokens], openrouter: [{}, {}, 'something else'] });
    expect(readStored(home.path, 'openai-codex')).toMatchObject([{ secret: 'at-2' }]);
  });

  it('keeps unknown fields when it is changed', async () => {
    await home.write('auth.json', JSON.stringify(ORIGINAL));
    const { credential } = await addStored(home.path, 'openrouter', key('or-secret-2'));
    await saveTokens(home.path, 'anthropic', 'd4e5f6', {
      secret: 'at-2',
      refreshToken: 'rt-2',
      expiresAt: 1_950_000_000_000,
    });
    const changed = await document();
    const { openrouter, anthropic } = changed.credential_pool;
    expect({ ...changed, credential_pool: 0 }).toEqual({ ...ORIGINAL, credential_pool: 0 });
    expect(openrouter.slice(0, 3)).toEqual(ORIGINAL.credential_pool.openrouter);
    expect(openrouter[3]).toMatchObject({ id: credential.id, label: 'key-1', access_token: 'or-secret-2' });
    expect(anthropic[0]).toEqual({
      ...ORIGINAL.credential_pool.anthropic[0],
      access_token: 'at-2',
      refresh_token: 'rt-2',
      expires_at_ms: 1_950_000_000_000,
      expires_at: new Date(1_950_000_000_000).toISOString(),
    });
    expect(await removeStored(home.path, 'openrouter', credential.id)).toBe(true);
    expect(await removeStored(home.path, 'openrouter', credential.id)).toBe(false);
    expect((await document()).credential_pool.openrouter).toEqual(ORIGINAL.credential_pool.openrouter);
  });

  it('keeps the order of the original, and new credentials come last', async () => {
    const entry = (id: string, priority?: number) => ({
      id,
      access_token: `secret-${id}`,
      ...(priority === undefined ? {} : { priority }),
    });
    await home.write(
      'auth.json',
      JSON.stringify({ credential_pool: { lab: [entry('b', 1), entry('c', 2), entry('a', 0)] } }),
    );
    await addStored(home.path, 'lab', { ...key('new'), label: 'd' });
    expect(readStored(home.path, 'lab').map(({ label }) => label)).toEqual(['a', 'b', 'c', 'd']);
  });

  it('drops the expiry time if the new token has none', async () => {
    await home.write('auth.json', JSON.stringify(ORIGINAL));
    await saveTokens(home.path, 'anthropic', 'd4e5f6', { secret: 'at-2' });
    expect(readStored(home.path, 'anthropic')[0]).toMatchObject({
      secret: 'at-2',
      refreshToken: 'rt',
      expiresAt: undefined,
    });
    expect(await saveTokens(home.path, 'anthropic', 'gone', { secret: 'x' })).toBeUndefined();
  });

  verifies('STORE-8', 'is readable only by its owner, even if it was not before', async () => {
    await rm(home.path, { recursive: true });
    await addStored(home.path, 'openrouter', key('one'));
    const file = join(home.path, 'auth.json');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    await chmod(file, 0o644);
    await addStored(home.path, 'openrouter', key('two'));
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readdir(home.path)).toEqual(['auth.json']);
  });

  it('loses nothing with many concurrent additions', async () => {
    await Promise.all(
      Array.from({ length: 12 }, (_, at) => addStored(home.path, at % 2 ? 'a' : 'b', key(`secret-${at}`))),
    );
    expect([...readStored(home.path, 'a'), ...readStored(home.path, 'b')]).toHaveLength(12);
    expect(new Set(readStored(home.path, 'a').map(({ label }) => label)).size).toBe(6);
  });

  it('contains each secret and each label once', async () => {
    const first = await addStored(home.path, 'openrouter', { ...key('one'), label: 'work' });
    expect(await addStored(home.path, 'openrouter', key('one'))).toEqual({
      credential: first.credential,
      replaced: true,
    });
    await expect(addStored(home.path, 'openrouter', { ...key('two'), label: 'work' })).rejects.toThrow(
      /"work" already exists for openrouter/,
    );
    const login = { kind: 'oauth' as const, source: 'login', secret: 'at', refreshToken: 'rt', expiresAt: 5e12 };
    const { credential } = await addStored(home.path, 'openrouter', login);
    const replaced = await addStored(
      home.path,
      'openrouter',
      { ...login, secret: 'at-2' },
      ({ id }) => id === credential.id,
    );
    expect(replaced).toMatchObject({ replaced: true, credential: { id: credential.id, label: 'login-1' } });
    expect(readStored(home.path, 'openrouter').map(({ secret }) => secret)).toEqual(['one', 'at-2']);
  });

  for (const [name, content] of Object.entries({
    'no JSON': '{"credential_pool": {"openrouter": [{"access_token": "sk-very-secret-key-123",]}}',
    'half a file': '{"credential_pool": {"openrouter": [{"access_token": "sk-very-secret-ke',
    'a list': '["sk-very-secret-key-123"]',
    'a pool that is a text': '{"credential_pool": "sk-very-secret-key-123"}',
    'a list that is an object': '{"credential_pool": {"openrouter": {"access_token": "sk-very-secret-key-123"}}}',
    nothing: '',
  })) {
    it(`is reported and left unchanged if it is damaged: ${name}`, async () => {
      await home.write('auth.json', content);
      const read = () => readStored(home.path, 'openrouter');
      expect(read).toThrow(ConfigurationError);
      expect(read).toThrow(new RegExp(`${join(home.path, 'auth.json')} is damaged: `));
      expect(read).not.toThrow(/very-secret/);
      await expect(addStored(home.path, 'openrouter', key('new'))).rejects.toThrow(ConfigurationError);
      expect(await home.read('auth.json')).toBe(content);
      expect(await readdir(home.path)).toEqual(['auth.json']);
    });
  }

  it('is reported with advice and left unchanged if it is locked or not writable', async () => {
    await home.write('auth.json', '{"version": 1}');
    const add = (options = {}) =>
      updateStored(home.path, 'openrouter', () => ({ entries: [key('new')], value: 1 }), options).catch(
        (thrown: unknown) => thrown as ConfigurationError,
      );
    const lock = join(home.path, 'auth.json.lock');
    await writeFile(lock, JSON.stringify({ ...currentProcess(), token: 'other' }));
    const held = await add({ timeoutMs: 20 });
    expect(held).toBeInstanceOf(ConfigurationError);
    expect(held).toMatchObject({ hint: expect.stringContaining(`delete ${lock}`) });
    await rm(lock);
    // A directory at the path of the lock, which not even root can open as a file.
    await mkdir(join(lock, 'inside'), { recursive: true });
    const broken = await add({ timeoutMs: 20 });
    expect(broken).toBeInstanceOf(ConfigurationError);
    expect(broken).toMatchObject({ message: expect.stringContaining('Nothing was changed') });
    expect(await home.read('auth.json')).toBe('{"version": 1}');
  });

  it('does not block on a FIFO', async () => {
    execFileSync('mkfifo', [join(home.path, 'auth.json')]);
    expect(() => readStored(home.path, 'openrouter')).toThrow(/not a regular file/);
  });

  it('with any content is parsed or rejected without showing it, and survives a change', async () => {
    const entry = fc.oneof(
      fc.jsonValue(),
      fc.record({
        id: fc.jsonValue(),
        access_token: fc.jsonValue(),
        expires_at: fc.jsonValue(),
        expires_at_ms: fc.jsonValue(),
      }),
    );
    const content = fc.oneof(
      fc.string(),
      fc.jsonValue().map((value) => JSON.stringify(value)),
      fc
        .record({ credential_pool: fc.dictionary(fc.string(), fc.oneof(fc.array(entry), fc.jsonValue())) })
        .map((value) => JSON.stringify(value)),
      fc.array(entry).map((pool) => JSON.stringify({ credential_pool: { lab: pool } })),
    );
    const readOrRefuse = (): StoredCredential[] | Error => {
      try {
        return readStored(home.path, 'lab');
      } catch (thrown) {
        return thrown as Error;
      }
    };
    const isQuietRefusal = (refusal: Error) =>
      refusal instanceof ConfigurationError && refusal.message.length < home.path.length + 200;
    const property = fc.asyncProperty(content, async (text) => {
      await home.write('auth.json', text);
      const stored = readOrRefuse();
      if (stored instanceof Error) return isQuietRefusal(stored);
      const before = JSON.parse(text.replace(/^\uFEFF/, '')) as Record<string, unknown>;
      await updateStored(home.path, 'another', (entries) => ({ entries: [...entries, { id: 'x' }], value: undefined }));
      const after = JSON.parse(await home.read('auth.json')) as Record<string, object>;
      const rest = [after, before].map((whole) => JSON.stringify({ ...whole, credential_pool: 0 }));
      return rest[0] === rest[1] && JSON.stringify(readStored(home.path, 'lab')) === JSON.stringify(stored);
    });
    await fc.assert(property, { numRuns: 150 });
  });
});
