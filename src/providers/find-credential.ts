import { ConfigurationError } from '../base/index.ts';
import { homePaths, type ModelChoice, placeOfVariable, type Settings } from '../config/index.ts';
import {
  type CredentialOwners,
  type CredentialPlan,
  firstOf,
  type FoundCredential,
  planCredentials,
  type PoolMember,
  writtenCredential,
} from './credentials/plan-credentials.ts';
import { membersOf } from './credentials/pool-members.ts';
import { isLocalEndpoint } from './find-address.ts';
import { hostOf, type KnownProvider, providerAt } from './find-provider.ts';
import { findLogin } from './oauth/login-table.ts';

/**
 * The credential for an address, bound to its host: what was written down beside it, else what belongs to whoever has
 * that host. Undefined where none is needed.
 */
export function findCredential(
  settings: Settings,
  provider: KnownProvider,
  choice: ModelChoice,
  baseUrl: string,
): FoundCredential | undefined {
  if (provider.authType === 'command') return undefined;
  const hosts = [hostOf(baseUrl) as string];
  const written = findWrittenKey(settings, provider, choice, baseUrl);
  if (written !== undefined) return writtenCredential(settings, provider, written.secret, hosts);

  const owners = ownersOf(provider, baseUrl);
  const found = firstOf(checkedPlan(settings, owners, hosts));
  if (found !== undefined) return found;
  const mayGoWithout = provider.ownHost || provider.authType === 'none';
  if (isLocalEndpoint(baseUrl) || (mayGoWithout && providerAt(baseUrl) === undefined)) return undefined;
  throw missingKey(settings, provider, owners.variables ?? owners.stored, baseUrl);
}

/** The first of the secrets that would be used for an address, with its place. */
export function findKey(
  settings: Settings,
  provider: KnownProvider,
  choice: ModelChoice,
  baseUrl: string,
): FoundKey | undefined {
  const written = findWrittenKey(settings, provider, choice, baseUrl);
  if (written !== undefined) return written;
  const [first] = membersOf(checkedPlan(settings, ownersOf(provider, baseUrl), []));
  return first && { secret: first.secret, place: placeOf(settings, first) };
}

/** Whose credentials an address may be given. */
function ownersOf(provider: KnownProvider, baseUrl: string): CredentialOwners {
  const isAtHome = provider.baseUrl !== undefined && hostOf(provider.baseUrl) === hostOf(baseUrl);
  // Rows that share a host have keys of their own; a host that the person chose may be a known provider's.
  const there = isAtHome && !provider.ownHost ? provider : providerAt(baseUrl);
  return { variables: there ?? (provider.ownHost ? provider : undefined), stored: isAtHome ? provider : there };
}

function checkedPlan(settings: Settings, owners: CredentialOwners, hosts: readonly string[]): CredentialPlan {
  const plan = planCredentials(settings, owners, hosts);
  for (const member of plan.found) checkKey({ secret: member.secret, place: placeOf(settings, member) });
  return plan;
}

function placeOf(settings: Settings, { source, label, keptIn }: PoolMember): string {
  if (source.startsWith('env:')) return placeOfVariable(settings, source.slice('env:'.length));
  return keptIn === 'auth-file' ? `${homePaths(settings.home).authFile}, "${label}"` : label;
}

function missingKey(
  settings: Settings,
  provider: KnownProvider,
  owner: KnownProvider | undefined,
  baseUrl: string,
): ConfigurationError {
  const variable = owner?.keyVariables[0];
  const hasLogin = owner !== undefined && findLogin(settings, owner.id) !== undefined;
  if (owner !== undefined && (owner.authType === 'login' || (variable === undefined && hasLogin))) {
    return new ConfigurationError(`There is no login for ${owner.name}.`, {
      hint: `Log in with \`hermes auth add ${owner.id} --login\`, or choose another provider with \`hermes setup\`.`,
    });
  }
  if (owner !== undefined && variable !== undefined) {
    const { envFile } = homePaths(settings.home);
    return new ConfigurationError(`There is no API key for ${owner.name}.`, {
      hint: `Run \`hermes setup\` or \`hermes auth add ${owner.id}\`, or put ${variable}=… into ${envFile}.`,
    });
  }
  // The provider's own variable is no help: its key must not leave for another host.
  return new ConfigurationError(
    `There is no API key for ${hostOf(baseUrl)}, which is not a host of ${provider.name}.`,
    { hint: 'Write its key as api_key beside base_url in config.yaml, or run `hermes setup`.' },
  );
}

/** A key and where it is written, which is all that may ever be shown of it. */
type FoundKey = { secret: string; place: string };

/** The key of this very choice, else that of its named endpoint, which must not follow the choice to another host. */
function findWrittenKey(
  settings: Settings,
  provider: KnownProvider,
  choice: ModelChoice,
  baseUrl: string,
): FoundKey | undefined {
  const found = writtenKey(settings, provider, choice, baseUrl);
  if (found !== undefined) checkKey(found);
  return found;
}

function writtenKey(
  settings: Settings,
  provider: KnownProvider,
  choice: ModelChoice,
  baseUrl: string,
): FoundKey | undefined {
  if (choice.apiKey !== undefined) {
    return { secret: choice.apiKey, place: choice.apiKeyPlace ?? `api_key of ${provider.name}` };
  }
  if (provider.baseUrl === undefined || hostOf(provider.baseUrl) !== hostOf(baseUrl)) return undefined;
  if (provider.apiKey !== undefined) {
    return { secret: provider.apiKey, place: provider.apiKeyPlace ?? `api_key of ${provider.name}` };
  }
  return variableNamed(settings, provider.ownKeyVariable);
}

function variableNamed(settings: Settings, name: string | undefined): FoundKey | undefined {
  const secret = name === undefined ? undefined : settings.variables[name];
  return name === undefined || !secret ? undefined : { secret, place: placeOfVariable(settings, name) };
}

const QUOTES = /^(['"`“”‘’]).*|.*(['"`“”‘’])$/s;

/** Longer than any key; a whole file that was given by mistake is not. */
const MAX_KEY_LENGTH = 16_384;

function checkKey({ secret, place }: FoundKey): void {
  const fault = findKeyFault(secret);
  if (fault === undefined) return;
  throw new ConfigurationError(`The key of ${place} has ${fault}.`, {
    hint: 'Copy it again, as one line without quotes or spaces, or run `hermes setup`.',
  });
}

/** A key is one word of plain characters: anything else came with the copying, and no header could carry it. */
export function findKeyFault(secret: string): string | undefined {
  if (/[\r\n]/.test(secret)) return 'a line break';
  if (/\s/.test(secret)) return 'a space';
  if (QUOTES.test(secret)) return 'quotes around it';
  if (/[^\x21-\x7e]/.test(secret)) return 'a character that no key has';
  return secret.length > MAX_KEY_LENGTH ? 'more characters than any key' : undefined;
}
