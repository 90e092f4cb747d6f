import { ConfigurationError } from '../base/index.ts';
import { homePaths, type ModelChoice, type Settings } from '../config/index.ts';
import type { Credential } from '../contracts/index.ts';
import { findKey, keyOwner } from './find-key.ts';
import { hostOf, type KnownProvider, providerAt } from './find-provider.ts';
import { isLocalEndpoint } from './local-endpoint.ts';

/** The key for an address, bound to the host of that address. Undefined where none is needed. */
export function findCredential(
  settings: Settings,
  provider: KnownProvider,
  choice: ModelChoice,
  baseUrl: string,
): Credential | undefined {
  if (provider.authType === 'command') return undefined;
  const key = findKey(settings, provider, choice, baseUrl);
  if (key !== undefined) return { secret: key.secret, hosts: [hostOf(baseUrl) as string] };
  if (isLocalEndpoint(baseUrl) || (provider.ownHost && providerAt(baseUrl) === undefined)) return undefined;
  throw missingKey(settings, provider, baseUrl);
}

function missingKey(settings: Settings, provider: KnownProvider, baseUrl: string): ConfigurationError {
  const { envFile } = homePaths(settings.home);
  const owner = keyOwner(provider, baseUrl);
  if (owner?.authType === 'login') {
    return new ConfigurationError(`There is no login for ${owner.name}.`, {
      hint: `Log in with \`hermes auth add ${owner.id}\`, or choose another provider with \`hermes setup\`.`,
    });
  }
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
