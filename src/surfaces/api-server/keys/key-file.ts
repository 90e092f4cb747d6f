import { createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigurationError, isJsonObject, type JsonObject, type JsonValue, parseJson } from '../../../base/index.ts';
import { changeFile, writeFileAtomic } from '../../../util/index.ts';

/** What the bearer of a key may do. */
export type KeyRights = {
  /** Only these tool sets; undefined for the configured ones. */
  toolsets?: readonly string[];
  /** The models that it may choose, as `provider/model`; `*` is any. Undefined for the configured one only. */
  models?: readonly string[];
  /** What its sessions may cost per day, in US dollars. */
  dayUsd?: number;
  /** Whether its bearer is the user: with memory, all sessions, and answers to approvals. */
  isOwner?: boolean;
};

/** A key as it is stored: only the SHA-256 hash of the secret, in hexadecimal. */
export type StoredKey = KeyRights & { name: string; hash: string; createdAt: number };

export function keyFile(home: string): string {
  return join(home, 'api_keys.json');
}

/** The keys that `hermes api key add` has created. Throws `ConfigurationError` if the file cannot be read. */
export function readKeys(home: string): StoredKey[] {
  const file = keyFile(home);
  const text = readIfPresent(file);
  if (text === undefined) return [];
  const content = parseJson(text);
  const list = isJsonObject(content) ? content['keys'] : undefined;
  const keys = Array.isArray(list) ? list.map(readKey) : [undefined];
  if (!keys.every((key) => key !== undefined))
    throw new ConfigurationError(`${file} is not a valid list of keys.`, {
      hint: 'Delete the file, and create the keys again with `hermes api key add`.',
    });
  return keys;
}

function readIfPresent(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (thrown) {
    const { code, message } = thrown as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    throw new ConfigurationError(`Cannot read ${file}: ${message}.`);
  }
}

const HASH = /^[\da-f]{64}$/;
export const KEY_NAME = /^[a-z\d][\w.-]{0,63}$/i;

/** A key whose rights cannot be read must not get more rights, so it is not a key. */
function readKey(value: JsonValue): StoredKey | undefined {
  if (!isJsonObject(value)) return undefined;
  const { name, hash, created_at: createdAt, toolsets, models, limit_usd_day: dayUsd, owner: isOwner } = value;
  // The name of the first key has all rights.
  if (typeof name !== 'string' || !KEY_NAME.test(name) || name === FIRST_KEY) return undefined;
  if (typeof hash !== 'string' || !HASH.test(hash)) return undefined;
  if (!isNames(toolsets) || !isNames(models)) return undefined;
  if (dayUsd !== undefined && typeof dayUsd !== 'number') return undefined;
  return {
    name,
    hash,
    createdAt: typeof createdAt === 'number' ? createdAt : 0,
    ...(toolsets !== undefined && { toolsets }),
    ...(models !== undefined && { models }),
    ...(dayUsd !== undefined && { dayUsd }),
    ...(isOwner === true && { isOwner: true }),
  };
}

function isNames(value: JsonValue | undefined): value is string[] | undefined {
  return value === undefined || (Array.isArray(value) && value.every((name) => typeof name === 'string'));
}

function toJson({ name, hash, createdAt, toolsets, models, dayUsd, isOwner }: StoredKey): JsonObject {
  return {
    name,
    hash,
    created_at: createdAt,
    ...(toolsets !== undefined && { toolsets: [...toolsets] }),
    ...(models !== undefined && { models: [...models] }),
    ...(dayUsd !== undefined && { limit_usd_day: dayUsd }),
    ...(isOwner === true && { owner: true }),
  };
}

/** Creates a key and returns its secret, which is not stored. Throws if the name is taken. */
export async function addKey(home: string, name: string, rights: KeyRights, createdAt: number): Promise<string> {
  const secret = newSecret();
  await change(home, (keys) => {
    if (name === FIRST_KEY)
      throw new ConfigurationError(`"${name}" is the name of the first key.`, { hint: 'Choose another name.' });
    if (keys.some((key) => key.name === name))
      throw new ConfigurationError(`There is a key "${name}" already.`, {
        hint: `Choose another name, or revoke it with \`hermes api key revoke ${name}\`.`,
      });
    return [...keys, { ...rights, name, hash: hashOf(secret), createdAt }];
  });
  return secret;
}

/** Returns false if there is no such key. */
export async function revokeKey(home: string, name: string): Promise<boolean> {
  let isFound = false;
  await change(home, (keys) => {
    const others = keys.filter((key) => key.name !== name);
    isFound = others.length < keys.length;
    return others;
  });
  return isFound;
}

async function change(home: string, edit: (keys: StoredKey[]) => StoredKey[]): Promise<void> {
  const file = keyFile(home);
  await changeFile(file, async () => {
    const content = { keys: edit(readKeys(home)).map(toJson) };
    await writeFileAtomic(file, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  });
}

/** The name of the key in `API_SERVER_KEY`, or of the one that `hermes serve` created. */
export const FIRST_KEY = 'default';

const SECRET_BYTES = 32;

export function newSecret(): string {
  return `hermes-${randomBytes(SECRET_BYTES).toString('hex')}`;
}

export function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}
