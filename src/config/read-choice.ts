import { formatPath } from './format-path.ts';
import type { EnvironmentVariables } from './paths.ts';
import type { EndpointEntry } from './schema.ts';
import type { FallbackChoice, ModelChoice } from './settings.ts';

/** How the models of a file are read: what fills in variables, where a key stands, and where complaints go. */
export type ModelReader = {
  variables: EnvironmentVariables;
  place: (path: readonly PropertyKey[]) => string;
  warnings: string[];
};

export type PlacedEntry = { entry: EndpointEntry; path: readonly PropertyKey[] };

export function readFallbacks(reader: ModelReader, entries: readonly PlacedEntry[]): FallbackChoice[] {
  return entries.flatMap(({ entry, path }) => {
    const choice = toChoice(reader, entry, path);
    if (isComplete(choice)) return [choice];
    // An empty mapping is how existing files say that there is none.
    if (Object.keys(entry).length > 0) warnIncomplete(reader, path, 'provider and model');
    return [];
  });
}

export function toChoice(
  reader: ModelReader,
  entry: EndpointEntry,
  path: readonly PropertyKey[],
  modelKey = 'model',
): ModelChoice {
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

function placeOf(reader: ModelReader, path: readonly PropertyKey[]): string {
  return `${reader.place(path)}: ${formatPath(path)}`;
}

/** Fills in `${NAME}`. A variable that is not set leaves the whole value unset: half a key is no key. */
function expand(reader: ModelReader, value: string | undefined, path: readonly PropertyKey[]): string | undefined {
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

export function warnIncomplete(reader: ModelReader, path: readonly PropertyKey[], wanted: string): void {
  reader.warnings.push(`${placeOf(reader, path)} is ignored, because it needs ${wanted}.`);
}
