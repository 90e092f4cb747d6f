import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject, type JsonObject, parseJson } from '../../base/index.ts';
import type { EnvironmentVariables } from '../../config/index.ts';
import { readStored } from './auth-file.ts';
import type { PoolMember } from './plan-credentials.ts';
import { timeIn } from './stored-credential.ts';

/** The source of our copy of Claude Code's login in auth.json. */
export const CLAUDE_CODE_SOURCE = 'claude_code';
const CLAUDE_CODE_ID = 'claude-code';
export const SECTION = 'claudeAiOauth';
const MAX_FILE_SIZE = 1024 * 1024;

/** The credentials file of Claude Code; undefined if the user's home directory is unknown. */
export function claudeCodeFile(variables: EnvironmentVariables): string | undefined {
  const folder = variables['CLAUDE_CONFIG_DIR'];
  const home = variables['HOME'] || variables['USERPROFILE'];
  if (folder) return join(folder, '.credentials.json');
  return home ? join(home, '.claude', '.credentials.json') : undefined;
}

/**
 * Claude Code's login, or our copy if that is newer. The file belongs to another program, so an invalid file counts
 * as no login and is not an error.
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
    storedIn: 'claude-code',
  };
}

/** The whole file; undefined if it is invalid. */
export function readDocument(file: string): JsonObject | undefined {
  try {
    const stats = statSync(file);
    if (!stats.isFile() || stats.size > MAX_FILE_SIZE) return undefined;
    const document = parseJson(readFileSync(file, 'utf8'));
    return isJsonObject(document) ? document : undefined;
  } catch {
    return undefined;
  }
}
