import { formatPath } from './format-path.ts';
import type { EnvironmentVariables } from './paths.ts';
import { readFacts } from './model-facts.ts';
import type { ConfigFile, EndpointEntry } from './schema.ts';
import type { CustomProvider, FallbackChoice, ModelChoice, Settings } from './settings.ts';

type Place = (path: readonly PropertyKey[]) => string;
type ModelSettings = Pick<Settings, 'model' | 'fallbacks' | 'customProviders' | 'warnings'>;
type Reader = { variables: EnvironmentVariables; place: Place; warnings: string[] };

/** The models a file names, with variables filled in and incomplete entries left out. */
export function readModelSettings(values: ConfigFile, variables: EnvironmentVariables, place: Place): ModelSettings {
  const reader: Reader = { variables, place, warnings: [] };
  const { default: name, ...section } = values.model ?? {};
  return {
    model: toChoice(
      reader,
      { ...section, model: name ?? section.model },
      ['model'],
      name === undefined ? 'model' : 'default',
    ),
    fallbacks: readFallbacks(reader, values),
    customProviders: readCustomProviders(reader, values),
    warnings: reader.warnings,
  };
}

/** `fallback_model` is the short form for one; with a list beside it, it comes first. */
function readFallbacks(reader: Reader, values: ConfigFile): FallbackChoice[] {
  const listed = (values.fallback_providers ?? []).map((entry, index) => ({
    entry,
    path: ['fallback_providers', index],
  }));
  const single = values.fallback_model ? [{ entry: values.fallback_model, path: ['fallback_model'] }] : [];
  return [...single, ...listed].flatMap(({ entry, path }) => {
    const choice = toChoice(reader, entry, path);
    if (isComplete(choice)) return [choice];
    // An empty mapping is how existing files say that there is none.
    if (Object.keys(entry).length > 0) warnIncomplete(reader, path, 'provider and model');
    return [];
  });
}

function readCustomProviders(reader: Reader, values: ConfigFile): CustomProvider[] {
  return (values.custom_providers ?? []).flatMap((entry, index) => {
    const path = ['custom_providers', index];
    const { provider: _, providerPlace: __, ...choice } = toChoice(reader, entry, path);
    if (entry.name === undefined || choice.baseUrl === undefined) {
      warnIncomplete(reader, path, 'name and base_url');
      return [];
    }
    return [
      {
        ...choice,
        name: entry.name,
        baseUrl: choice.baseUrl,
        keyVariable: entry.key_env,
        models: readFacts(entry.models),
      },
    ];
  });
}

function toChoice(reader: Reader, entry: EndpointEntry, path: readonly PropertyKey[], modelKey = 'model'): ModelChoice {
  return {
    provider: entry.provider,
    providerPlace: entry.provider && placeOf(reader, [...path, 'provider']),
    model: entry.model,
    modelPlace: entry.model && placeOf(reader, [...path, modelKey]),
    baseUrl: expand(reader, entry.base_url, [...path, 'base_url']),
    baseUrlPlace: entry.base_url && placeOf(reader, [...path, 'base_url']),
    apiKey: expand(reader, entry.api_key, [...path, 'api_key']),
    apiKeyPlace: entry.api_key && placeOf(reader, [...path, 'api_key']),
    apiMode: entry.api_mode,
    contextLength: entry.context_length,
  };
}

function placeOf(reader: Reader, path: readonly PropertyKey[]): string {
  return `${reader.place(path)}: ${formatPath(path)}`;
}

/** Fills in `${NAME}`. A variable that is not set leaves the whole value unset: half a key is no key. */
function expand(reader: Reader, value: string | undefined, path: readonly PropertyKey[]): string | undefined {
  if (value === undefined) return undefined;
  const names = [...value.matchAll(/\$\{(\w+)\}/g)].map((match) => match[1] as string);
  const missing = names.find((name) => !reader.variables[name]);
  if (missing === undefined) return value.replace(/\$\{(\w+)\}/g, (_, name: string) => reader.variables[name] ?? '');
  reader.warnings.push(`${placeOf(reader, path)} is ignored, because the variable ${missing} is not set.`);
  return undefined;
}

function isComplete(choice: ModelChoice): choice is FallbackChoice {
  return choice.provider !== undefined && choice.model !== undefined;
}

function warnIncomplete(reader: Reader, path: readonly PropertyKey[], wanted: string): void {
  reader.warnings.push(`${placeOf(reader, path)} is ignored, because it needs ${wanted}.`);
}
