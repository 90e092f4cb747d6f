import { isJsonObject } from '../base/index.ts';
import type { ConfigFile } from './schema.ts';

/** A parsed file that still knows where each key stands, for messages. */
export type ParsedConfig = {
  values: ConfigFile;
  /** `config.yaml, line 7` for a key, or for the nearest thing above it that exists. */
  place(path: readonly PropertyKey[]): string;
};

/** Reads the text of a config file. The YAML parser is loaded here, so that a start without a file does without it. */
export async function readConfig(file: string, content: string): Promise<ParsedConfig> {
  const { parseConfig } = await import('./parse-config.ts');
  return parseConfig(file, content);
}

/** What the values of a file mean. */
export function toConfigValues(values: unknown): unknown {
  // `model: name` is short for a mapping with nothing else in it.
  const isShort = isJsonObject(values) && typeof values['model'] === 'string';
  return withoutUnset(isShort ? { ...values, model: { default: values['model'] } } : values);
}

/** Existing files write "not set" as nothing, as null or as empty text; all three mean that the key is absent. */
function withoutUnset(value: unknown): unknown {
  if (!isJsonObject(value)) return Array.isArray(value) ? value.map(withoutUnset) : value;
  const entries = Object.entries(value).filter(([, inner]) => inner !== null && inner !== '');
  return Object.fromEntries(entries.map(([key, inner]) => [key, withoutUnset(inner)]));
}
