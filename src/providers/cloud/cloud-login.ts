import type { Clock } from '../../base/index.ts';
import type { Credential } from '../../contracts/index.ts';
import { rememberSecrets } from '../../util/index.ts';
import type { OpenPool } from '../credentials/credential-pool.ts';
import type { FreshToken } from './cloud-context.ts';

/** How early a new token is requested, so that none expires during a request. */
const AHEAD_MS = 120_000;

export type LoginOptions<Token extends FreshToken> = {
  clock: Clock;
  /** Finds or requests a token. */
  fetch(): Promise<Token>;
  toCredential(token: Token): Credential;
};

/** The login of a cloud service: its token is cached until shortly before it expires. */
export function createCloudLogin<Token extends FreshToken>(options: LoginOptions<Token>): OpenPool {
  const { clock, toCredential } = options;
  let current: Token | undefined;
  let pending: Promise<Token> | undefined;

  /** Concurrent calls share one request. */
  function renew(): Promise<Token> {
    pending ??= options.fetch().then(
      (token) => {
        rememberSecrets([token.secret, ...Object.values(token.headers ?? {})]);
        [current, pending] = [token, undefined];
        return token;
      },
      (thrown: unknown) => {
        pending = undefined;
        throw thrown;
      },
    );
    return pending;
  }

  async function take(signal: AbortSignal): Promise<Credential> {
    signal.throwIfAborted();
    const isFresh = current !== undefined && (current.expiresAt ?? Infinity) - clock.now() > AHEAD_MS;
    const token = isFresh ? (current as Token) : await renew();
    signal.throwIfAborted();
    return toCredential(token);
  }

  return {
    take,
    peek: take,
    baseUrl: () => Promise.resolve(undefined),
    current: () => 'login',
    findCooldown: () => Promise.resolve(undefined),
    rotate: () => Promise.resolve(false),
    async refresh() {
      const before = current?.secret;
      current = undefined;
      return renew().then(
        ({ secret }) => secret !== before,
        () => false,
      );
    },
  };
}
