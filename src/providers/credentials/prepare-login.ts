import type { Clock } from '../../base/index.ts';
import { endedLogin, type ExchangedToken, exchangeToken, LoginFailure } from '../oauth/index.ts';
import type { CredentialPlan, PoolMember } from './plan-credentials.ts';
import { refreshLogin, expiresSoon } from './refresh-login.ts';

/** A credential with the secret to send, and the host and base URL that came with the secret, if any. */
export type PreparedCredential = { member: PoolMember; secret: string; host?: string; baseUrl?: string };

/** Prepares logins for a call: refreshes tokens before they expire, and exchanges them if the endpoint requires it. */
export interface LoginPreparer {
  prepare(member: PoolMember, signal: AbortSignal): Promise<PreparedCredential>;
  /** Gets a new token after a rejection, even if the old one has not expired; undefined if that is not possible. */
  refresh(member: PoolMember): Promise<PoolMember | undefined>;
}

const EXCHANGE_AHEAD_MS = 60_000;

export function createLoginPreparer(plan: CredentialPlan, clock: Clock): LoginPreparer {
  const exchanged = new Map<string, { from: string; token: ExchangedToken }>();

  async function exchange(member: PoolMember, signal?: AbortSignal): Promise<ExchangedToken | undefined> {
    const { login } = plan;
    if (login?.exchange === undefined) return undefined;
    const known = exchanged.get(member.id);
    if (known?.from === member.secret && known.token.expiresAt - clock.now() > EXCHANGE_AHEAD_MS) return known.token;
    const token = await exchangeToken(login, login.exchange, member.secret, { clock, signal });
    exchanged.set(member.id, { from: member.secret, token });
    return token;
  }

  return {
    async prepare(given, signal) {
      const member = await untilAborted(refreshIfExpiring(plan, given, clock), signal);
      const token = await exchange(member, signal);
      if (token === undefined) return { member, secret: member.secret };
      const { secret, baseUrl } = token;
      return { member, secret, baseUrl, host: baseUrl === undefined ? undefined : new URL(baseUrl).host };
    },
    async refresh(member) {
      const wasExchanged = exchanged.delete(member.id);
      if (wasExchanged) {
        await exchange(member);
        return member;
      }
      return member.refreshToken === undefined ? undefined : refreshLogin(plan, member, clock);
    },
  };
}

/** Refreshes a login that expires soon. If that fails temporarily, a token that is still valid is used. */
async function refreshIfExpiring(plan: CredentialPlan, member: PoolMember, clock: Clock): Promise<PoolMember> {
  if (!expiresSoon(member, clock.now())) return member;
  const isOver = (member.expiresAt ?? 0) <= clock.now();
  if (member.refreshToken === undefined || plan.login === undefined) {
    if (!isOver) return member;
    throw endedLogin({ name: plan.name, provider: plan.pool }, 'the token has expired');
  }
  try {
    return await refreshLogin(plan, member, clock);
  } catch (thrown) {
    if (!isOver && thrown instanceof LoginFailure && thrown.reason === 'temporary') return member;
    throw thrown;
  }
}

/** Stops waiting on abort, but lets the work finish: new tokens must be saved. */
function untilAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  if (signal.aborted) {
    work.catch(() => undefined);
    return Promise.reject(signal.reason as Error);
  }
  const { promise, resolve, reject } = Promise.withResolvers<Value>();
  const stop = () => reject(signal.reason as Error);
  signal.addEventListener('abort', stop, { once: true });
  work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  return promise;
}
