import { ConfigurationError } from '../base/index.ts';
import type { Settings } from '../config/index.ts';
import { PROVIDERS, type ProviderRow } from './provider-table.ts';

/** A provider as it is used: a row of the table, or an endpoint the person named. */
export type KnownProvider = ProviderRow & {
  /** The person chose the host, so the person's general key may go there. */
  ownHost: boolean;
  apiKey?: string;
  /** The variable the person named for this very endpoint. */
  ownKeyVariable?: string;
  contextLength?: number;
};

type NamedProviders = Pick<Settings, 'customProviders'>;

/** The provider of this name; `place` is where it was written, so that it can be found and corrected. */
export function findProvider(settings: NamedProviders, name: string, place?: string): KnownProvider {
  const found = lookUpProvider(settings, name);
  if (found) return found;
  const names = [...settings.customProviders.map((provider) => provider.name), ...PROVIDERS.map((row) => row.id)];
  const where = place === undefined ? 'There' : `${place}: there`;
  throw new ConfigurationError(`${where} is no provider "${name}".`, {
    hint: `Choose one of ${names.join(', ')}, or name an endpoint of your own under custom_providers in config.yaml.`,
  });
}

export function lookUpProvider(settings: NamedProviders, name: string): KnownProvider | undefined {
  return findNamed(settings, name) ?? findRow(name);
}

/** The provider whose own host this address has, so that its key is found where only the address was saved. */
export function providerAt(baseUrl: string): KnownProvider | undefined {
  const host = hostOf(baseUrl);
  const row = PROVIDERS.find((candidate) => candidate.baseUrl !== undefined && hostOf(candidate.baseUrl) === host);
  return row === undefined ? undefined : { ...row, ownHost: row.id === 'openai' };
}

/** Host and port as credentials name them. */
export function hostOf(baseUrl: string): string | undefined {
  return URL.parse(baseUrl)?.host;
}

/** `custom:NAME` is how existing files refer to a named endpoint. */
function findNamed(settings: NamedProviders, name: string): KnownProvider | undefined {
  const wanted = name.replace(/^custom:/i, '').toLowerCase();
  const provider = settings.customProviders.find((candidate) => candidate.name.toLowerCase() === wanted);
  if (provider === undefined) return undefined;
  return {
    id: provider.name,
    name: provider.name,
    baseUrl: provider.baseUrl,
    apiMode: provider.apiMode,
    keyVariables: ['OPENAI_API_KEY'],
    ownKeyVariable: provider.keyVariable,
    defaultModel: provider.model,
    apiKey: provider.apiKey,
    contextLength: provider.contextLength,
    ownHost: true,
  };
}

function findRow(name: string): KnownProvider | undefined {
  const wanted = name.toLowerCase();
  const row = PROVIDERS.find((candidate) => candidate.id === wanted || candidate.aliases?.includes(wanted));
  return row === undefined ? undefined : { ...row, ownHost: row.id === 'custom' || row.id === 'openai' };
}
