import { readFileSync, statSync } from 'node:fs';
import { ConfigurationError, errorMessage, isJsonObject, type JsonObject, type JsonValue } from '../../base/index.ts';
import { homePaths } from '../../config/index.ts';
import {
  ensurePrivateFolder,
  type FileLockOptions,
  LockTimeout,
  withFileLock,
  writeFileAtomic,
} from '../../util/index.ts';
import { readEntry, type StoredCredential } from './stored-credential.ts';

/** Thousands of credentials; beyond it, it is another file. */
const MAX_FILE_SIZE = 8 * 1024 * 1024;

/** Where the original keeps lists of credentials, by provider. Everything beside it is its own. */
const POOLS = 'credential_pool';

/** The credentials that auth.json has for a provider, first one first. */
export function readStored(home: string, provider: string): StoredCredential[] {
  const entries = poolOf(readAuthFile(home), provider);
  return entries.toSorted((one, other) => priorityOf(one) - priorityOf(other)).flatMap(usable);
}

/** The original orders by this number; the smallest comes first. */
export function priorityOf(entry: JsonValue): number {
  const priority = isJsonObject(entry) && Object.hasOwn(entry, 'priority') ? entry['priority'] : undefined;
  return typeof priority === 'number' && Number.isFinite(priority) ? priority : 0;
}

/** All providers for which there is a stored credential. */
export function storedProviders(home: string): string[] {
  const pools = poolsOf(readAuthFile(home));
  return Object.keys(pools).filter((provider) => (pools[provider] as JsonValue[]).flatMap(usable).length > 0);
}

/** What the original copied from a variable is not read here: the variable itself is, and may have changed since. */
function usable(entry: JsonValue): StoredCredential[] {
  const credential = readEntry(entry);
  return credential === undefined || credential.source.startsWith('env:') ? [] : [credential];
}

/** Changes the list of one provider, alone: other processes wait, and everything else in the file stays as it is. */
export async function updateStored<Value>(
  home: string,
  provider: string,
  change: (entries: readonly JsonValue[]) => { entries: readonly JsonValue[]; value: Value },
  options: FileLockOptions = {},
): Promise<Value> {
  const { authFile } = homePaths(home);
  const lockFile = `${authFile}.lock`;
  const task = async () => {
    const document = readAuthFile(home);
    const { entries, value } = change(poolOf(document, provider));
    const pools = new Map(Object.entries(poolsOf(document)));
    if (entries.length === 0) pools.delete(provider);
    else pools.set(provider, [...entries]);
    const content = { ...document, [POOLS]: Object.fromEntries(pools) };
    await writeFileAtomic(authFile, `${JSON.stringify(content, undefined, 2)}\n`, { mode: 0o600 });
    return value;
  };
  try {
    await ensurePrivateFolder(home);
    return await withFileLock(lockFile, task, options);
  } catch (thrown) {
    throw notWritten(authFile, lockFile, thrown);
  }
}

/** What a person can do about a file that could not be changed. */
function notWritten(authFile: string, lockFile: string, thrown: unknown): unknown {
  if (thrown instanceof LockTimeout) {
    return new ConfigurationError(`${authFile} is being changed by another process; nothing was changed here.`, {
      hint: `Try again in a moment. Where no other hermes runs, remove ${lockFile}.`,
      cause: thrown,
    });
  }
  if ((thrown as NodeJS.ErrnoException).code === undefined) return thrown;
  return new ConfigurationError(`${authFile} cannot be written: ${errorMessage(thrown)}; nothing was changed.`, {
    hint: 'Make sure that the file and its folder may be written to, and that the disk is not full.',
    cause: thrown,
  });
}

function poolOf(document: JsonObject, provider: string): JsonValue[] {
  const pools = poolsOf(document);
  return Object.hasOwn(pools, provider) ? (pools[provider] as JsonValue[]) : [];
}

function poolsOf(document: JsonObject): JsonObject {
  return (Object.hasOwn(document, POOLS) ? document[POOLS] : {}) as JsonObject;
}

/** The whole file, checked as far as we read it. A file that is not there is an empty one. */
function readAuthFile(home: string): JsonObject {
  const { authFile } = homePaths(home);
  const content = readContent(authFile);
  if (content === undefined) return { version: 1, providers: {} };
  const document = parse(authFile, content);
  if (!isJsonObject(document)) throw damaged(authFile, 'it is not a JSON object');
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
    // Reading a FIFO or a device could take for ever.
    if (!isFile) throw new Error('it is not a regular file');
    if (size > MAX_FILE_SIZE) throw new Error('it is far too large');
    return readFileSync(file, 'utf8');
  } catch (thrown) {
    const code = (thrown as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new ConfigurationError(`${file} cannot be read: ${errorMessage(thrown)}.`, {
      hint: 'Make it a file that you may read, or move it away; nothing was changed.',
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
    // The words of the parser quote the file, and the file is made of secrets: only the place may be told.
    const position = /position (\d+)/.exec(errorMessage(thrown))?.[1];
    const line = position === undefined ? undefined : content.slice(0, Number(position)).split('\n').length;
    throw damaged(file, `it is not valid JSON${line === undefined ? '' : `, see line ${line}`}`);
  }
}

function damaged(file: string, what: string): ConfigurationError {
  return new ConfigurationError(`${file} is damaged: ${what}.`, {
    hint: 'Correct it, or move it away and add the credentials again with `hermes auth add`; nothing was changed.',
  });
}
