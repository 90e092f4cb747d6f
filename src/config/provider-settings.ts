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
const PROVIDER_KEYS = [...REQUEST_KEYS, 'prompt_caching', 'profile', 'region', 'project', 'resource'];

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
