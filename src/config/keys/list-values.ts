import { isJsonObject, type JsonValue } from '../../base/index.ts';
import { isSecretName, maskSecret, redactSecrets } from '../../util/index.ts';
import { readYamlValues } from '../parse-config.ts';
import { keyDefaults } from './key-defaults.ts';
import { findKey, type KeyPath, listKeys, writeKeyText } from './schema-keys.ts';

/** A key and its value. */
export type ConfigValue = {
  key: string;
  /** With secrets masked. */
  value: JsonValue;
  source: 'file' | 'default';
  /** The line in the file. */
  line?: number;
  /** False for keys that Hermes does not know; they are ignored. */
  known: boolean;
};

/** All keys that are set in a file, and the defaults of the others. */
export function listValues(file: string, content: string): ConfigValue[] {
  const { plain, line } = readYamlValues(file, content);
  const written = leavesOf([], plain).map(([path, value]): ConfigValue => {
    const known = findKey(path) !== undefined;
    return { key: writeKeyText(path), value: maskAt(path, value), source: 'file', line: line(path), known };
  });
  const present = new Set(written.map(({ key }) => key));
  const defaults = Object.entries(keyDefaults())
    .filter(([key]) => !present.has(key))
    .map(([key, value]): ConfigValue => ({ key, value: value as JsonValue, source: 'default', known: true }));
  return sortBySection([...written, ...defaults]);
}

/** Sorts by section in schema order; unknown keys come last. */
function sortBySection(values: readonly ConfigValue[]): ConfigValue[] {
  const sections = [...new Set(listKeys().map(({ path }) => String(path[0])))];
  const rank = ({ key }: ConfigValue) => {
    const at = sections.indexOf(/^[^.[]+/.exec(key)?.[0] ?? '');
    return at < 0 ? sections.length : at;
  };
  return values.toSorted((a, b) => rank(a) - rank(b));
}

/** Flattens mappings and lists of mappings; a list of plain values counts as one value. */
function leavesOf(path: KeyPath, value: unknown): [path: KeyPath, value: JsonValue][] {
  const entries: [string | number, unknown][] = isJsonObject(value)
    ? Object.entries(value)
    : Array.isArray(value) && value.some(isJsonObject)
      ? [...value.entries()]
      : [];
  if (entries.length === 0) return path.length === 0 || value === undefined ? [] : [[path, value as JsonValue]];
  return entries.flatMap(([part, inner]) => leavesOf([...path, part], inner));
}

/** All headers are masked, because any of them can be a credential. Text around `${VARIABLE}` is at most a scheme. */
function maskAt(path: KeyPath, value: JsonValue): JsonValue {
  const isHeader = path.at(-2) === 'headers' && typeof value === 'string';
  if (!isHeader) return maskSecrets(value, path.at(-1));
  return /^(?:\w+ )?\$\{\w+\}$/.test(value) ? value : maskSecret(value);
}

/** Masks values that are secret by their name or their format. A reference to a variable is not a secret. */
export function maskSecrets(value: JsonValue, name: string | number | undefined): JsonValue {
  if (typeof value === 'string') {
    if (/^\$\{\w+\}$/.test(value)) return value;
    return isSecretName(String(name)) ? maskSecret(value) : redactSecrets(value);
  }
  if (Array.isArray(value)) return value.map((entry) => maskSecrets(entry, name));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, maskAt([String(name), key], inner)]));
}

type FoundValue = { value: JsonValue; source: 'file' | 'default'; line?: number };

/** The value of a key, from the file or by default; undefined if it is not set. */
export function findValue(
  file: string,
  content: string,
  path: KeyPath,
  options: { reveal?: boolean } = {},
): FoundValue | undefined {
  const { plain, line } = readYamlValues(file, content);
  const value = path.reduce<unknown>(stepInto, plain);
  if (value !== undefined) {
    const shown = options.reveal ? (value as JsonValue) : maskAt(path, value as JsonValue);
    return { value: shown, source: 'file', line: line(path) };
  }
  const [defaults, key] = [keyDefaults(), writeKeyText(path)];
  // hasOwn, because every object also has inherited names such as "constructor".
  const standard = Object.hasOwn(defaults, key) ? defaults[key] : undefined;
  return standard === undefined ? undefined : { value: standard as JsonValue, source: 'default' };
}

function stepInto(value: unknown, part: string | number): unknown {
  if (typeof part === 'number') return Array.isArray(value) ? (value[part] as unknown) : undefined;
  return isJsonObject(value) && Object.hasOwn(value, part) ? value[part] : undefined;
}
