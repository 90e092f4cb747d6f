import { ConfigurationError, isJsonObject } from '../../base/index.ts';
import type { NewEntry } from '../edit-config.ts';
import { parse } from '../../util/yaml.ts';
import { showRejected } from '../show-rejected.ts';
import { type KnownKey, writeKeyText } from './schema-keys.ts';

export type NewValue = string | number | boolean | readonly NewEntry[];

const YES = ['true', 'yes', 'on'];
const NO = ['false', 'no', 'off'];

/** Converts text from the command line to the type of a key; throws if the key does not accept the value. */
export function readValue(key: KnownKey, text: string): NewValue {
  const name = writeKeyText(key.path);
  if (text.trim() === '') {
    throw new ConfigurationError(`An empty value would mean that ${name} is not set.`, {
      hint: `To unset it, run: hermes config unset ${name}`,
    });
  }
  const value = toType(key, text);
  const fault = value === undefined ? key.expected : key.findProblem(value);
  if (fault === undefined) return value as NewValue;
  throw new ConfigurationError(`${name} must be ${fault}${showRejected(key.path, text)}. Nothing was changed.`, {
    hint: hintFor(key, name),
  });
}

function toType(key: KnownKey, text: string): NewValue | undefined {
  const word = text.trim();
  switch (key.kind) {
    case 'text':
      return text;
    case 'choice':
      return word;
    case 'boolean':
      return YES.includes(word.toLowerCase()) ? true : NO.includes(word.toLowerCase()) ? false : undefined;
    case 'number':
      return /^[+-]?(?:\d[\d_]*)?\.?\d+(?:e[+-]?\d+)?$/i.test(word) ? Number(word.replaceAll('_', '')) : undefined;
    case 'list':
      return toList(word);
    case 'mapping':
      return undefined;
    case 'any':
      return toScalar(word);
  }
}

/** `[a, b]` as in YAML, or comma-separated names. */
function toList(text: string): readonly NewEntry[] | undefined {
  if (!text.startsWith('['))
    return text
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== '');
  const list = readYaml(text);
  return Array.isArray(list) && list.every(isEntry) ? list : undefined;
}

function isEntry(value: unknown): value is NewEntry {
  if (typeof value === 'string') return true;
  return isJsonObject(value) && Object.values(value).every((inner) => typeof inner === 'string');
}

function toScalar(text: string): NewValue | undefined {
  const value = readYaml(text);
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'string') return value;
  return Array.isArray(value) && value.every(isEntry) ? value : undefined;
}

function readYaml(text: string): unknown {
  try {
    return parse(text, { logLevel: 'error' });
  } catch {
    return undefined;
  }
}

function hintFor(key: KnownKey, name: string): string {
  if (key.kind === 'mapping') return 'Set one of the keys inside it, or run: hermes config edit';
  if (name === 'fallback_providers') return 'Add one with: hermes fallback add PROVIDER MODEL';
  if (key.kind === 'list') return `For example: hermes config set ${name} first,second`;
  return `\`hermes config explain ${name}\` describes the key.`;
}
