import { canonicalJson, type JsonObject, type JsonValue, parseJson } from '../base/index.ts';
import { readJson } from '../util/index.ts';
import { asObject } from './json-access.ts';

const RAW = Symbol('raw JSON');

/**
 * JSON text that is copied into a body unchanged. Parsing and serialising it would change numbers such as 1.0 or
 * 12345678901234567890, and with them the bytes that a provider has cached.
 */
export type RawJson = { readonly [RAW]: readonly string[] };

/** JSON that may contain raw text at any depth. Undefined fields are omitted. */
export type WritableJson = JsonValue | RawJson | WritableJson[] | { [key: string]: WritableJson | undefined };

/** The parameters of a request, in the order in which they are written. */
export type BodyFields = { [parameter: string]: WritableJson | undefined };

export function rawJson(text: string): RawJson {
  return { [RAW]: [text] };
}

/** Serialises a value. Values without raw text go to JSON.stringify, which is faster. */
export function writeJson(value: WritableJson): string {
  if (!containsRaw(value)) return JSON.stringify(value);
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

function containsRaw(value: WritableJson | undefined): value is Nested {
  if (typeof value !== 'object' || value === null) return false;
  return isRaw(value) || (Array.isArray(value) ? value : Object.values(value)).some(containsRaw);
}

function isRaw(value: object): value is RawJson {
  return RAW in value;
}

/**
 * The stored arguments of a tool call, byte for byte if they are a JSON object. Repaired arguments are sent as they
 * were run, in canonical form; unreadable ones are sent as `{}`.
 */
export function sendableArguments(stored: string): string {
  const value = parseJson(stored);
  if (asObject(value) !== undefined) return stored;
  const repaired = objectIn(value ?? valueIn(stored));
  return repaired === undefined ? '{}' : canonicalJson(repaired);
}

/** An object, or an object that was serialised twice and is therefore a string. */
function objectIn(value: JsonValue | undefined): JsonObject | undefined {
  return asObject(typeof value === 'string' ? valueIn(value) : value);
}

function valueIn(text: string): JsonValue | undefined {
  const reading = readJson(text);
  return 'value' in reading ? reading.value : undefined;
}

/** Caches the encoded text of immutable objects, so that a long history is encoded once and not with every request. */
export type TextCache = <Source extends object>(source: Source, write: (source: Source) => string) => string;

/** Creates a text cache; `textOf` reads it without encoding. */
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

/** A JSON array of encoded elements; empty ones are omitted. */
export function rawArray(elements: readonly string[]): RawJson {
  const parts: string[] = [];
  // By index, because an iterator allocates an object for each element, and this runs over the whole history.
  for (let index = 0; index < elements.length; index += 1) {
    const element = elements[index] as string;
    if (element !== '') parts.push(parts.length === 0 ? '[' : ',', element);
  }
  if (parts.length === 0) parts.push('[');
  parts.push(']');
  return { [RAW]: parts };
}

/**
 * Merges fields of the user into a body, at any depth. They come first, because the history is the last field. Raw
 * text is the history and the tools, which are never replaced.
 */
export function mergeFields(fields: BodyFields, extra: JsonObject): BodyFields {
  const added = Object.entries(extra).filter(([name]) => !Object.hasOwn(fields, name) || fields[name] === undefined);
  const merged = Object.entries(fields).map(([name, field]): [string, BodyFields[string]] => [
    name,
    Object.hasOwn(extra, name) ? mergeField(field, extra[name] as JsonValue) : field,
  ]);
  return Object.fromEntries([...added, ...merged.filter(([, field]) => field !== undefined)]);
}

function mergeField(field: WritableJson | undefined, extra: JsonValue): WritableJson | undefined {
  if (typeof field !== 'object' || field === null) return field === undefined ? undefined : extra;
  if (isRaw(field)) return field;
  const inner = asObject(extra);
  return Array.isArray(field) || inner === undefined ? extra : mergeFields(field, inner);
}

/** Writes a body in parts: one field is the whole history, and a single string would copy it. */
export function writeBody(fields: BodyFields): string[] {
  let parts = ['{'];
  for (const [key, field] of Object.entries(fields)) {
    if (field === undefined) continue;
    parts.push(`${parts.length === 1 ? '' : ','}${JSON.stringify(key)}:`);
    if (typeof field === 'object' && field !== null && isRaw(field)) parts = parts.concat(field[RAW]);
    else parts.push(writeJson(field));
  }
  parts.push('}');
  return parts;
}
