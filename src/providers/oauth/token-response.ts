import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '../../base/index.ts';

/** The tokens of a login. */
export type Tokens = {
  accessToken: string;
  refreshToken?: string;
  expiresAt?: number;
  /** Identifies the account, if the provider sends one. */
  idToken?: string;
};

/** The tokens in a response; undefined if there are none. */
export function readTokens(body: JsonObject, now: number): Tokens | undefined {
  const accessToken = textAt(body, 'access_token');
  if (accessToken === undefined) return undefined;
  const { expires_in: standard, expired_in: odd, expires_at: absolute } = body;
  return {
    accessToken,
    refreshToken: textAt(body, 'refresh_token'),
    expiresAt: readExpiry(standard ?? odd ?? absolute, now) ?? readExpiry(claimsOf(accessToken)['exp'], now),
    idToken: textAt(body, 'id_token'),
  };
}

/** The expiry may be seconds from now, or a time in seconds, milliseconds or text. */
export function readExpiry(value: JsonValue | undefined, now: number): number | undefined {
  if (typeof value === 'string' && !/^\d+$/.test(value)) {
    const time = Date.parse(value);
    return Number.isNaN(time) ? undefined : time;
  }
  const number = Number(value ?? Number.NaN);
  if (typeof value === 'boolean' || !Number.isFinite(number) || number <= 0) return undefined;
  const time = number < 1e9 ? now + number * 1000 : number < 1e11 ? number * 1000 : number;
  return time <= 8.64e15 ? time : undefined;
}

/** The error code, wherever the provider puts it. */
export function errorCode(body: JsonObject): string | undefined {
  const { error } = body;
  if (isJsonObject(error)) return textAt(error, 'code') ?? textAt(error, 'type');
  if (typeof error === 'string' && error !== '') return error;
  // MiniMax reports a pending authorization with its own status.
  return body['status'] === 'pending' ? 'authorization_pending' : undefined;
}

export function errorDescription(body: JsonObject): string | undefined {
  const { error, base_resp: response } = body;
  return (
    textAt(body, 'error_description') ??
    (isJsonObject(error) ? textAt(error, 'message') : undefined) ??
    textAt(body, 'message') ??
    (isJsonObject(response) ? textAt(response, 'status_msg') : undefined)
  );
}

/**
 * The claims of a JWT, else an empty object. They are not verified, because they come directly from the token
 * endpoint.
 */
export function claimsOf(token: string): JsonObject {
  const parts = token.split('.');
  if (parts.length !== 3) return {};
  const claims = parseJson(Buffer.from(parts[1] as string, 'base64url').toString('utf8'));
  return isJsonObject(claims) ? claims : {};
}

/** The string at a path of keys. */
export function textIn(body: JsonObject, path: readonly string[]): string | undefined {
  let value: JsonValue | undefined = body;
  for (const key of path) value = isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function textAt(body: JsonObject, name: string): string | undefined {
  return textIn(body, [name]);
}
