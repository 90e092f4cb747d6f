import { ConfigurationError } from '../base/index.ts';
import { homePaths, type ModelChoice, type Settings } from '../config/index.ts';
import type { FoundCredential } from './credentials/credential-plan.ts';
import { type CredentialOwners, planCredentials, firstOf, writtenCredential } from './credentials/plan-credentials.ts';
import { hostOf, type KnownProvider, providerAt } from './find-provider.ts';
import { isLocalEndpoint } from './local-endpoint.ts';
import { findLogin } from './oauth/find-login.ts';

/** A key that was written down beside an address is for that address; any other only for its provider's own host. */
export function findCredential(
  settings: Settings,
  provider: KnownProvider,
  choice: ModelChoice,
  baseUrl: string,
): FoundCredential | undefined {
  const hosts = [hostOf(baseUrl) as string];
  const ownKey = writtenKey(settings, provider, choice, baseUrl);
  if (ownKey !== undefined) return writtenCredential(settings, provider, ownKey, hosts);

  const owners = ownersOf(provider, baseUrl);
  const found = firstOf(planCredentials(settings, owners, hosts));
  if (found !== undefined) return found;
  if (isLocalEndpoint(baseUrl) || (provider.ownHost && providerAt(baseUrl) === undefined)) return undefined;
  throw missingKey(settings, provider, owners.variables ?? owners.stored, baseUrl);
}

/** Whose credentials an address may be given. */
export function ownersOf(provider: KnownProvider, baseUrl: string): CredentialOwners {
  const isAtHome = provider.baseUrl !== undefined && hostOf(provider.baseUrl) === hostOf(baseUrl);
  // A saved address may be that of a provider we know, whose own key then fits and no other.
  const there = isAtHome && !provider.ownHost ? provider : providerAt(baseUrl);
  return { variables: there ?? (provider.ownHost ? provider : undefined), stored: isAtHome ? provider : there };
}

/** The key of this very choice, else that of its named endpoint, which must not follow the choice to another host. */
function writtenKey(
  settings: Settings,
  provider: KnownProvider,
  choice: ModelChoice,
  baseUrl: string,
): string | undefined {
  if (choice.apiKey !== undefined) return choice.apiKey;
  if (provider.baseUrl === undefined || hostOf(provider.baseUrl) !== hostOf(baseUrl)) return undefined;
  const named = provider.ownKeyVariable && settings.variables[provider.ownKeyVariable];
  return provider.apiKey ?? (named || undefined);
}

function missingKey(
  settings: Settings,
  provider: KnownProvider,
  owner: KnownProvider | undefined,
  baseUrl: string,
): ConfigurationError {
  const { envFile } = homePaths(settings.home);
  const variable = owner?.keyVariables[0];
  if (owner !== undefined && variable === undefined && findLogin(settings, owner.id) !== undefined) {
    return new ConfigurationError(`There is no login for ${owner.name}.`, {
      hint: `Log in with \`hermes auth add ${owner.id} --login\`.`,
    });
  }
  if (variable !== undefined) {
    return new ConfigurationError(`There is no API key for ${owner?.name}.`, {
      hint: `Run \`hermes setup\` or \`hermes auth add ${owner?.id}\`, or put ${variable}=… into ${envFile}.`,
    });
  }
  // The provider's own variable is no help: its key must not leave for another host.
  return new ConfigurationError(
    `There is no API key for ${hostOf(baseUrl)}, which is not a host of ${provider.name}.`,
    {
      hint: 'Write its key as api_key beside base_url in config.yaml, or run `hermes setup`.',
    },
  );
}
