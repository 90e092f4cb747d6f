import { ConfigurationError } from '../base/index.ts';
import { homePaths, type ModelChoice, type Settings } from '../config/index.ts';
import type { Credential } from '../contracts/index.ts';
import { hostOf, type KnownProvider, providerAt } from './find-provider.ts';
import { isLocalEndpoint } from './local-endpoint.ts';

/** A key that was written down beside an address is for that address; one from a variable only for its own host. */
export function findCredential(
  settings: Settings,
  provider: KnownProvider,
  choice: ModelChoice,
  baseUrl: string,
): Credential | undefined {
  const hosts = [hostOf(baseUrl) as string];
  const ownKey = writtenKey(settings, provider, choice, baseUrl);
  if (ownKey !== undefined) return { secret: ownKey, hosts };

  // A saved address may be that of a provider we know, whose own key then fits and no other.
  const owner = providerAt(baseUrl) ?? (provider.ownHost ? provider : undefined);
  const variable = owner?.keyVariables.find((name) => settings.variables[name]);
  const secret = variable === undefined ? undefined : settings.variables[variable];
  if (secret !== undefined) return { secret, hosts };
  if (isLocalEndpoint(baseUrl) || (provider.ownHost && providerAt(baseUrl) === undefined)) return undefined;
  throw missingKey(settings, provider, owner, baseUrl);
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
  if (variable !== undefined) {
    return new ConfigurationError(`There is no API key for ${owner?.name}.`, {
      hint: `Run \`hermes setup\`, or put ${variable}=… into ${envFile}.`,
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
