import { AUXILIARY_TASKS, type AuxiliaryTask, type ModelFacts } from '../contracts/index.ts';
import { withoutUndefined } from '../util/index.ts';
import { formatPath } from './format-path.ts';
import type { EnvironmentVariables } from './paths.ts';
import type { readRequestOptions } from './request-options.ts';
import type { ConfigFile, EndpointEntry, FactsEntry } from './schema.ts';
import type {
  AuxiliarySettings,
  CustomProvider,
  FactsByModel,
  FallbackChoice,
  ModelChoice,
  Settings,
} from './settings.ts';

type ModelSettings = Pick<Settings, 'model' | 'fallbacks' | 'customProviders' | 'providers' | 'auxiliary' | 'warnings'>;

/** The configured models, with variables replaced and without incomplete entries. */
export function readModelSettings(
  values: ConfigFile,
  variables: EnvironmentVariables,
  locate: ModelReader['location'],
  /** Reads what only few files have. */
  own?: typeof import('./provider-settings.ts'),
): ModelSettings {
  const reader: ModelReader = { variables, location: locate, warnings: [], readRequest: own?.readRequestOptions };
  const providers = own?.readProviders(reader, values);
  return {
    model: readModel(reader, values.model ?? {}),
    fallbacks: readFallbacks(reader, fallbackEntries(values)),
    customProviders: readCustomProviders(reader, values, own?.endpointEntries(values)),
    providers,
    auxiliary: readAuxiliarySettings(values, reader),
    warnings: reader.warnings,
  };
}

const REQUEST_KEYS = ['headers', 'query', 'extra_body'] as const;

function readModel(reader: ModelReader, { default: name, ...section }: NonNullable<ConfigFile['model']>): ModelChoice {
  const entry = { ...section, model: name ?? section.model };
  const choice = toChoice(reader, entry, ['model'], name === undefined ? 'model' : 'default');
  if (choice.request === undefined || (choice.provider ?? 'auto') !== 'auto' || choice.baseUrl) return choice;
  // Without an address next to them, the values could be sent to whatever provider is found first.
  warnIncomplete(reader, ['model', requestKeyOf(section)], 'a provider or a base_url next to it');
  return { ...choice, request: undefined };
}

function requestKeyOf(section: Pick<EndpointEntry, (typeof REQUEST_KEYS)[number]>): string {
  return REQUEST_KEYS.find((key) => section[key] !== undefined) ?? 'headers';
}

/** `fallback_model` is the short form for one fallback; it comes before the list. */
function fallbackEntries(values: ConfigFile): EntryWithPath[] {
  const listed = (values.fallback_providers ?? []).map((entry, index) => ({
    entry,
    path: ['fallback_providers', index],
  }));
  const single = values.fallback_model ? [{ entry: values.fallback_model, path: ['fallback_model'] }] : [];
  return [...single, ...listed];
}

function readCustomProviders(
  reader: ModelReader,
  values: ConfigFile,
  more: readonly { entry: CustomEntry; path: readonly (string | number)[] }[] = [],
): CustomProvider[] {
  const listed = (values.custom_providers ?? []).map((entry, index) => ({ entry, path: ['custom_providers', index] }));
  return [...listed, ...more].flatMap(({ entry, path }) => {
    const { provider: _, providerLocation: __, ...choice } = toChoice(reader, entry, path);
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
        cachingMode: entry.prompt_caching?.mode,
        models: readFacts(entry.models),
      },
    ];
  });
}

type CustomEntry = NonNullable<ConfigFile['custom_providers']>[number];
type TaskSection = NonNullable<NonNullable<ConfigFile['auxiliary']>[AuxiliaryTask]>;

/** The settings of the auxiliary tasks that are configured. */
function readAuxiliarySettings(values: ConfigFile, reader: ModelReader): Settings['auxiliary'] {
  const tasks = AUXILIARY_TASKS.flatMap((task) => {
    const section = values.auxiliary?.[task];
    return section === undefined ? [] : [[task, readTask(section, reader, ['auxiliary', task])] as const];
  });
  return Object.fromEntries(tasks);
}

function readTask(section: TaskSection, reader: ModelReader, path: readonly string[]): AuxiliarySettings {
  const entries = (section.fallback ?? []).map((entry, index) => ({ entry, path: [...path, 'fallback', index] }));
  return {
    choice: readOwnChoice(section, reader, path),
    fallbacks: readFallbacks(reader, entries),
    timeoutSeconds: section.timeout,
    enabled: section.enabled ?? true,
  };
}

