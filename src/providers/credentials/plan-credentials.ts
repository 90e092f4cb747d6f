import type { Settings } from '../../config/index.ts';
import type { Credential } from '../../contracts/index.ts';
import type { KnownProvider } from '../find-provider.ts';
import { findLogin } from '../oauth/find-login.ts';
import { findAnthropic, isAnthropicLogin } from './anthropic-order.ts';
import { readStored } from './auth-file.ts';
import type { CredentialPlan, FoundCredential, PoolMember } from './credential-plan.ts';
import { membersOf, toCredential } from './pool-members.ts';
import { variableMembers } from './variable-members.ts';

/** Of which providers an address may be given the credentials. */
export type CredentialOwners = {
  /** Whose key variables are looked at. */
  variables: KnownProvider | undefined;
  /** Whose list in auth.json is looked at. */
  stored: KnownProvider | undefined;
};

const NAMED = 'custom:';

/** How the credentials of these owners are found and chosen, whether or not there are any. */
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
  // The general key of endpoints is not sent to one that has a credential of its own.
  if (pool.startsWith(NAMED) && readStored(settings.home, pool).length > 0) return { ...plan, found: [] };
  if (owners.variables?.id !== 'anthropic') {
    return { ...plan, found: variableMembers(settings.variables, owners.variables?.keyVariables ?? []) };
  }
  const found = findAnthropic(settings);
  return { ...plan, found: found ? [found.member] : [], claudeCodeFile: found?.claudeCodeFile };
}

/** The first credential of a plan, with the plan, unless it is a key and there is nothing to choose or to exchange. */
export function firstOf(plan: CredentialPlan): FoundCredential | undefined {
  const members = membersOf(plan);
  const [first] = members;
  if (first === undefined) return undefined;
  const credential = toCredential(plan, first, first.secret);
  const isPlain = members.length === 1 && first.keptIn === undefined && plan.login?.exchange === undefined;
  return isPlain ? credential : { ...credential, plan };
}

/** A key that was written down in config.yaml: it stands alone, and is sent as its form wants it. */
export function writtenCredential(
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

/** As the original names lists: those of an endpoint that the person named have a prefix. */
export function poolName(settings: Pick<Settings, 'customProviders'>, provider: Pick<KnownProvider, 'id'>): string {
  const isNamed = settings.customProviders.some(({ name }) => name === provider.id);
  return isNamed ? `${NAMED}${provider.id.toLowerCase()}` : provider.id;
}
