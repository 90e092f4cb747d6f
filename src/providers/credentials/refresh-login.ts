import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { type Clock, errorMessage, isJsonObject } from '../../base/index.ts';
import { changeFile, ensurePrivateFolder, withFileLock, writeFileAtomic } from '../../util/index.ts';
import { claimsOf, endedLogin, LoginFailure, refreshTokens, textIn, type Tokens } from '../oauth/index.ts';
import type { Login } from '../oauth/login-table.ts';
import { readStored, updateStored } from './auth-file.ts';
import { CLAUDE_CODE_SOURCE, readDocument, SECTION } from './claude-code.ts';
import type { CredentialPlan, PoolMember } from './plan-credentials.ts';
import { membersOf } from './pool-members.ts';
import { addStored, type NewTokens, saveTokens } from './stored-changes.ts';
import { readEntry } from './stored-credential.ts';

/** How long to wait for another process's refresh: longer than its token request can take. */
const LOCK_TIMEOUT_MS = 30_000;
/** How early to refresh, so that the token does not expire during a request. */
const AHEAD_MS = 120_000;

export function expiresSoon(member: Pick<PoolMember, 'expiresAt'>, now: number): boolean {
  return member.expiresAt !== undefined && member.expiresAt - now < AHEAD_MS;
}

/**
 * Refreshes a login. A refresh token often works only once, so one process sends the request and the others use the
 * tokens it saved. The tokens are saved before they are used.
 */
export async function refreshLogin(plan: CredentialPlan, used: PoolMember, clock: Clock): Promise<PoolMember> {
  const { login } = plan;
  if (login === undefined || used.refreshToken === undefined)
    throw endedLogin(namesOf(plan), 'it has no refresh token');
  await ensurePrivateFolder(plan.home);
  const task = async () => {
    const current = membersOf(plan).find(({ id }) => id === used.id);
    if (current?.refreshToken === undefined) throw endedLogin(login, 'it was removed');
    if (current.secret !== used.secret && !expiresSoon(current, clock.now())) return current;
    const tokens = await refreshTokens(login, current.refreshToken, { clock });
    return save(plan, current, toNewTokens(login, tokens));
  };
  return withFileLock(lockFile(plan, used), task, { timeoutMs: LOCK_TIMEOUT_MS }).catch((thrown: unknown) => {
    if (thrown instanceof LoginFailure) throw thrown;
    throw new LoginFailure('temporary', `Could not refresh the login at ${login.name}: ${errorMessage(thrown)}.`, {
      hint: `Check that ${plan.home} is writable and try again.`,
      cause: thrown,
    });
  });
}

/** The account id is in the claims of the id token or of the access token. */
export function toNewTokens(login: Login, tokens: Tokens): NewTokens {
  return {
    secret: tokens.accessToken,
    refreshToken: tokens.refreshToken,
    expiresAt: tokens.expiresAt,
    accountId: accountIn(login.accountClaim, tokens),
  };
}

export function accountIn(path: readonly string[] = [], tokens: Tokens): string | undefined {
  const named = [tokens.idToken, tokens.accessToken].map((token) => token && textIn(claimsOf(token), path));
  return named.find((account) => account !== undefined && account !== '');
}

async function save(plan: CredentialPlan, current: PoolMember, tokens: NewTokens): Promise<PoolMember> {
  if (current.storedIn === 'claude-code' && plan.claudeCodeFile !== undefined) {
    return saveClaudeCodeLogin(plan.home, plan.claudeCodeFile, current, tokens);
  }
  await saveTokens(plan.home, plan.pool, current.id, tokens);
  const { secret, expiresAt, refreshToken = current.refreshToken, accountId = current.accountId } = tokens;
  return { ...current, secret, expiresAt, refreshToken, accountId };
}

/** One lock per login, so that a refresh does not block other logins. */
function lockFile(plan: CredentialPlan, { id }: PoolMember): string {
  const name = createHash('sha256').update(`${plan.pool} ${id}`).digest('hex').slice(0, 12);
  return join(plan.home, `auth.json.${name}.lock`);
}

function namesOf({ name, pool }: CredentialPlan): { name: string; provider: string } {
  return { name, provider: pool };
}

/**
 * Saves refreshed tokens. The refresh has invalidated Claude Code's old refresh token, so the new one is written back
 * to its file, unless Claude Code has signed in again meanwhile. If that fails, the tokens are stored in auth.json
 * only.
 */
async function saveClaudeCodeLogin(
  home: string,
  file: string,
  before: PoolMember,
  renewed: Pick<PoolMember, 'secret' | 'refreshToken' | 'expiresAt'>,
): Promise<PoolMember> {
  const member = { ...before, ...renewed, refreshToken: renewed.refreshToken ?? before.refreshToken };
  if (!(await writeBack(file, before, member))) {
    await storeCopy(home, member);
    return member;
  }
  await removeCopy(home);
  return { ...member, writtenTo: file };
}

/** Claude Code knows nothing of our lock, which is for Hermes processes with other home directories. */
async function writeBack(file: string, before: PoolMember, member: PoolMember): Promise<boolean> {
  const write = async () => {
    const document = readDocument(file);
    const section = document?.[SECTION];
    if (!isJsonObject(section) || section['refreshToken'] !== before.refreshToken) return false;
    const { secret: accessToken, refreshToken = '', expiresAt } = member;
    const changed = { ...section, accessToken, refreshToken, ...(expiresAt === undefined ? {} : { expiresAt }) };
    await writeFileAtomic(file, `${JSON.stringify({ ...document, [SECTION]: changed })}\n`);
    return true;
  };
  return changeFile(file, write).catch(() => false);
}

async function storeCopy(home: string, member: PoolMember): Promise<void> {
  const { secret, refreshToken, expiresAt } = member;
  const copy = { kind: 'oauth' as const, source: CLAUDE_CODE_SOURCE, secret, refreshToken, expiresAt };
  await addStored(home, 'anthropic', { ...copy, label: 'Claude Code' }, ({ source }) => source === CLAUDE_CODE_SOURCE);
}

async function removeCopy(home: string): Promise<void> {
  if (!readStored(home, 'anthropic').some(({ source }) => source === CLAUDE_CODE_SOURCE)) return;
  await updateStored(home, 'anthropic', (entries) => ({
    entries: entries.filter((entry) => readEntry(entry)?.source !== CLAUDE_CODE_SOURCE),
    value: undefined,
  }));
}
