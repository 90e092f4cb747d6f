import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject, type JsonObject, parseJson } from '../../base/index.ts';
import type { EnvironmentVariables } from '../../config/index.ts';
import { writeFileAtomic } from '../../util/index.ts';
import { readStored, updateStored } from './auth-file.ts';
import type { PoolMember } from './credential-plan.ts';
import { addStored } from './stored-changes.ts';
import { readEntry, timeIn } from './stored-credential.ts';

/** Marks our copy of Claude Code's login in auth.json. */
export const CLAUDE_CODE_SOURCE = 'claude_code';
const CLAUDE_CODE_ID = 'claude-code';
const SECTION = 'claudeAiOauth';
const LARGEST_FILE = 1024 * 1024;

/** Where Claude Code keeps its login; undefined where nobody's home is known. */
export function claudeCodeFile(variables: EnvironmentVariables): string | undefined {
  const folder = variables['CLAUDE_CONFIG_DIR'];
  const home = variables['HOME'] || variables['USERPROFILE'];
  if (folder) return join(folder, '.credentials.json');
  return home ? join(home, '.claude', '.credentials.json') : undefined;
}

/**
 * Claude Code's login, or our copy of it where that is newer. Its file belongs to another program: whatever is odd about
 * it means that there is no login to use, and is no error of ours.
 */
export function readClaudeCodeLogin(home: string, file: string): PoolMember | undefined {
  const theirs = readTheirs(file);
  if (theirs === undefined) return undefined;
  const copy = readStored(home, 'anthropic').find(({ source }) => source === CLAUDE_CODE_SOURCE);
  const isNewer = copy !== undefined && (copy.expiresAt ?? 0) > (theirs.expiresAt ?? 0);
  return isNewer
    ? { ...theirs, secret: copy.secret, refreshToken: copy.refreshToken, expiresAt: copy.expiresAt }
    : theirs;
}

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
  if (await writeBack(file, before, member)) await dropCopy(home);
  else await keepCopy(home, member);
  return member;
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

function readTheirs(file: string): PoolMember | undefined {
  const section = readDocument(file)?.[SECTION];
  if (!isJsonObject(section)) return undefined;
  const { accessToken, refreshToken } = section;
  if (typeof accessToken !== 'string' || accessToken === '') return undefined;
  return {
    id: CLAUDE_CODE_ID,
    label: 'Claude Code',
    kind: 'oauth',
    secret: accessToken,
    refreshToken: typeof refreshToken === 'string' && refreshToken !== '' ? refreshToken : undefined,
    expiresAt: timeIn(section, 'expiresAt'),
    source: CLAUDE_CODE_SOURCE,
    keptIn: 'claude-code',
  };
}

function readDocument(file: string): JsonObject | undefined {
  try {
    const stats = statSync(file);
    if (!stats.isFile() || stats.size > LARGEST_FILE) return undefined;
    const document = parseJson(readFileSync(file, 'utf8'));
    return isJsonObject(document) ? document : undefined;
  } catch {
    return undefined;
  }
}
