import { isJsonObject, type JsonValue } from '../../base/index.ts';
import { readPlain } from '../parse-config.ts';
import { keyDefaults } from './key-defaults.ts';
import { writeKeyText } from './key-text.ts';
import { hideSecrets } from './list-values.ts';
import type { KeyPath } from './schema-keys.ts';

export type FoundValue = { value: JsonValue; source: 'file' | 'default'; line?: number };

/** What a key holds, by the file or by default; undefined where it is not set. */
export function findValue(
  file: string,
  content: string,
  path: KeyPath,
  options: { reveal?: boolean } = {},
): FoundValue | undefined {
  const { plain, line } = readPlain(file, content);
  const value = path.reduce<unknown>(stepInto, plain);
  if (value !== undefined) {
    const shown = options.reveal ? (value as JsonValue) : hideSecrets(value as JsonValue, path.at(-1));
    return { value: shown, source: 'file', line: line(path) };
  }
  const [defaults, key] = [keyDefaults(), writeKeyText(path)];
  // Its own keys only: every object also answers to names such as "constructor".
  const standard = Object.hasOwn(defaults, key) ? defaults[key] : undefined;
  return standard === undefined ? undefined : { value: standard as JsonValue, source: 'default' };
}

function stepInto(value: unknown, part: string | number): unknown {
  if (typeof part === 'number') return Array.isArray(value) ? (value[part] as unknown) : undefined;
  return isJsonObject(value) && Object.hasOwn(value, part) ? value[part] : undefined;
}
