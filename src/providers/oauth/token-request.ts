import { createHash, randomBytes } from 'node:crypto';
import { type Clock, isJsonObject, type JsonObject, ModelError, parseJson } from '../../base/index.ts';
import type { TextRequest } from '../../llm/index.ts';
import { LoginFailure, redactMessage } from './login-failure.ts';
import type { Login, LoginSettings } from './login-table.ts';
import { errorCode, errorDescription, readTokens, type Tokens } from './token-response.ts';

export type LoginContext = { clock: Clock; signal?: AbortSignal };

export type OAuthResponse = { status: number; body: JsonObject };

type Fields = Readonly<Record<string, string | undefined>>;

/** Timeout of a login request: longer than any token endpoint needs, but short enough for a waiting user. */
export const REQUEST_TIMEOUT_MS = 20_000;

/** Error codes for a refresh token that is no longer valid. */
const ENDED = ['invalid_grant', 'refresh_token_expired', 'refresh_token_reused', 'refresh_token_invalidated'];

/** Sends fields to an endpoint of the login; a response that is not JSON is a failure. */
export async function sendFields(
  login: Login,
  url: string,
  fields: Fields,
  context: LoginContext,
): Promise<OAuthResponse> {
  const set = Object.entries(fields).filter((field): field is [string, string] => field[1] !== undefined);
  const asJson = login.bodyFormat === 'json';
  return sendRequest(login, {
    method: 'POST',
    url,
    headers: {
      accept: 'application/json',
      'content-type': asJson ? 'application/json' : 'application/x-www-form-urlencoded',
    },
    body: asJson ? JSON.stringify(Object.fromEntries(set)) : new URLSearchParams(set).toString(),
    timeoutMs: REQUEST_TIMEOUT_MS,
    signal: context.signal,
  });
}

export async function sendRequest(login: Login, request: TextRequest): Promise<OAuthResponse> {
  // Loaded on demand, because most runs need no login.
  const { requestText } = await import('../../llm/index.ts');
  const { status, text } = await requestText({ ...request, variables: login.variables }).catch((thrown: unknown) => {
    if (!(thrown instanceof ModelError)) throw thrown;
    throw new LoginFailure('temporary', `${login.name}: ${thrown.message}`, { hint: thrown.hint, cause: thrown });
  });
  const body = parseJson(text);
  if (isJsonObject(body)) return { status, body };
  const { host } = new URL(request.url);
  throw new LoginFailure(
    'temporary',
    `${login.name}: ${host} responded with HTTP ${status} and a body that is not JSON.`,
    {
      hint: `Try again later. If the error persists, check the URLs of this login in config.yaml (auth).`,
    },
  );
}

/** Returns the tokens of a response, or throws. `secrets` were sent and must not appear in the message. */
export function tokensOrThrow(
  login: Login,
  answer: OAuthResponse,
  context: LoginContext,
  secrets: readonly (string | undefined)[],
): Tokens {
  const tokens = answer.status < 400 ? readTokens(answer.body, context.clock.now()) : undefined;
  if (tokens !== undefined) return tokens;
  const code = errorCode(answer.body);
  const words = redactMessage(errorDescription(answer.body) ?? code ?? `HTTP ${answer.status}`, secrets);
  if (code !== undefined && ENDED.includes(code)) throw new LoginFailure('ended', `${login.name}: ${words}`);
  if (code === 'access_denied') throw new LoginFailure('denied', `${login.name}: the login was rejected.`);
  const wrongSettings = answer.status >= 400 && answer.status < 500 && answer.status !== 429;
  throw new LoginFailure(wrongSettings ? 'settings' : 'temporary', `${login.name} returned no token: ${words}.`, {
    hint: wrongSettings ? 'Check client_id and the URLs of this login in config.yaml (auth).' : 'Try again later.',
  });
}

/** Returns a required setting, or throws if it is missing. */
export function required(login: Login, name: keyof LoginSettings, key: string): string {
  const value = login[name];
  if (typeof value === 'string' && value !== '') return value;
  throw new LoginFailure('settings', `The login at ${login.name} requires ${key}, which is not set.`, {
    hint: `Set auth.${login.provider}.${key} in config.yaml.`,
  });
}

/** PKCE: proves to the token endpoint that the same client started the login (RFC 7636, S256). */
export type Pkce = { verifier: string; challenge: string };

export function createPkce(): Pkce {
  const verifier = randomBytes(48).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
}
