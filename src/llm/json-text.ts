import { canonicalJson, type JsonObject, type JsonValue, parseJson } from '../base/index.ts';
import { readJson } from '../util/index.ts';
import { asObject } from './json-access.ts';

const RAW = Symbol('raw JSON');

/**
 * JSON text that goes into a body as it is. Reading and writing it again would change numbers such as 1.0 or
 * 12345678901234567890, and with them the bytes that a provider has cached.
 */
export type RawJson = { readonly [RAW]: string };

/** What the writer takes: JSON, with raw text at any depth. Fields that are undefined are left out. */
export type WritableJson = JsonValue | RawJson | WritableJson[] | { [key: string]: WritableJson | undefined };

/** The parameters of a request, in the order in which they are written. */
export type BodyFields = { [parameter: string]: WritableJson | undefined };

export function rawJson(text: string): RawJson {
  return { [RAW]: text };
}

export function writeJson(value: WritableJson): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(writeJson).join(',')}]`;
  if (RAW in value) return value[RAW];
  // Added up, not joined: adding does not copy, and one of the fields is the whole history.
  let fields = '';
  for (const [key, field] of Object.entries(value)) {
    if (field === undefined) continue;
    fields += `${fields === '' ? '' : ','}${JSON.stringify(key)}:${writeJson(field)}`;
  }
  return `{${fields}}`;
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

/** A JSON array of parts that are already text; empty parts are left out. */
export function rawArray(parts: readonly string[]): RawJson {
  let text = '';
  for (const part of parts) {
    if (part !== '') text += text === '' ? part : `,${part}`;
  }
  return rawJson(`[${text}]`);
}
