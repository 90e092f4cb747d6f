import { isJsonObject, type JsonValue } from '../../base/index.ts';
import { isSecretName, maskSecret, redactSecrets } from '../../util/index.ts';
import { readPlain } from '../parse-config.ts';
import { keyDefaults } from './key-defaults.ts';
import { findKey, type KeyPath, listKeys, writeKeyText } from './schema-keys.ts';

/** One key with what it holds. */
export type ConfigValue = {
  key: string;
  /** Secrets are masked. */
  value: JsonValue;
  source: 'file' | 'default';
  /** Where it stands in the file. */
  line?: number;
  /** False for keys of others, which are left alone. */
  known: boolean;
};

/** What a file says, key by key, and the defaults of what it does not mention. */
export function listValues(file: string, content: string): ConfigValue[] {
  const { plain, line } = readPlain(file, content);
  const written = leavesOf([], plain).map(([path, value]): ConfigValue => {
    const known = findKey(path) !== undefined;
    return { key: writeKeyText(path), value: hideSecrets(value, path.at(-1)), source: 'file', line: line(path), known };
  });
  const present = new Set(written.map(({ key }) => key));
  const defaults = Object.entries(keyDefaults())
    .filter(([key]) => !present.has(key))
    .map(([key, value]): ConfigValue => ({ key, value: value as JsonValue, source: 'default', known: true }));
  return inOrder([...written, ...defaults]);
}

/** By section as the schema has them; what is not known comes last. */
function inOrder(values: readonly ConfigValue[]): ConfigValue[] {
  const sections = [...new Set(listKeys().map(({ path }) => String(path[0])))];
  const rank = ({ key }: ConfigValue) => {
    const at = sections.indexOf(/^[^.[]+/.exec(key)?.[0] ?? '');
    return at < 0 ? sections.length : at;
  };
  return values.toSorted((a, b) => rank(a) - rank(b));
}

/** Mappings are opened, and so are lists of mappings; a list of plain values is one value. */
function leavesOf(path: KeyPath, value: unknown): [path: KeyPath, value: JsonValue][] {
  const entries: [string | number, unknown][] = isJsonObject(value)
    ? Object.entries(value)
    : Array.isArray(value) && value.some(isJsonObject)
      ? [...value.entries()]
      : [];
  if (entries.length === 0) return path.length === 0 || value === undefined ? [] : [[path, value as JsonValue]];
  return entries.flatMap(([part, inner]) => leavesOf([...path, part], inner));
}

/** A secret by its name or by its look. A reference to a variable is none. */
export function hideSecrets(value: JsonValue, name: string | number | undefined): JsonValue {
  if (typeof value === 'string') {
    if (/^\$\{\w+\}$/.test(value)) return value;
    return isSecretName(String(name)) ? maskSecret(value) : redactSecrets(value);
  }
  if (Array.isArray(value)) return value.map((entry) => hideSecrets(entry, name));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, hideSecrets(inner, key)]));
}

type FoundValue = { value: JsonValue; source: 'file' | 'default'; line?: number };

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
