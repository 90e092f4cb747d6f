import { nearestNames } from '../util/index.ts';
import { formatPath } from './format-path.ts';
import { type RequestContext, readRequestOptions } from './request-options.ts';
import type { ConfigFile } from './schema.ts';
import type { ProviderSettings } from './request-settings.ts';

export { readRequestOptions };

const REQUEST_KEYS = ['headers', 'query', 'extra_body'];
const MODEL_KEYS = [
  'provider',
  'default',
  'model',
  'base_url',
  'api_key',
  'api_mode',
  'context_length',
  ...REQUEST_KEYS,
];
const ENDPOINT_KEYS = ['base_url', 'url', 'api', 'api_key', 'key_env', 'api_mode', 'transport', 'context_length'];
const PROVIDER_KEYS = [
  ...REQUEST_KEYS,
  ...ENDPOINT_KEYS,
  'prompt_caching',
  'profile',
  'region',
  'project',
  'resource',
  'name',
  'model',
  'default_model',
  'models',
];

/** An entry of `providers` with an address is an endpoint, as in `custom_providers`. */
export function endpointEntries({ providers = {}, custom_providers: listed = [] }: ConfigFile): EndpointInProviders[] {
  return Object.entries(providers).flatMap(([name, entry]) => {
    const baseUrl = entry.base_url ?? entry.url ?? entry.api;
    const isListed = listed.some((other) => other.name?.toLowerCase() === name.toLowerCase());
    if (baseUrl === undefined || isListed) return [];
    const { api_key, key_env, context_length, models, prompt_caching } = entry;
    const endpoint = {
      name,
      base_url: baseUrl,
      api_key,
      key_env,
      context_length,
      models,
      prompt_caching,
      model: entry.model ?? entry.default_model,
      api_mode: entry.api_mode ?? entry.transport,
    };
    return [{ entry: endpoint, path: ['providers', name] }];
  });
}

type EndpointInProviders = {
  entry: NonNullable<ConfigFile['custom_providers']>[number];
  path: readonly string[];
};

/** Reads `providers`, and warns of unknown keys there and below `model`. */
export function readProviders(
  context: RequestContext,
  { model, providers }: ConfigFile,
): Readonly<Record<string, ProviderSettings>> | undefined {
  warnUnknown(context, ['model'], model, MODEL_KEYS);
  if (providers === undefined) return undefined;
  const read = Object.entries(providers).map(([name, entry]): [string, ProviderSettings] => {
    const path = ['providers', name];
    warnUnknown(context, path, entry, PROVIDER_KEYS);
    const { profile, region, project, resource } = entry;
    const request = readRequestOptions(context, entry, path);
    const cachingMode = entry.prompt_caching?.mode;
    return [name.toLowerCase(), { request, cachingMode, profile, region, project, resource }];
  });
  return Object.fromEntries(read);
}

/** Reports keys that would otherwise be ignored silently: a misspelt key here can send requests elsewhere. */
function warnUnknown(
  { location, warnings }: RequestContext,
  path: readonly string[],
  entry: object | undefined,
  known: readonly string[],
): void {
  for (const name of Object.keys(entry ?? {})) {
    if (known.includes(name)) continue;
    const [near] = nearestNames(name, known, 1);
    const hint = near === undefined ? '' : ` Did you mean ${formatPath([...path, near])}?`;
    const key = [...path, name];
    warnings.push(`${location(key)}: ${formatPath(key)} is not a known key and is ignored.${hint}`);
  }
}
