import { statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigurationError } from '../../../base/index.ts';
import type { ApiServerSettings } from '../../../config/gateway/index.ts';
import type { Logger } from '../../../contracts/index.ts';
import { createKeyAuthenticator, isLoopbackHost, MIN_STRONG_KEY } from '../../../http/index.ts';
import { changeFile, rememberSecrets, writeFileAtomic } from '../../../util/index.ts';
import { FIRST_KEY, keyFile, newSecret, readKeys, type StoredKey } from './key-file.ts';

type Authenticator = ReturnType<typeof createKeyAuthenticator>;

/** The keys of the API server. Keys that are added or revoked while it runs count from the next request on. */
export interface ApiKeys {
  readonly authenticator: Authenticator;
  /** The key with this name; undefined if it was revoked meanwhile. */
  find(name: string): StoredKey | undefined;
  /** The file with the key that Hermes has created for the user; undefined if the user has set one. */
  readonly firstFile: string | undefined;
  /** Whether it was created now. */
  readonly isFirstNew: boolean;
}

export function firstKeyFile(home: string): string {
  return join(home, 'api_server.key');
}

/**
 * Opens the keys, and creates the first one if there is none. Throws `ConfigurationError` if the server would be
 * reachable from other machines and the user has set no strong key.
 */
export async function openKeys(
  home: string,
  { host, key }: Pick<ApiServerSettings, 'host' | 'key'>,
  logger: Logger,
): Promise<ApiKeys> {
  let stored = readKeys(home);
  const isPublic = !isLoopbackHost(host);
  if (isPublic) requireStrongKey(host, key, stored);
  const first = key ?? (isPublic ? undefined : await openFirstKey(home, stored));
  const secret = typeof first === 'string' ? first : first?.secret;
  // A key that a client sends must not appear in a log, whatever logs it.
  if (secret !== undefined) rememberSecrets([secret]);
  let authenticator: Authenticator;
  let changedAt = changeTime(home);

  function use(keys: readonly StoredKey[]): void {
    const own = keys.map(({ name, hash }) => ({ name, hash }));
    authenticator = createKeyAuthenticator([...(secret === undefined ? [] : [{ name: FIRST_KEY, secret }]), ...own]);
  }

  /** A file that cannot be read grants nothing new, and revokes all keys in it. */
  function refresh(): void {
    const current = changeTime(home);
    if (current === changedAt) return;
    changedAt = current;
    try {
      stored = readKeys(home);
    } catch (thrown) {
      stored = [];
      logger.error('could not read the keys of the API server', {}, thrown);
    }
    use(stored);
  }

  use(stored);
  return {
    authenticator: {
      challenge: 'Bearer',
      authenticate(header) {
        refresh();
        return authenticator.authenticate(header);
      },
    },
    find: (name) => (name === FIRST_KEY ? OWNER_KEY : stored.find((each) => each.name === name)),
    firstFile: typeof first === 'object' ? firstKeyFile(home) : undefined,
    isFirstNew: typeof first === 'object' && first.isNew,
  };
}

/** Belongs to the user, so it has no restrictions. */
const OWNER_KEY: StoredKey = { name: FIRST_KEY, hash: '', createdAt: 0, models: ['*'], isOwner: true };

function requireStrongKey(host: string, key: string | undefined, stored: readonly StoredKey[]): void {
  const hint =
    'Set API_SERVER_KEY in .env, for example to the output of `openssl rand -hex 32`, or listen on 127.0.0.1.';
  if (key === undefined && stored.length === 0)
    throw new ConfigurationError(`Hermes does not listen on ${host} without a key that you have set.`, {
      hint,
    });
  if (key !== undefined && key.length < MIN_STRONG_KEY)
    throw new ConfigurationError(
      `API_SERVER_KEY has ${key.length} characters. To listen on ${host}, it needs at least ${MIN_STRONG_KEY}.`,
      { hint },
    );
}

/** Reads the key that an earlier start created, or creates it. Not needed if the user has created keys. */
async function openFirstKey(
  home: string,
  stored: readonly StoredKey[],
): Promise<{ secret: string; isNew: boolean } | undefined> {
  const file = firstKeyFile(home);
  const read = async () => (await readFile(file, 'utf8').catch(() => '')).trim();
  const known = await read();
  if (known !== '') return { secret: known, isNew: false };
  if (stored.length > 0) return undefined;
  return changeFile(file, async () => {
    const meanwhile = await read();
    if (meanwhile !== '') return { secret: meanwhile, isNew: false };
    const secret = newSecret();
    await writeFileAtomic(file, `${secret}\n`, { mode: 0o600 });
    return { secret, isNew: true };
  });
}

/** Replacing a file changes its inode, even within one tick of the clock. */
function changeTime(home: string): string {
  const found = statSync(keyFile(home), { bigint: true, throwIfNoEntry: false });
  return found === undefined ? '' : `${found.mtimeNs} ${found.ino}`;
}
