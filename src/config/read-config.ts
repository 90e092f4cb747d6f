import { isJsonObject, type JsonObject } from '../base/index.ts';
import type { ConfigFile } from './schema.ts';

/** A parsed file with the line of each key, for messages. */
export type ParsedConfig = {
  values: ConfigFile;
  /** `config.yaml, line 7` for a key, or for its nearest existing parent. */
  location(path: readonly PropertyKey[]): string;
};

/** Where the sections are that a program passed, for messages. */
const PASSED = 'the passed config';

/**
 * Parses a config file, and replaces its sections by those that a program passed. The YAML parser is loaded on demand,
 * so that it is not loaded if there is no config file.
 */
export async function readConfig(file: string, content: string, passed: JsonObject = {}): Promise<ParsedConfig> {
  const { parseConfig } = await import('./parse-config.ts');
  const saved = parseConfig(file, content);
  if (Object.keys(passed).length === 0) return saved;
  const { values } = parseConfig(PASSED, JSON.stringify(passed));
  return {
    values: { ...saved.values, ...values },
    location: (path) => (String(path[0]) in passed ? PASSED : saved.location(path)),
  };
}

/** Normalises the values of a file: expands short forms and removes keys that are not set. */
export function toConfigValues(values: unknown): unknown {
  // `model: name` is short for `model: { default: name }`.
  const isShort = isJsonObject(values) && typeof values['model'] === 'string';
  return withoutUnset(isShort ? { ...values, model: { default: values['model'] } } : values);
}

/**
 * Existing files write "not set" as a missing value, null or an empty string; all three mean that the key is absent.
 */
function withoutUnset(value: unknown): unknown {
  if (!isJsonObject(value)) return Array.isArray(value) ? value.map(withoutUnset) : value;
  const entries = Object.entries(value).filter(([, inner]) => inner !== null && inner !== '');
  return Object.fromEntries(entries.map(([key, inner]) => [key, withoutUnset(inner)]));
}
