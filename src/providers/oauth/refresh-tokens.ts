import { LoginFailure } from './login-failure.ts';
import type { Login } from './login-settings.ts';
import type { Tokens } from './token-answer.ts';
import { type LoginContext, required, sendFields, tokensOrThrow } from './token-request.ts';

/**
 * New tokens for a login. Never aborted from outside: a provider that gives out a new refresh token has taken the old
 * one back, and an answer that nobody reads would end the login.
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

/** The login is over, and only the person can make a new one. */
export function endedLogin(login: Pick<Login, 'name' | 'provider'>, words: string): LoginFailure {
  return new LoginFailure('ended', `The login at ${login.name} has ended (${words}).`, {
    hint: `Log in again with \`hermes auth add ${login.provider} --login\`.`,
  });
}
