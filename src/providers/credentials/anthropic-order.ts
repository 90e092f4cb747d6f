import type { Settings } from '../../config/index.ts';
import { claudeCodeFile, readClaudeCodeLogin } from './claude-code.ts';
import type { PoolMember } from './credential-plan.ts';
import { variableMember } from './variable-members.ts';

/** What was found first, and the file it has to be written back to, where that is Claude Code's. */
export type FoundMember = { member: PoolMember; claudeCodeFile?: string };

/** Either may hold a key or the token of a login that someone copied there. */
const TOKEN_VARIABLES = ['ANTHROPIC_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN'] as const;
const KEY_VARIABLE = 'ANTHROPIC_API_KEY';

/**
 * The one credential for Anthropic outside of our own files, in a fixed order. Only the first counts: going from a
 * subscription to a key that is billed by use has to be the person's own decision. A login that can be renewed comes
 * before one that was copied, because the copy runs out.
 */
export function findAnthropic(settings: Settings): FoundMember | undefined {
  const tokens = TOKEN_VARIABLES.flatMap((name) => toMembers(settings, name));
  const key = tokens.find(({ secret }) => isAnthropicKey(secret));
  if (key !== undefined) return { member: { ...key, kind: 'api_key' } };
  return claudeCodeLogin(settings) ?? copiedToken(tokens) ?? variableKey(settings);
}

/** Whether a secret is the token of a login, which goes in another header than a key. */
export function isAnthropicLogin(secret: string): boolean {
  return /^(?:sk-ant-oat|eyJ)/.test(secret);
}

function isAnthropicKey(secret: string): boolean {
  return secret.startsWith('sk-ant-api');
}

function claudeCodeLogin(settings: Settings): FoundMember | undefined {
  const file = claudeCodeFile(settings.variables);
  const member = file === undefined ? undefined : readClaudeCodeLogin(settings.home, file);
  if (file === undefined || member === undefined) return undefined;
  const isUsable = member.refreshToken !== undefined || (member.expiresAt ?? Infinity) > Date.now();
  return isUsable ? { member, claudeCodeFile: file } : undefined;
}

function copiedToken([token]: readonly PoolMember[]): FoundMember | undefined {
  return token && { member: { ...token, kind: 'oauth' } };
}

function variableKey(settings: Settings): FoundMember | undefined {
  const [member] = toMembers(settings, KEY_VARIABLE);
  return member && { member: { ...member, kind: isAnthropicLogin(member.secret) ? 'oauth' : 'api_key' } };
}

function toMembers(settings: Settings, name: string): PoolMember[] {
  const secret = settings.variables[name];
  return secret ? [variableMember(name, secret)] : [];
}
