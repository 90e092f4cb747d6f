import { isJsonObject, type JsonObject, type JsonValue } from '../../base/index.ts';

/** A key or a login. */
export type CredentialKind = 'api_key' | 'oauth';

/** One credential of a provider in auth.json. */
export type StoredCredential = {
  id: string;
  label: string;
  kind: CredentialKind;
  /** The key, or the access token of a login. */
  secret: string;
  refreshToken?: string;
  /** In Unix milliseconds; undefined if it does not expire or the time is unknown. */
  expiresAt?: number;
  /** The account of a login, if requests have to name it. */
  accountId?: string;
  /** How it was added. The original deletes entries with an unknown source that does not start with `manual`. */
  source: string;
  createdAt?: number;
};

/**
 * Parses an entry with the field names of the original, because both programs share the file. Undefined if it is
 * invalid.
 */
export function readEntry(entry: JsonValue): StoredCredential | undefined {
  if (!isJsonObject(entry)) return undefined;
  const secret = textIn(entry, 'access_token');
  const id = textIn(entry, 'id');
  if (secret === undefined || id === undefined) return undefined;
  return {
    id,
    label: textIn(entry, 'label') ?? id,
    kind: entry['auth_type'] === 'oauth' ? 'oauth' : 'api_key',
    secret,
    refreshToken: textIn(entry, 'refresh_token'),
    expiresAt: timeIn(entry, 'expires_at_ms') ?? timeIn(entry, 'expires_at'),
    accountId: textIn(entry, 'account_id'),
    source: textIn(entry, 'source') ?? 'manual',
    createdAt: timeIn(entry, 'created_at'),
  };
}

/** The entry with our changes; unknown fields are preserved. */
export function writeEntry(credential: StoredCredential, before: JsonObject = {}): JsonObject {
  const { expiresAt, createdAt } = credential;
  const known: Record<string, JsonValue | undefined> = {
    id: credential.id,
    label: credential.label,
    auth_type: credential.kind,
    source: credential.source,
    access_token: credential.secret,
    refresh_token: credential.refreshToken,
    expires_at_ms: expiresAt,
    // Some logins of the original use `expires_at` instead, and both fields must agree.
    expires_at: 'expires_at' in before && expiresAt !== undefined ? new Date(expiresAt).toISOString() : undefined,
    account_id: credential.accountId,
    created_at: createdAt === undefined ? undefined : new Date(createdAt).toISOString(),
  };
  const set = Object.entries(known).filter((field): field is [string, JsonValue] => field[1] !== undefined);
  return { ...before, ...Object.fromEntries(set) };
}

function textIn(entry: JsonObject, name: string): string | undefined {
  const value = Object.hasOwn(entry, name) ? entry[name] : undefined;
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Times may be milliseconds, seconds or text, depending on the program that wrote them. */
export function timeIn(entry: JsonObject, name: string): number | undefined {
  const value = Object.hasOwn(entry, name) ? entry[name] : undefined;
  const number = typeof value === 'string' ? Date.parse(value) : typeof value === 'number' ? value : Number.NaN;
  if (!Number.isFinite(number) || number <= 0) return undefined;
  const milliseconds = typeof value === 'number' && number < 1e11 ? number * 1000 : number;
  // The largest time that a JavaScript date can represent.
  return milliseconds <= 8.64e15 ? milliseconds : undefined;
}
