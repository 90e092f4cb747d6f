import { HermesError } from '../../../base/index.ts';
import type { Settings } from '../../../config/index.ts';
import { type CredentialReport, listCredentials } from '../../../providers/credentials/index.ts';
import { describeState } from '../auth/describe-state.ts';
import { describeError } from '../report-error.ts';
import type { Finding } from './finding.ts';

const check = 'credentials';

/** Keys and logins that are not used, and logins whose time is up and that nothing renews. Nobody is asked. */
export async function checkCredentials(settings: Settings): Promise<Finding[]> {
  try {
    const pools = await listCredentials(settings);
    return pools.flatMap(({ provider, credentials }) =>
      credentials.flatMap((credential) => judge(provider, credential) ?? []),
    );
  } catch (thrown) {
    if (!(thrown instanceof HermesError)) throw thrown;
    return [{ check, status: 'wrong', ...describeError(thrown) }];
  }
}

function judge(provider: string, credential: CredentialReport): Finding | undefined {
  const { state, label, reason, expiresAt, renewable } = credential;
  const logIn = `Log in again: hermes auth add ${provider} --login`;
  if (expiresAt !== undefined && !renewable && expiresAt <= Date.now()) {
    return { check, status: 'wrong', message: `The login ${label} of ${provider} has run out.`, hint: logIn };
  }
  if (state === 'ready') return undefined;
  return {
    check,
    status: state === 'marked' ? 'wrong' : 'warning',
    message: `${label} of ${provider}: ${describeState(credential)}.`,
    hint: reason === 'login_ended' ? logIn : `Use it again with: hermes auth reset ${provider}`,
  };
}
