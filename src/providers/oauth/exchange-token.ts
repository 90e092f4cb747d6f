import type { Clock } from '../../base/index.ts';
import { LoginFailure, safeWords } from './login-failure.ts';
import type { ExchangeSettings, Login } from './login-settings.ts';
import { endedLogin } from './refresh-tokens.ts';
import { errorCode, errorWords, readExpiry, textIn } from './token-answer.ts';
import { type OAuthAnswer, REQUEST_TIMEOUT_MS, sendRequest } from './token-request.ts';

/** The token that an endpoint takes, and the address it came with. */
export type Exchanged = { secret: string; expiresAt: number; baseUrl: string | undefined };

/** Where nothing is said about its end. */
const USUAL_LIFE_MS = 25 * 60_000;

/** Turns the token of a login into a short-lived one. The former is sent to the exchange and to nowhere else. */
export async function exchangeToken(
  login: Login,
  exchange: ExchangeSettings,
  token: string,
  { clock, signal }: { clock: Clock; signal?: AbortSignal },
): Promise<Exchanged> {
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
    expiresAt: readExpiry(answer.body[exchange.expiryField], now) ?? now + USUAL_LIFE_MS,
    baseUrl: allowedBaseUrl(textIn(answer.body, exchange.baseUrlPath ?? []), exchange.baseUrlHost),
  };
}

/** The address an answer names, where it is a host of the provider; else the one we have is used. */
export function allowedBaseUrl(address: string | undefined, host: string | undefined): string | undefined {
  const url = address === undefined ? null : URL.parse(address);
  if (url === null || host === undefined || url.protocol !== 'https:' || url.username !== '') return undefined;
  const allowed = url.hostname === host || url.hostname.endsWith(`.${host}`);
  return allowed ? `${url.origin}${url.pathname.replace(/\/+$/, '')}` : undefined;
}

function refused(login: Login, { status, body }: OAuthAnswer, token: string): LoginFailure {
  const words = safeWords(errorWords(body) ?? errorCode(body) ?? `HTTP ${status}`, [token]);
  if (status === 401) return endedLogin(login, words);
  if (status === 429 || status >= 500 || status < 400) {
    return new LoginFailure('temporary', `${login.name} gave no token: ${words}.`, { hint: 'Try again later.' });
  }
  return new LoginFailure('ended', `${login.name} does not serve this account: ${words}.`, {
    hint: `Check the subscription, or log in with another account: \`hermes auth add ${login.provider} --login\`.`,
  });
}