function readOwnChoice(section: TaskSection, reader: ModelReader, path: readonly string[]): ModelChoice {
  const choice = toChoice(reader, section, path);
  // If a missing variable made the base URL undefined, the API key must not be sent to a different host.
  if (section.base_url !== undefined && choice.baseUrl === undefined) return {};
  const isNamed = choice.provider !== undefined && !/^(?:auto|main)$/i.test(choice.provider);
  const { apiKey, request, baseUrl } = choice;
  if ((apiKey ?? request) === undefined || isNamed || baseUrl !== undefined) return choice;
  const key = apiKey === undefined ? requestKeyOf(section) : 'api_key';
  warnIncomplete(reader, [...path, key], 'a base_url or the name of a provider next to it');
  return { ...choice, apiKey: undefined, request: undefined };
}

/** The configured model facts; undefined if there are none. */
export function readFacts(entries: Readonly<Record<string, FactsEntry>> | undefined): FactsByModel | undefined {
  if (entries === undefined || Object.keys(entries).length === 0) return undefined;
  return Object.fromEntries(Object.entries(entries).map(([name, entry]) => [name, toFacts(entry)]));
}

function toFacts({ context_length, output_limit, price, vision, documents, tools, reasoning }: FactsEntry): ModelFacts {
  // Undefined values must not override facts from other sources.
  return withoutUndefined({
    contextLength: context_length,
    outputLimit: output_limit,
    vision,
    documents,
    tools,
    reasoning,
    price: price && {
      input: price.input,
      output: price.output,
      cacheRead: price.cache_read,
      cacheWrite: price.cache_write,
      source: 'config.yaml',
      version: 'set by hand',
    },
  });
}

/** The context for reading model entries: variables, the location of keys, and collected warnings. */
type ModelReader = {
  variables: EnvironmentVariables;
  location: (path: readonly PropertyKey[]) => string;
  warnings: string[];
  /** Reads `headers`, `query` and `extra_body`; undefined if the file has none of them. */
  readRequest?: typeof readRequestOptions;
};

type EntryWithPath = { entry: EndpointEntry; path: readonly (string | number)[] };

function readFallbacks(reader: ModelReader, entries: readonly EntryWithPath[]): FallbackChoice[] {
  return entries.flatMap(({ entry, path }) => {
    const choice = toChoice(reader, entry, path);
    if (isComplete(choice)) return [{ ...choice, path }];
    // Existing files use an empty mapping for "no fallback".
    if (Object.keys(entry).length > 0) warnIncomplete(reader, path, 'provider and model');
    return [];
  });
}

function toChoice(
  reader: ModelReader,
  entry: EndpointEntry,
  path: readonly PropertyKey[],
  modelKey = 'model',
): ModelChoice {
  const baseUrl = expand(reader, entry.base_url, [...path, 'base_url']);
  // They are for the configured address, not for another one that is used because a variable is missing.
  const isElsewhere = entry.base_url !== undefined && baseUrl === undefined;
  return {
    provider: entry.provider,
    providerLocation: entry.provider && locationOf(reader, [...path, 'provider']),
    model: entry.model,
    modelLocation: entry.model && locationOf(reader, [...path, modelKey]),
    baseUrl,
    baseUrlLocation: entry.base_url && locationOf(reader, [...path, 'base_url']),
    apiKey: expand(reader, entry.api_key, [...path, 'api_key']),
    apiKeyLocation: entry.api_key && locationOf(reader, [...path, 'api_key']),
    apiMode: entry.api_mode,
    contextLength: entry.context_length,
    request: isElsewhere ? undefined : reader.readRequest?.(reader, entry, path),
  };
}

function locationOf(reader: ModelReader, path: readonly PropertyKey[]): string {
  return `${reader.location(path)}: ${formatPath(path)}`;
}

/** Replaces `${NAME}`. An unset variable makes the whole value undefined, because half a key is useless. */
function expand(reader: ModelReader, value: string | undefined, path: readonly PropertyKey[]): string | undefined {
  if (value === undefined) return undefined;
  const names = [...value.matchAll(/\$\{(\w+)\}/g)].map((match) => match[1] as string);
  const missing = names.find((name) => !reader.variables[name]);
  if (missing === undefined) return value.replace(/\$\{(\w+)\}/g, (_, name: string) => reader.variables[name] ?? '');
  reader.warnings.push(`${locationOf(reader, path)} is ignored, because the variable ${missing} is not set.`);
  return undefined;
}

function isComplete(choice: ModelChoice): choice is FallbackChoice {
  return choice.provider !== undefined && choice.model !== undefined;
}

function warnIncomplete(reader: ModelReader, path: readonly PropertyKey[], wanted: string): void {
  reader.warnings.push(`${locationOf(reader, path)} is ignored, because it needs ${wanted}.`);
}
