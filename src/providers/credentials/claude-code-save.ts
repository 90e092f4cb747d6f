import { isJsonObject } from '../../base/index.ts';
import { writeFileAtomic } from '../../util/index.ts';
import { readStored, updateStored } from './auth-file.ts';
import { CLAUDE_CODE_SOURCE, readDocument, SECTION } from './claude-code.ts';
import type { PoolMember } from './credential-plan.ts';
import { addStored } from './stored-changes.ts';
import { readEntry } from './stored-credential.ts';

/**
 * Keeps renewed tokens. Renewing has taken the old refresh token away from Claude Code as well, so they are written
 * back into its file, unless it has logged in anew meanwhile; only where that fails they are kept in auth.json alone.
 */
export async function saveClaudeCodeLogin(
  home: string,
  file: string,
  before: PoolMember,
  renewed: Pick<PoolMember, 'secret' | 'refreshToken' | 'expiresAt'>,
): Promise<PoolMember> {
  const member = { ...before, ...renewed, refreshToken: renewed.refreshToken ?? before.refreshToken };
  if (!(await writeBack(file, before, member))) {
    await keepCopy(home, member);
    return member;
  }
  await dropCopy(home);
  return { ...member, writtenTo: file };
}

async function writeBack(file: string, before: PoolMember, member: PoolMember): Promise<boolean> {
  const document = readDocument(file);
  const section = document?.[SECTION];
  if (!isJsonObject(section) || section['refreshToken'] !== before.refreshToken) return false;
  const { secret: accessToken, refreshToken = '', expiresAt } = member;
  const changed = { ...section, accessToken, refreshToken, ...(expiresAt === undefined ? {} : { expiresAt }) };
  try {
    await writeFileAtomic(file, `${JSON.stringify({ ...document, [SECTION]: changed })}\n`);
    return true;
  } catch {
    return false;
  }
}

async function keepCopy(home: string, member: PoolMember): Promise<void> {
  const { secret, refreshToken, expiresAt } = member;
  const copy = { kind: 'oauth' as const, source: CLAUDE_CODE_SOURCE, secret, refreshToken, expiresAt };
  await addStored(home, 'anthropic', { ...copy, label: 'Claude Code' }, ({ source }) => source === CLAUDE_CODE_SOURCE);
}

async function dropCopy(home: string): Promise<void> {
  if (!readStored(home, 'anthropic').some(({ source }) => source === CLAUDE_CODE_SOURCE)) return;
  await updateStored(home, 'anthropic', (entries) => ({
    entries: entries.filter((entry) => readEntry(entry)?.source !== CLAUDE_CODE_SOURCE),
    value: undefined,
  }));
}
