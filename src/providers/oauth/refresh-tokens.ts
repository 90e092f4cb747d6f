import type { Clock } from '../../base/index.ts';
import { LoginFailure, redactMessage } from './login-failure.ts';
import type { ExchangeSettings, Login } from './login-table.ts';
import { errorCode, errorDescription, readExpiry, textIn, type Tokens } from './token-response.ts';
import {
  type LoginContext,
  type OAuthResponse,
  REQUEST_TIMEOUT_MS,
  required,
  sendFields,
  sendRequest,
  tokensOrThrow,
} from './token-request.ts';

/**
 * Requests new tokens. It cannot be aborted: the provider may already have invalidated the old refresh token, and
 * losing the response would end the login.
 */
export async function refreshTokens(
  login: Login,
  refreshToken: string,
  context: Pick<LoginContext, 'clock'>,
): Promise<Tokens> {
  const fields = {
    grant_type: 'refresh_token',
    refresh_token: refreshToken,
    client_id: required(login, 'clientId', 'client_id'),
  };
  const { clock } = context;
  const answer = await sendFields(login, required(login, 'tokenUrl', 'token_url'), fields, { clock });
  try {
    return tokensOrThrow(login, answer, { clock }, [refreshToken]);
  } catch (thrown) {
    if (!(thrown instanceof LoginFailure) || !['ended', 'denied'].includes(thrown.reason)) throw thrown;
    throw endedLogin(login, thrown.message);
  }
}

/** The failure for a login that has ended; the user must sign in again. */
export function endedLogin(login: Pick<Login, 'name' | 'provider'>, words: string): LoginFailure {
  return new LoginFailure('ended', `The login at ${login.name} has ended (${words}).`, {
    hint: `Sign in again with \`hermes auth add ${login.provider} --login\`.`,
  });
}

/** The exchanged token, and the base URL that came with it. */
export type ExchangedToken = { secret: string; expiresAt: number; baseUrl: string | undefined };

/** The default lifetime if the response has none. */
const DEFAULT_LIFETIME_MS = 25 * 60_000;

/** Exchanges the login token for a short-lived one. The login token is sent only to the exchange URL. */
export async function exchangeToken(
  login: Login,
  exchange: ExchangeSettings,
  token: string,
  { clock, signal }: { clock: Clock; signal?: AbortSignal },
): Promise<ExchangedToken> {
  const { method, url, body } = exchange;
  const answer = await sendRequest(login, {
    method,
    url,
    headers: { accept: 'application/json', ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
    credential: { secret: token, hosts: [new URL(url).host] },
    timeoutMs: REQUEST_TIMEOUT_MS,
    signal,
  });
  const secret = answer.status < 400 ? textIn(answer.body, [exchange.secretField]) : undefined;
  if (secret === undefined) throw refused(login, answer, token);
  const now = clock.now();
  return {
    secret,
    expiresAt: readExpiry(answer.body[exchange.expiryField], now) ?? now + DEFAULT_LIFETIME_MS,
    baseUrl: allowedBaseUrl(textIn(answer.body, exchange.baseUrlPath ?? []), exchange.baseUrlHost),
  };
}

/** The base URL in the response, if it is a host of the provider; otherwise the configured one is used. */
export function allowedBaseUrl(address: string | undefined, host: string | undefined): string | undefined {
  const url = address === undefined ? null : URL.parse(address);
  if (url === null || host === undefined || url.protocol !== 'https:' || url.username !== '') return undefined;
  const allowed = url.hostname === host || url.hostname.endsWith(`.${host}`);
  return allowed ? `${url.origin}${url.pathname.replace(/\/+$/, '')}` : undefined;
}

function refused(login: Login, { status, body }: OAuthResponse, token: string): LoginFailure {
  const words = redactMessage(errorDescription(body) ?? errorCode(body) ?? `HTTP ${status}`, [token]);
  if (status === 401) return endedLogin(login, words);
  if (status === 429 || status >= 500 || status < 400) {
    return new LoginFailure('temporary', `${login.name} returned no token: ${words}.`, { hint: 'Try again later.' });
  }
  return new LoginFailure('ended', `${login.name} rejects this account: ${words}.`, {
    hint: `Check the subscription, or sign in with another account: \`hermes auth add ${login.provider} --login\`.`,
  });
}
