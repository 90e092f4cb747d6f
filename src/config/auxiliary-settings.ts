import { AUXILIARY_TASKS, type AuxiliaryTask } from '../contracts/index.ts';
import { type ModelReader, readFallbacks, toChoice, warnIncomplete } from './read-choice.ts';
import type { ConfigFile } from './schema.ts';
import type { AuxiliarySettings, ModelChoice, Settings } from './settings.ts';

type TaskSection = NonNullable<NonNullable<ConfigFile['auxiliary']>[AuxiliaryTask]>;

/** What `auxiliary` says about each task that it mentions. */
export function readAuxiliarySettings(values: ConfigFile, reader: ModelReader): Settings['auxiliary'] {
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
  // Without its address, which a missing variable took away, the rest would be meant for a host it was not written for.
  if (section.base_url !== undefined && choice.baseUrl === undefined) return {};
  const isNamed = choice.provider !== undefined && !/^(?:auto|main)$/i.test(choice.provider);
  if (choice.apiKey === undefined || isNamed || choice.baseUrl !== undefined) return choice;
  warnIncomplete(reader, [...path, 'api_key'], 'a base_url or the name of a provider beside it');
  return { ...choice, apiKey: undefined };
}
