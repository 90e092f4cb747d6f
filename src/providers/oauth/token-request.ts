import { createHash, randomBytes } from 'node:crypto';
import { type Clock, isJsonObject, type JsonObject, ModelError, parseJson } from '../../base/index.ts';
import type { TextRequest } from '../../llm/index.ts';
import { LoginFailure, safeWords } from './login-failure.ts';
import type { Login, LoginSettings } from './login-table.ts';
import { errorCode, errorWords, readTokens, type Tokens } from './token-answer.ts';

export type LoginContext = { clock: Clock; signal?: AbortSignal };

export type OAuthAnswer = { status: number; body: JsonObject };

type Fields = Readonly<Record<string, string | undefined>>;

/** Longer than any token endpoint takes, and short enough for someone who waits for an answer. */
export const REQUEST_TIMEOUT_MS = 20_000;

/** What providers say when a refresh token is of no use any more. */
const ENDED = ['invalid_grant', 'refresh_token_expired', 'refresh_token_reused', 'refresh_token_invalidated'];

/** Sends fields to an endpoint of the login; an answer that is not JSON is as good as none. */
export async function sendFields(
  login: Login,
  url: string,
  fields: Fields,
  context: LoginContext,
): Promise<OAuthAnswer> {
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

export async function sendRequest(login: Login, request: TextRequest): Promise<OAuthAnswer> {
  // Loaded here, because most starts need no login.
  const { requestText } = await import('../../llm/index.ts');
  const { status, text } = await requestText({ ...request, variables: login.variables }).catch((thrown: unknown) => {
    if (!(thrown instanceof ModelError)) throw thrown;
    throw new LoginFailure('temporary', `${login.name}: ${thrown.message}`, { hint: thrown.hint, cause: thrown });
  });
  const body = parseJson(text);
  if (isJsonObject(body)) return { status, body };
  const { host } = new URL(request.url);
  throw new LoginFailure('temporary', `${login.name}: ${host} answered with HTTP ${status} and no JSON.`, {
    hint: `Try again later. If it stays so, check the addresses of its login in config.yaml (auth).`,
  });
}

/** The tokens of an answer, or why there are none. `secrets` is what was sent and must not be repeated. */
export function tokensOrThrow(
  login: Login,
  answer: OAuthAnswer,
  context: LoginContext,
  secrets: readonly (string | undefined)[],
): Tokens {
  const tokens = answer.status < 400 ? readTokens(answer.body, context.clock.now()) : undefined;
  if (tokens !== undefined) return tokens;
  const code = errorCode(answer.body);
  const words = safeWords(errorWords(answer.body) ?? code ?? `HTTP ${answer.status}`, secrets);
  if (code !== undefined && ENDED.includes(code)) throw new LoginFailure('ended', `${login.name}: ${words}`);
  if (code === 'access_denied') throw new LoginFailure('denied', `${login.name}: the login was refused.`);
  const wrongSettings = answer.status >= 400 && answer.status < 500 && answer.status !== 429;
  throw new LoginFailure(wrongSettings ? 'settings' : 'temporary', `${login.name} gave no token: ${words}.`, {
    hint: wrongSettings ? 'Check client_id and addresses of its login in config.yaml (auth).' : 'Try again later.',
  });
}

/** A setting without which the login cannot be made. */
export function required(login: Login, name: keyof LoginSettings, key: string): string {
  const value = login[name];
  if (typeof value === 'string' && value !== '') return value;
  throw new LoginFailure('settings', `The login of ${login.name} needs ${key}, which is not known.`, {
    hint: `Set auth.${login.provider}.${key} in config.yaml.`,
  });
}

/** Proves to the token endpoint that who asks is who began (RFC 7636, S256). */
export type Pkce = { verifier: string; challenge: string };

export function createPkce(): Pkce {
  const verifier = randomBytes(48).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
}
