import { randomBytes } from 'node:crypto';
import { ConfigurationError, isJsonObject, type JsonObject, type JsonValue } from '../../base/index.ts';
import type { FileLockOptions } from '../../util/index.ts';
import { priorityOf, updateStored } from './auth-file.ts';
import { readEntry, type StoredCredential, writeEntry } from './stored-credential.ts';

/** A credential without an id yet; without a label it gets a numbered one. */
export type NewCredential = Omit<StoredCredential, 'id' | 'label'> & { label?: string };

export type AddedCredential = { credential: StoredCredential; replaced: boolean };

/** Tokens from a token endpoint. Without a new refresh token, the login keeps its old one. */
export type NewTokens = Pick<StoredCredential, 'secret' | 'refreshToken' | 'expiresAt' | 'accountId'>;

/** Adds a credential, or replaces an existing one. */
export function addStored(
  home: string,
  provider: string,
  added: NewCredential,
  replaces: (stored: StoredCredential) => boolean = () => false,
): Promise<AddedCredential> {
  return updateStored(home, provider, (entries) => {
    const known = entries.map(readEntry);
    const old = known.findIndex(
      (stored) => stored !== undefined && (stored.secret === added.secret || replaces(stored)),
    );
    const others = known.filter((stored, at) => stored !== undefined && at !== old) as StoredCredential[];
    const id = known[old]?.id ?? newCredentialId(others);
    const credential = { ...added, id, label: chooseLabel(added, known[old]?.label, others, provider) };
    const before = entries[old];
    // A key has no expiry and no account, so those of a replaced login are dropped.
    const written = writeEntry(credential, isJsonObject(before) && added.kind === 'oauth' ? before : undefined);
    const priority = before === undefined ? nextPriority(entries) : priorityOf(before);
    const entry = { ...written, priority };
    const changed = before === undefined ? [...entries, entry] : entries.with(old, entry);
    return { entries: changed, value: { credential, replaced: old >= 0 } };
  });
}

export function removeStored(home: string, provider: string, id: string): Promise<boolean> {
  return updateStored(home, provider, (entries) => {
    const left = entries.filter((entry) => readEntry(entry)?.id !== id);
    return { entries: left, value: left.length < entries.length };
  });
}

/** Saves new tokens of a login; undefined if it was removed meanwhile. */
export function saveTokens(
  home: string,
  provider: string,
  id: string,
  tokens: NewTokens,
  options?: FileLockOptions,
): Promise<StoredCredential | undefined> {
  const change = (entries: readonly JsonValue[]) => {
    const at = entries.findIndex((entry) => readEntry(entry)?.id === id);
    const before = entries[at];
    const stored = before === undefined ? undefined : readEntry(before);
    if (stored === undefined || !isJsonObject(before)) return { entries, value: undefined };
    const { secret, expiresAt, refreshToken = stored.refreshToken, accountId = stored.accountId } = tokens;
    const renewed = { ...stored, secret, expiresAt, refreshToken, accountId };
    return { entries: entries.with(at, writeEntry(renewed, withoutExpiry(before))), value: renewed };
  };
  return updateStored(home, provider, change, options);
}

/** A new token without an expiry time must not inherit that of the old one. */
function withoutExpiry({ expires_at_ms: _, ...entry }: JsonObject): JsonObject {
  return 'expires_at' in entry ? { ...entry, expires_at: null } : entry;
}

function nextPriority(entries: readonly JsonValue[]): number {
  return entries.length === 0 ? 0 : Math.max(...entries.map(priorityOf)) + 1;
}

function newCredentialId(others: readonly StoredCredential[]): string {
  for (;;) {
    const id = randomBytes(3).toString('hex');
    if (!others.some((stored) => stored.id === id)) return id;
  }
}

function chooseLabel(
  added: NewCredential,
  old: string | undefined,
  others: readonly StoredCredential[],
  provider: string,
): string {
  const isTaken = (label: string) => others.some((stored) => stored.label === label);
  if (added.label !== undefined) {
    if (!isTaken(added.label)) return added.label;
    throw new ConfigurationError(`A credential "${added.label}" already exists for ${provider}.`, {
      hint: `Choose another label, or remove the credential first with \`hermes auth remove ${provider} ${added.label}\`.`,
    });
  }
  if (old !== undefined) return old;
  const stem = added.kind === 'oauth' ? 'login' : 'key';
  for (let number = 1; ; number += 1) if (!isTaken(`${stem}-${number}`)) return `${stem}-${number}`;
}
