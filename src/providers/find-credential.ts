import { ConfigurationError } from '../base/index.ts';
import { homePaths, type ModelChoice, variableLocation, type Settings } from '../config/index.ts';
import {
  type CredentialOwners,
  type CredentialPlan,
  firstCredential,
  type FoundCredential,
  planCredentials,
  type PoolMember,
  configuredCredential,
} from './credentials/plan-credentials.ts';
import { membersOf } from './credentials/pool-members.ts';
import { isLocalEndpoint } from './find-base-url.ts';
import { hostOf, isHostOf, type KnownProvider, providerAt } from './find-provider.ts';
import { findLogin } from './oauth/login-table.ts';

/**
 * The credential for an address, bound to its host: the configured key, else those of the provider at that host.
 * Undefined if none is needed.
 */
export function findCredential(
  settings: Settings,
  provider: KnownProvider,
  choice: ModelChoice,
  baseUrl: string,
): FoundCredential | undefined {
  if (provider.authType === 'command') return undefined;
  const hosts = [hostOf(baseUrl) as string];
  const written = findConfiguredKey(settings, provider, choice, baseUrl);
  if (written !== undefined) return configuredCredential(settings, provider, written.secret, hosts);

  const owners = ownersOf(provider, choice, baseUrl);
  const found = firstCredential(checkedPlan(settings, owners, hosts));
  if (found !== undefined) return found;
  // The login of a cloud is found when the route is opened.
  if (owners.stored?.cloud !== undefined) return undefined;
  const mayGoWithout = provider.hasCustomHost || provider.authType === 'none';
  if (isLocalEndpoint(baseUrl) || (mayGoWithout && providerAt(baseUrl) === undefined)) return undefined;
  // A gateway may identify the user by a header.
  if ((choice.request ?? provider.request)?.headers !== undefined) return undefined;
  throw missingKey(settings, provider, owners.variables ?? owners.stored, baseUrl);
}

/** The first secret that would be used for an address, with its config location. */
export function findKey(
  settings: Settings,
  provider: KnownProvider,
  choice: ModelChoice,
  baseUrl: string,
): FoundKey | undefined {
  const written = findConfiguredKey(settings, provider, choice, baseUrl);
  if (written !== undefined) return written;
  const [first] = membersOf(checkedPlan(settings, ownersOf(provider, choice, baseUrl), []));
  return first && { secret: first.secret, place: locationOf(settings, first) };
}

/** The providers whose credentials may be sent to an address. */
function ownersOf(provider: KnownProvider, { sharedKey }: ModelChoice, baseUrl: string): CredentialOwners {
  const isAtHome = isHostOf(provider, baseUrl);
  // Providers that share a host have separate keys. A custom host may be the host of a known provider.
  const there = isAtHome && !provider.hasCustomHost ? provider : providerAt(baseUrl);
  const shared = provider.hasCustomHost && sharedKey === true ? provider : undefined;
  const takesGeneralKey = there?.cloud?.generalKey && there.cloud.hosts.test(hostOf(baseUrl) ?? '');
  return { variables: (takesGeneralKey ? shared : undefined) ?? there ?? shared, stored: isAtHome ? provider : there };
}

function checkedPlan(settings: Settings, owners: CredentialOwners, hosts: readonly string[]): CredentialPlan {
  const plan = planCredentials(settings, owners, hosts);
  for (const member of plan.found) checkKey({ secret: member.secret, place: locationOf(settings, member) });
  return plan;
}

function locationOf(settings: Settings, { source, label, storedIn }: PoolMember): string {
  if (source.startsWith('env:')) return variableLocation(settings, source.slice('env:'.length));
  return storedIn === 'auth-file' ? `${homePaths(settings.home).authFile}, "${label}"` : label;
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
    return new ConfigurationError(`No login was found for ${owner.name}.`, {
      hint: `Sign in with \`hermes auth add ${owner.id} --login\`, or choose another provider with \`hermes setup\`.`,
    });
  }
  if (owner !== undefined && variable !== undefined) {
    const { envFile } = homePaths(settings.home);
    // For example: `config.yaml, line 3: model.api_key is ignored, because the variable X is not set.`
    const ignored = settings.warnings.find((warning) => warning.includes('api_key is ignored'));
    return new ConfigurationError(`No API key was found for ${owner.name}.`, {
      hint: `${ignored === undefined ? '' : `${ignored} `}Run \`hermes setup\` or \`hermes auth add ${owner.id}\`, or set ${variable} in ${envFile}.`,
    });
  }
  // The hint does not suggest the provider's own variable, because its key must not be sent to another host.
  return new ConfigurationError(
    `No API key was found for ${hostOf(baseUrl)}, which is not a host of ${provider.name}.`,
    { hint: 'Set api_key next to base_url in config.yaml, or run `hermes setup`.' },
  );
}

/** A key and its config location; only the location may be displayed. */
type FoundKey = { secret: string; place: string };

/** The key of this choice, or else that of its named endpoint if the address is on the endpoint's own host. */
function findConfiguredKey(
  settings: Settings,
  provider: KnownProvider,
  choice: ModelChoice,
  baseUrl: string,
): FoundKey | undefined {
  const found = configuredKey(settings, provider, choice, baseUrl);
  if (found !== undefined) checkKey(found);
  return found;
}

function configuredKey(
  settings: Settings,
  provider: KnownProvider,
  choice: ModelChoice,
  baseUrl: string,
): FoundKey | undefined {
  if (choice.apiKey !== undefined) {
    return { secret: choice.apiKey, place: choice.apiKeyLocation ?? `api_key of ${provider.name}` };
  }
  if (!isHostOf(provider, baseUrl)) return undefined;
  if (provider.apiKey !== undefined) {
    return { secret: provider.apiKey, place: provider.apiKeyLocation ?? `api_key of ${provider.name}` };
  }
  return variableNamed(settings, provider.ownKeyVariable);
}

function variableNamed(settings: Settings, name: string | undefined): FoundKey | undefined {
  const secret = name === undefined ? undefined : settings.variables[name];
  return name === undefined || !secret ? undefined : { secret, place: variableLocation(settings, name) };
}

const QUOTES = /^(['"`“”‘’]).*|.*(['"`“”‘’])$/s;

/** Maximum length of a key: longer than any real key, but it rejects a whole file pasted by mistake. */
const MAX_KEY_LENGTH = 16_384;

function checkKey({ secret, place }: FoundKey): void {
  const fault = findKeyProblem(secret);
  if (fault === undefined) return;
  throw new ConfigurationError(`The key from ${place} contains ${fault}.`, {
    hint: 'Copy the key again, as one line without quotes or spaces, or run `hermes setup`.',
  });
}

/** A key is one word of printable ASCII: anything else is a copying mistake and not allowed in a header. */
export function findKeyProblem(secret: string): string | undefined {
  if (/[\r\n]/.test(secret)) return 'a line break';
  if (/\s/.test(secret)) return 'a space';
  if (QUOTES.test(secret)) return 'quotes';
  if (/[^\x21-\x7e]/.test(secret)) return 'an invalid character';
  return secret.length > MAX_KEY_LENGTH ? 'too many characters' : undefined;
}
