import { readFileSync, statSync } from 'node:fs';
import { ConfigurationError, errorMessage, isJsonObject, type JsonObject, type JsonValue } from '../../base/index.ts';
import { homePaths } from '../../config/index.ts';
import {
  changeFile,
  type FileLockOptions,
  fileErrorReason,
  rememberFields,
  writeFileAtomic,
} from '../../util/index.ts';
import { loginOutsidePool, providersOutsidePool, syncLoginOutsidePool } from './original-logins.ts';
import { readEntry, type StoredCredential } from './stored-credential.ts';

/** Size limit for auth.json, enough for thousands of credentials. A larger file is something else. */
const MAX_FILE_SIZE = 8 * 1024 * 1024;

/** The key with the credential lists by provider. All other keys belong to the original program. */
const POOLS = 'credential_pool';

/** The credentials of a provider in auth.json, in order. */
export function readStored(home: string, provider: string): StoredCredential[] {
  const entries = poolOf(readAuthFile(home), provider);
  return entries.toSorted((one, other) => priorityOf(one) - priorityOf(other)).flatMap(usable);
}

/** The original program sorts by this number, lowest first. */
export function priorityOf(entry: JsonValue): number {
  const priority = isJsonObject(entry) && Object.hasOwn(entry, 'priority') ? entry['priority'] : undefined;
  return typeof priority === 'number' && Number.isFinite(priority) ? priority : 0;
}

/** All providers with a stored credential. */
export function storedProviders(home: string): string[] {
  const document = readAuthFile(home);
  const names = new Set([...Object.keys(poolsOf(document)), ...providersOutsidePool(document)]);
  return [...names].filter((provider) => poolOf(document, provider).flatMap(usable).length > 0);
}

/**
 * Returns an entry unless it is a copy that the original made of an environment variable: the variable itself may
 * have changed since.
 */
function usable(entry: JsonValue): StoredCredential[] {
  const credential = readEntry(entry);
  return credential === undefined || credential.source.startsWith('env:') ? [] : [credential];
}

/** Changes the list of one provider under a lock, and leaves everything else in the file unchanged. */
export async function updateStored<Value>(
  home: string,
  provider: string,
  change: (entries: readonly JsonValue[]) => { entries: readonly JsonValue[]; value: Value },
  options: FileLockOptions = {},
): Promise<Value> {
  const { authFile } = homePaths(home);
  return changeFile(
    authFile,
    async () => {
      const document = readAuthFile(home);
      const { entries, value } = change(poolOf(document, provider));
      const pools = new Map(Object.entries(poolsOf(document)));
      if (entries.length === 0) pools.delete(provider);
      else pools.set(provider, [...entries]);
      const synced = syncLoginOutsidePool(document, provider, entries);
      const content = { ...synced, [POOLS]: Object.fromEntries(pools) };
      rememberFields(content);
      await writeFileAtomic(authFile, `${JSON.stringify(content, undefined, 2)}\n`, { mode: 0o600 });
      return value;
    },
    options,
  );
}

/** An empty list does not hide a login that the original keeps outside the pool. */
function poolOf(document: JsonObject, provider: string): JsonValue[] {
  const pools = poolsOf(document);
  const entries = Object.hasOwn(pools, provider) ? (pools[provider] as JsonValue[]) : [];
  return entries.length > 0 ? entries : loginOutsidePool(document, provider);
}

function poolsOf(document: JsonObject): JsonObject {
  return (Object.hasOwn(document, POOLS) ? document[POOLS] : {}) as JsonObject;
}

/** Reads and validates the whole file. A missing file is treated as empty. */
function readAuthFile(home: string): JsonObject {
  const { authFile } = homePaths(home);
  const content = readContent(authFile);
  if (content === undefined) return { version: 1, providers: {} };
  const document = parse(authFile, content);
  if (!isJsonObject(document)) throw damaged(authFile, 'the content is not a JSON object');
  rememberFields(document);
  if (!Object.hasOwn(document, POOLS)) return document;
  const pools = document[POOLS];
  if (!isJsonObject(pools)) throw damaged(authFile, `${POOLS} is not an object`);
  const odd = Object.keys(pools).find((provider) => !Array.isArray(pools[provider]));
  if (odd !== undefined) throw damaged(authFile, `${POOLS}.${odd} is not a list`);
  return document;
}

function readContent(file: string): string | undefined {
  try {
    const { size, isFile } = describeFile(file);
    // Reading a FIFO or a device could block forever.
    if (!isFile) throw new Error('not a regular file');
    if (size > MAX_FILE_SIZE) throw new Error('the file is too large');
    return readFileSync(file, 'utf8');
  } catch (thrown) {
    const code = (thrown as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new ConfigurationError(`Cannot read ${file}: ${fileErrorReason(thrown)}.`, {
      hint: 'Make it a readable regular file, or move it away. Nothing was changed.',
    });
  }
}

function describeFile(file: string): { size: number; isFile: boolean } {
  const stats = statSync(file);
  return { size: stats.size, isFile: stats.isFile() };
}

function parse(file: string, content: string): JsonValue {
  try {
    return JSON.parse(content.replace(/^\uFEFF/, '')) as JsonValue;
  } catch (thrown) {
    // The parser's message quotes the file, which contains secrets, so only the line number is reported.
    const position = /position (\d+)/.exec(errorMessage(thrown))?.[1];
    const line = position === undefined ? undefined : content.slice(0, Number(position)).split('\n').length;
    throw damaged(file, `invalid JSON${line === undefined ? '' : ` in line ${line}`}`);
  }
}

function damaged(file: string, what: string): ConfigurationError {
  return new ConfigurationError(`${file} is damaged: ${what}.`, {
    hint: 'Fix the file, or move it away and add the credentials again with `hermes auth add`. Nothing was changed.',
  });
}
