import { isJsonObject, type JsonObject, type JsonValue } from '../../base/index.ts';
import { LOGINS } from '../oauth/login-table.ts';
import { readTokens } from '../oauth/token-response.ts';
import { accountIn } from './refresh-login.ts';
import { writeEntry } from './stored-credential.ts';

/** Where the original keeps a login that is not in its pool: `providers.PROVIDER.tokens`. */
const PROVIDERS = 'providers';
/** How the original marks such a login when it copies it into the pool; other sources would be deleted. */
const SOURCE = 'device_code';

/** The login of a provider outside the pool, as an entry of the pool; empty if there is none. */
export function loginOutsidePool(document: JsonObject, provider: string): JsonObject[] {
  const tokens = tokensOf(document, provider);
  const read = tokens && readTokens(tokens, Date.now());
  if (tokens === undefined || read === undefined) return [];
  const { accessToken: secret, refreshToken, expiresAt } = read;
  const accountId = accountIn(LOGINS[provider]?.accountClaim, read);
  const named = { id: `${provider}-login`, label: 'login', kind: 'oauth', source: SOURCE } as const;
  return [writeEntry({ ...named, secret, refreshToken, expiresAt, accountId })];
}

/** The providers that have such a login. */
export function providersOutsidePool(document: JsonObject): string[] {
  const providers = Object.hasOwn(document, PROVIDERS) ? document[PROVIDERS] : undefined;
  if (!isJsonObject(providers)) return [];
  return Object.keys(providers).filter((provider) => loginOutsidePool(document, provider).length > 0);
}

/**
 * The document with the tokens outside the pool as they are in the changed pool. A refresh token can be used once, so
 * the original would otherwise be logged out, and a removed login would come back.
 */
export function syncLoginOutsidePool(
  document: JsonObject,
  provider: string,
  entries: readonly JsonValue[],
): JsonObject {
  const [before] = loginOutsidePool(document, provider);
  const providers = document[PROVIDERS];
  if (before === undefined || !isJsonObject(providers)) return document;
  const section = providers[provider] as JsonObject;
  const entry = entries.find((one) => isJsonObject(one) && one['source'] === SOURCE);
  const { tokens, ...others } = section;
  const changed = isJsonObject(entry)
    ? {
        ...section,
        tokens: {
          ...(tokens as JsonObject),
          access_token: entry['access_token'] ?? null,
          refresh_token: entry['refresh_token'] ?? null,
        },
      }
    : others;
  return { ...document, [PROVIDERS]: { ...providers, [provider]: changed } };
}

function tokensOf(document: JsonObject, provider: string): JsonObject | undefined {
  const providers = Object.hasOwn(document, PROVIDERS) ? document[PROVIDERS] : undefined;
  const section = isJsonObject(providers) && Object.hasOwn(providers, provider) ? providers[provider] : undefined;
  const tokens = isJsonObject(section) ? section['tokens'] : undefined;
  return isJsonObject(tokens) ? tokens : undefined;
}
