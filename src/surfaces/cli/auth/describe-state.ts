import type { CredentialReport } from '../../../providers/credentials/index.ts';
import { localTime } from '../../../util/index.ts';

const REASONS: Readonly<Record<string, string>> = {
  auth: 'it was refused',
  auth_permanent: 'it was refused for good',
  billing: 'its account has nothing left',
  login_ended: 'the login has ended',
  rate_limit: 'its limit is reached',
  connection: 'its login server cannot be reached',
};

/** Whether a credential is used, and why not. */
export function describeState({ state, reason = '', until = 0, expiresAt, renewable }: CredentialReport): string {
  const why = REASONS[reason] ?? reason;
  if (state === 'marked') return `not used (${why})`;
  if (state === 'resting') return `rests until ${localTime(until)} (${why})`;
  if (expiresAt === undefined || renewable) return 'ready';
  return `ready until ${localTime(expiresAt)}`;
}
