import { readAuxiliarySettings } from './auxiliary-settings.ts';
import type { EnvironmentVariables } from './paths.ts';
import { readFacts } from './model-facts.ts';
import { type ModelReader, type PlacedEntry, readFallbacks, toChoice, warnIncomplete } from './read-choice.ts';
import type { ConfigFile } from './schema.ts';
import type { CustomProvider, Settings } from './settings.ts';

type ModelSettings = Pick<Settings, 'model' | 'fallbacks' | 'customProviders' | 'auxiliary' | 'warnings'>;

/** The models a file names, with variables filled in and incomplete entries left out. */
export function readModelSettings(
  values: ConfigFile,
  variables: EnvironmentVariables,
  place: ModelReader['place'],
): ModelSettings {
  const reader: ModelReader = { variables, place, warnings: [] };
  const { default: name, ...section } = values.model ?? {};
  return {
    model: toChoice(
      reader,
      { ...section, model: name ?? section.model },
      ['model'],
      name === undefined ? 'model' : 'default',
    ),
    fallbacks: readFallbacks(reader, fallbackEntries(values)),
    customProviders: readCustomProviders(reader, values),
    auxiliary: readAuxiliarySettings(values, reader),
    warnings: reader.warnings,
  };
}

/** `fallback_model` is the short form for one; with a list beside it, it comes first. */
function fallbackEntries(values: ConfigFile): PlacedEntry[] {
  const listed = (values.fallback_providers ?? []).map((entry, index) => ({
    entry,
    path: ['fallback_providers', index],
  }));
  const single = values.fallback_model ? [{ entry: values.fallback_model, path: ['fallback_model'] }] : [];
  return [...single, ...listed];
}

function readCustomProviders(reader: ModelReader, values: ConfigFile): CustomProvider[] {
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
