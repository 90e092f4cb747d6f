import { isJsonObject, type JsonObject, type JsonValue } from '../../base/index.ts';

/** A key, or what a login gave. */
export type CredentialKind = 'api_key' | 'oauth';

/** One credential of a provider as auth.json keeps it. */
export type StoredCredential = {
  id: string;
  label: string;
  kind: CredentialKind;
  /** The key, or the access token of a login. */
  secret: string;
  refreshToken?: string;
  /** Milliseconds since 1970; absent where it does not run out, or nobody said when. */
  expiresAt?: number;
  /** The account behind a login, where requests have to name it. */
  accountId?: string;
  /** How it came here. The original throws out whatever does not begin with `manual` and is none of its own. */
  source: string;
  createdAt?: number;
};

/** The original names its fields so, and both programs read the same file. Undefined where it is none of ours. */
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

/** The entry with what changed; fields that only others know stay as they are. */
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
    // Some of the original's logins are dated with this field instead, and both must say the same.
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

/** Times are written as milliseconds, as seconds or as text, depending on who wrote them. */
export function timeIn(entry: JsonObject, name: string): number | undefined {
  const value = Object.hasOwn(entry, name) ? entry[name] : undefined;
  const number = typeof value === 'string' ? Date.parse(value) : typeof value === 'number' ? value : Number.NaN;
  if (!Number.isFinite(number) || number <= 0) return undefined;
  const milliseconds = typeof value === 'number' && number < 1e11 ? number * 1000 : number;
  // Beyond this no date exists, and a date is what it has to become.
  return milliseconds <= 8.64e15 ? milliseconds : undefined;
}
