import { canonicalJson, type JsonObject, type JsonValue, parseJson } from '../base/index.ts';
import { readJson } from '../util/index.ts';
import { asObject } from './json-access.ts';

const RAW = Symbol('raw JSON');

/**
 * JSON text that goes into a body as it is. Reading and writing it again would change numbers such as 1.0 or
 * 12345678901234567890, and with them the bytes that a provider has cached.
 */
export type RawJson = { readonly [RAW]: readonly string[] };

/** What the writer takes: JSON, with raw text at any depth. Fields that are undefined are left out. */
export type WritableJson = JsonValue | RawJson | WritableJson[] | { [key: string]: WritableJson | undefined };

/** The parameters of a request, in the order in which they are written. */
export type BodyFields = { [parameter: string]: WritableJson | undefined };

export function rawJson(text: string): RawJson {
  return { [RAW]: [text] };
}

/** JSON text. A value without raw text is written by the engine at once, which is faster than putting it together here. */
export function writeJson(value: WritableJson): string {
  if (!holdsRaw(value)) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(writeJson).join(',')}]`;
  if (isRaw(value)) return value[RAW].join('');
  let fields = '';
  for (const [key, field] of Object.entries(value)) {
    if (field === undefined) continue;
    fields += `${fields === '' ? '' : ','}${JSON.stringify(key)}:${writeJson(field)}`;
  }
  return `{${fields}}`;
}

type Nested = Exclude<WritableJson, JsonValue> | WritableJson[] | JsonObject;

function holdsRaw(value: WritableJson | undefined): value is Nested {
  if (typeof value !== 'object' || value === null) return false;
  return isRaw(value) || (Array.isArray(value) ? value : Object.values(value)).some(holdsRaw);
}

function isRaw(value: object): value is RawJson {
  return RAW in value;
}

/**
 * The stored arguments of a tool call, byte for byte, where they are a JSON object. Those that ran after a repair go
 * back as what was run, in the one form that is always the same; what nobody could read goes back as `{}`.
 */
export function sendableArguments(stored: string): string {
  const value = parseJson(stored);
  if (asObject(value) !== undefined) return stored;
  const repaired = objectIn(value ?? valueIn(stored));
  return repaired === undefined ? '{}' : canonicalJson(repaired);
}

/** An object, also one in a string, which was encoded once too often. */
function objectIn(value: JsonValue | undefined): JsonObject | undefined {
  return asObject(typeof value === 'string' ? valueIn(value) : value);
}

function valueIn(text: string): JsonValue | undefined {
  const reading = readJson(text);
  return 'value' in reading ? reading.value : undefined;
}

/** Remembers the text of what never changes: a long history is written once, not once per request. */
export type TextCache = <Source extends object>(source: Source, write: (source: Source) => string) => string;

/** The cache, and a look at what it remembers. */
export function createTextCache(): { remember: TextCache; textOf(source: object): string | undefined } {
  const texts = new WeakMap<object, string>();
  return {
    textOf: (source) => texts.get(source),
    remember(source, write) {
      const known = texts.get(source);
      if (known !== undefined) return known;
      const text = write(source);
      texts.set(source, text);
      return text;
    },
  };
}

/** A JSON array of elements that are already text; empty ones are left out. */
export function rawArray(elements: readonly string[]): RawJson {
  const parts: string[] = [];
  for (const element of elements) if (element !== '') parts.push(parts.length === 0 ? '[' : ',', element);
  if (parts.length === 0) parts.push('[');
  parts.push(']');
  return { [RAW]: parts };
}

/** The text of a body in parts: one of the fields is the whole history, and a single string would copy all of it. */
export function writeBody(fields: BodyFields): string[] {
  const parts = ['{'];
  for (const [key, field] of Object.entries(fields)) {
    if (field === undefined) continue;
    parts.push(`${parts.length === 1 ? '' : ','}${JSON.stringify(key)}:`);
    if (typeof field === 'object' && field !== null && isRaw(field)) for (const part of field[RAW]) parts.push(part);
    else parts.push(writeJson(field));
  }
  parts.push('}');
  return parts;
}
