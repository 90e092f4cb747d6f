import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '../../base/index.ts';

/** What a login consists of. */
export type Tokens = {
  accessToken: string;
  refreshToken?: string;
  expiresAt?: number;
  /** Says whose login it is, where a provider gives one. */
  idToken?: string;
};

/** The tokens of an answer; undefined where there are none in it. */
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

/** Providers write the end of a token as seconds from now, or as a time in seconds, milliseconds or words. */
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

/** The short name of an error, wherever a provider puts it. */
export function errorCode(body: JsonObject): string | undefined {
  const { error } = body;
  if (isJsonObject(error)) return textAt(error, 'code') ?? textAt(error, 'type');
  if (typeof error === 'string' && error !== '') return error;
  // MiniMax says with a status of its own that nobody has let the device in yet.
  return body['status'] === 'pending' ? 'authorization_pending' : undefined;
}

export function errorWords(body: JsonObject): string | undefined {
  const { error, base_resp: response } = body;
  return (
    textAt(body, 'error_description') ??
    (isJsonObject(error) ? textAt(error, 'message') : undefined) ??
    textAt(body, 'message') ??
    (isJsonObject(response) ? textAt(response, 'status_msg') : undefined)
  );
}

/** The claims of a token that is a JWT, else nothing. They came from the token endpoint itself and are not checked. */
export function claimsOf(token: string): JsonObject {
  const parts = token.split('.');
  if (parts.length !== 3) return {};
  const claims = parseJson(Buffer.from(parts[1] as string, 'base64url').toString('utf8'));
  return isJsonObject(claims) ? claims : {};
}

/** The text at a path of keys. */
export function textIn(body: JsonObject, path: readonly string[]): string | undefined {
  let value: JsonValue | undefined = body;
  for (const key of path) value = isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function textAt(body: JsonObject, name: string): string | undefined {
  return textIn(body, [name]);
}
