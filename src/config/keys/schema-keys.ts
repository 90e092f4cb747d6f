import * as z from 'zod/mini';
import { ConfigurationError } from '../../base/index.ts';
import { nearestNames } from '../../util/index.ts';
import { allSections } from '../schema.ts';

export type KeyPath = readonly (string | number)[];
type Schema = z.core.$ZodType;
type Definition = z.core.$ZodTypes['_zod']['def'];

/** The type of a key, for converting text to it. `any` follows the rules of YAML. */
export type KeyKind = 'text' | 'number' | 'boolean' | 'choice' | 'list' | 'mapping' | 'any';

export type KnownKey = {
  path: KeyPath;
  kind: KeyKind;
  /** What the value must be, phrased to end a sentence. */
  expected: string;
  /** The allowed values, if `kind` is `choice`. */
  choices: readonly string[];
  /** What is wrong with a value; undefined if it is valid. */
  findProblem(value: unknown): string | undefined;
};

/** The keys with fixed names, such as `agent.max_turns`, in schema order. */
export function listKeys(sections: Sections = allSections()): KnownKey[] {
  return Object.entries(sections).flatMap(([name, schema]) => leavesOf([name], schema));
}

/** The key at a path, including keys inside lists and mappings with user-chosen names; undefined if it is unknown. */
export function findKey(path: KeyPath, sections: Sections = allSections()): KnownKey | undefined {
  const [section, ...rest] = path;
  let schema = ownValue(sections, String(section));
  for (const part of rest) schema = schema && childOf(schema, part);
  return schema && describeSchema(path, schema);
}

/** Schemas by section. Building them takes milliseconds, so callers that look up many keys build them once. */
export type Sections = ReturnType<typeof allSections>;

/** The names that the schema defines below a path; undefined if any name is allowed. */
export function namesBelow(path: KeyPath, sections: Sections = allSections()): readonly string[] | undefined {
  let schema: Schema | undefined;
  for (const [depth, part] of path.entries())
    schema = depth === 0 ? ownValue(sections, part) : schema && childOf(schema, part);
  if (path.length === 0) return Object.keys(sections);
  const { def } = unwrap(schema);
  return def?.type === 'object' ? Object.keys(def.shape) : undefined;
}

function leavesOf(path: KeyPath, schema: Schema): KnownKey[] {
  const { def } = unwrap(schema);
  if (def?.type !== 'object') return [describeSchema(path, schema)];
  return Object.entries(def.shape).flatMap(([name, inner]) => leavesOf([...path, name], inner));
}

/** The schemas inside a mapping or a list of mappings, each with the suffix of its key; empty for plain values. */
export function innerOf(schema: Schema): (readonly [name: string, schema: Schema])[] {
  const { def } = unwrap(schema);
  switch (def?.type) {
    case 'object':
      return Object.entries(def.shape).map(([name, inner]) => [`.${name}`, inner]);
    case 'record':
      return unwrap(def.valueType).def?.type === 'unknown' ? [] : [['.NAME', def.valueType]];
    case 'array':
      return innerOf(def.element).map(([name, inner]) => [`[]${name}`, inner]);
    default:
      return [];
  }
}

function childOf(schema: Schema, part: string | number): Schema | undefined {
  const { def } = unwrap(schema);
  switch (def?.type) {
    case 'object':
      return ownValue(def.shape, part);
    case 'record':
      return def.valueType;
    case 'array':
      return typeof part === 'number' ? def.element : undefined;
    case 'unknown':
      return schema;
    default:
      return undefined;
  }
}

export function describeSchema(path: KeyPath, schema: Schema): KnownKey {
  const { def, inner } = unwrap(schema);
  const faultOf = (value: unknown) => z.safeParse(inner, value).error?.issues[0]?.message;
  return {
    path,
    kind: def === undefined ? 'any' : (KINDS[def.type] ?? 'any'),
    // No schema accepts a symbol, so the error message says what is expected.
    expected: faultOf(Symbol('nothing')) ?? 'any value',
    choices: def?.type === 'enum' ? Object.values(def.entries).map(String) : [],
    findProblem: faultOf,
  };
}

const KINDS: Partial<Record<string, KeyKind>> = {
  string: 'text',
  number: 'number',
  int: 'number',
  boolean: 'boolean',
  enum: 'choice',
  array: 'list',
  object: 'mapping',
  record: 'mapping',
};

/** Ignores inherited names such as `toString`. */
function ownValue(values: Readonly<Record<string, Schema>>, name: string | number): Schema | undefined {
  return Object.hasOwn(values, name) ? values[name] : undefined;
}

/** Removes the wrappers for optional values and for conversions. */
function unwrap(schema: Schema | undefined): { def: Definition | undefined; inner: Schema } {
  let current = schema as z.core.$ZodTypes | undefined;
  for (;;) {
    const def = current?._zod.def;
    if (def?.type === 'optional') current = def.innerType as z.core.$ZodTypes;
    else if (def?.type === 'pipe') current = def.out as z.core.$ZodTypes;
    else return { def, inner: current as Schema };
  }
}

/** A quoted part, a number in brackets, or a plain part up to the next dot or bracket. */
const PART = /\.?"([^"]+)"|\[(\d+)\]|\.?([^.[\]"]+)/y;

/** Parses a key such as `fallback_providers[0].model` or `model_overrides."gpt-4.1".context_length`. */
export function readKeyText(text: string): KeyPath {
  const path: (string | number)[] = [];
  if (/^["[.]/.test(text)) throw notAKey(text);
  PART.lastIndex = 0;
  while (PART.lastIndex < text.length) {
    const [, quoted, index, plain] = PART.exec(text) ?? [];
    const part = quoted ?? plain;
    if (index !== undefined) path.push(Number(index));
    else if (part !== undefined) path.push(part);
    else throw notAKey(text);
  }
  if (path.length === 0) throw notAKey(text);
  return path;
}

/** The inverse of `readKeyText`. */
export function writeKeyText(path: readonly PropertyKey[]): string {
  return path
    .map((part) => {
      if (typeof part === 'number') return `[${part}]`;
      const name = String(part);
      return /^[^.[\]"]+$/.test(name) ? `.${name}` : `."${name}"`;
    })
    .join('')
    .replace(/^\./, '');
}

function notAKey(text: string): ConfigurationError {
  return new ConfigurationError(`"${text}" is not a valid key.`, {
    hint: 'Write it like agent.max_turns, fallback_providers[0].model or model_overrides."gpt-4.1".context_length.',
  });
}

const MAX_SUGGESTIONS = 3;

/** Suggests known keys for an unknown one: the same name in another section, or a similar spelling. */
export function suggestKeys(
  path: KeyPath,
  sections: Sections = allSections(),
  keys: readonly KeyPath[] = listKeys(sections).map((key) => key.path),
): string[] {
  const last = String(path.at(-1));
  const elsewhere = keys.filter((key) => key.at(-1) === last && key.length < 3).map(writeKeyText);
  const siblings = namesBelow(path.slice(0, -1), sections) ?? [];
  const near = nearestNames(last, siblings, 2).map((name) => writeKeyText([...path.slice(0, -1), name]));
  const anywhere = nearestNames(writeKeyText(path), keys.filter((key) => key.length < 3).map(writeKeyText), 2);
  const found = elsewhere.length > 0 || near.length > 0 ? [...elsewhere, ...near] : anywhere;
  return [...new Set(found)].slice(0, MAX_SUGGESTIONS);
}
