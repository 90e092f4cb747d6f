import type { Credential } from '../../contracts/index.ts';
import { rememberSecrets } from '../../util/index.ts';
import { readStored } from './auth-file.ts';
import type { CredentialPlan, PoolMember } from './plan-credentials.ts';
import { CLAUDE_CODE_SOURCE, readClaudeCodeLogin } from './claude-code.ts';
import type { StoredCredential } from './stored-credential.ts';

/** The current credentials of a plan; auth.json may have changed since the last call. */
export function membersOf(plan: CredentialPlan): PoolMember[] {
  const found = plan.found.map((member) =>
    member.storedIn === 'claude-code' && plan.claudeCodeFile !== undefined
      ? (readClaudeCodeLogin(plan.home, plan.claudeCodeFile) ?? member)
      : member,
  );
  const stored = readStored(plan.home, plan.pool).map(storedMember);
  // Our copy of another program's login belongs to that login and is not a second one.
  const own = stored.filter(
    ({ source }) => source !== CLAUDE_CODE_SOURCE || !found.some(({ storedIn }) => storedIn === 'claude-code'),
  );
  const secrets = new Set(found.map(({ secret }) => secret));
  return [...found, ...own.filter(({ secret }) => !secrets.has(secret))];
}

function storedMember(stored: StoredCredential): PoolMember {
  const { createdAt: _, ...member } = stored;
  return { ...member, storedIn: 'auth-file' };
}

/** The credential for a request. A login is sent as a bearer token with the headers that it requires. */
export function toCredential(plan: CredentialPlan, member: PoolMember, secret: string, host?: string): Credential {
  // A token can come from another program's file or from an exchange, and is then in no file of ours.
  rememberSecrets([secret, member.secret, member.refreshToken]);
  const hosts = host === undefined || plan.hosts.includes(host) ? plan.hosts : [...plan.hosts, host];
  if (member.kind === 'api_key' && plan.login?.exchange === undefined) return { secret, hosts };
  const { headers, accountHeader } = plan.login ?? {};
  const account = accountHeader && member.accountId ? { [accountHeader]: member.accountId } : {};
  return { secret, hosts, scheme: 'bearer', headers: { ...headers, ...account } };
}
