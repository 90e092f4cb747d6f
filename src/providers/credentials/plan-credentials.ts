import { createHash } from 'node:crypto';
import type { EnvironmentVariables, PoolStrategy, Settings } from '../../config/index.ts';
import type { Credential } from '../../contracts/index.ts';
import type { KnownProvider } from '../find-provider.ts';
import { findLogin, type Login } from '../oauth/login-table.ts';
import { readStored } from './auth-file.ts';
import { claudeCodeFile, readClaudeCodeLogin } from './claude-code.ts';
import { membersOf, toCredential } from './pool-members.ts';
import type { StoredCredential } from './stored-credential.ts';

/** The providers whose credentials may be sent to an address. */
export type CredentialOwners = {
  /** The provider whose key variables are used. */
  variables: KnownProvider | undefined;
  /** The provider whose list in auth.json is used. */
  stored: KnownProvider | undefined;
};

const NAMED = 'custom:';

/** Plans how the credentials of these owners are found and chosen. There may be none. */
export function planCredentials(
  settings: Settings,
  owners: CredentialOwners,
  hosts: readonly string[],
): CredentialPlan {
  const owner = owners.stored ?? owners.variables;
  const pool = owner === undefined ? '' : poolName(settings, owner);
  const plan = {
    pool,
    name: owner?.name ?? '',
    home: settings.home,
    hosts,
    strategy: settings.poolStrategies?.[pool] ?? settings.poolStrategies?.[owner?.id ?? ''] ?? ('fill_first' as const),
    login: owner && findLogin(settings, owner.id, owner.name),
  };
  // The general key for custom endpoints is not sent to an endpoint with its own credential.
  if (pool.startsWith(NAMED) && readStored(settings.home, pool).length > 0) return { ...plan, found: [] };
  if (owners.variables?.id !== 'anthropic') {
    return { ...plan, found: variableMembers(settings.variables, owners.variables?.keyVariables ?? []) };
  }
  const found = findAnthropic(settings);
  return { ...plan, found: found ? [found.member] : [], claudeCodeFile: found?.claudeCodeFile };
}

/**
 * Returns the first credential of a plan, together with the plan unless it is a single key without a token exchange.
 */
export function firstCredential(plan: CredentialPlan): FoundCredential | undefined {
  const members = membersOf(plan);
  const [first] = members;
  if (first === undefined) return undefined;
  const credential = toCredential(plan, first, first.secret);
  const isPlain = members.length === 1 && first.storedIn === undefined && plan.login?.exchange === undefined;
  return isPlain ? credential : { ...credential, plan };
}

/** A key from config.yaml: it is used alone, in the header that its form requires. */
export function configuredCredential(
  settings: Settings,
  provider: KnownProvider,
  secret: string,
  hosts: readonly string[],
): Credential {
  if (provider.id !== 'anthropic' || !isAnthropicLogin(secret)) return { secret, hosts };
  const plan = planCredentials(settings, { variables: undefined, stored: provider }, hosts);
  const member: PoolMember = { id: 'config', label: 'config.yaml', kind: 'oauth', secret, source: 'config' };
  return toCredential(plan, member, secret);
}

/**
 * The name of a provider's list in auth.json, as in the original program: lists of user-defined endpoints have a
 * prefix.
 */
export function poolName(settings: Pick<Settings, 'customProviders'>, provider: Pick<KnownProvider, 'id'>): string {
  const isNamed = settings.customProviders.some(({ name }) => name === provider.id);
  return isNamed ? `${NAMED}${provider.id.toLowerCase()}` : provider.id;
}

/** The first credential found, and the file of Claude Code if its login has to be written back there. */
type FoundMember = { member: PoolMember; claudeCodeFile?: string };

/** Each of these variables may contain a key or a copied login token. */
const TOKEN_VARIABLES = ['ANTHROPIC_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN'] as const;
const KEY_VARIABLE = 'ANTHROPIC_API_KEY';

/**
 * The one credential for Anthropic outside our own files, in a fixed order. Only the first is used: switching from a
 * subscription to a metered key must be the user's decision. A login that can be refreshed comes before a copied
 * token, which expires.
 */
function findAnthropic(settings: Settings): FoundMember | undefined {
  const tokens = TOKEN_VARIABLES.flatMap((name) => toMembers(settings, name));
  const key = tokens.find(({ secret }) => isAnthropicKey(secret));
  if (key !== undefined) return { member: { ...key, kind: 'api_key' } };
  return claudeCodeLogin(settings) ?? copiedToken(tokens) ?? variableKey(settings);
}

/** Whether a secret is a login token, which is sent in a different header than a key. */
function isAnthropicLogin(secret: string): boolean {
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

/** The keys in these variables, without duplicates. */
function variableMembers(variables: EnvironmentVariables, names: readonly string[]): PoolMember[] {
  const found = new Map<string, PoolMember>();
  for (const name of names) {
    const secret = variables[name];
    if (secret && !found.has(secret)) found.set(secret, variableMember(name, secret));
  }
  return [...found.values()];
}

/** The id depends on the key, so that a new key does not inherit the state of the old one. */
export function variableMember(name: string, secret: string): PoolMember {
  const marker = createHash('sha256').update(secret).digest('hex').slice(0, 8);
  return { id: `${name}-${marker}`, label: name, kind: 'api_key', secret, source: `env:${name}` };
}

/** A credential of a pool, wherever it is stored. Its id stays the same when its token is refreshed. */
export type PoolMember = Omit<StoredCredential, 'createdAt'> & {
  /** Where refreshed tokens are saved; undefined if they cannot be. */
  storedIn?: 'auth-file' | 'claude-code';
  /** The path of another program's file, if it was just updated with new tokens. */
  writtenTo?: string;
};

/** Where the credentials of an endpoint come from. The pool is opened together with the route. */
export type CredentialPlan = {
  /** The name of the list in auth.json. */
  pool: string;
  /** The display name of the provider. */
  name: string;
  home: string;
  /** The hosts to which these credentials may be sent. */
  hosts: readonly string[];
  strategy: PoolStrategy;
  /** From environment variables or another program's login; these come before those of auth.json. */
  found: readonly PoolMember[];
  login?: Login;
  /** The file of Claude Code, if its login is used. */
  claudeCodeFile?: string;
};

/** A credential; with a plan, it is only the first of several or has to be prepared before each call. */
export type FoundCredential = Credential & { plan?: CredentialPlan };
