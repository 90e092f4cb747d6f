import { canonicalJson, isJsonObject, type JsonObject, type JsonValue } from '../base/index.ts';
import type { JsonSchema } from '../contracts/index.ts';

/**
 * Whether a tool with the parameters `now` accepts every call that was valid for `before`. Descriptions do not matter.
 * What cannot be compared must be equal, so a wrong answer only costs a cache miss.
 */
export function acceptsCallsFor(now: JsonSchema, before: JsonSchema): boolean {
  if (canonicalJson(withoutWords(now)) === canonicalJson(withoutWords(before))) return true;
  if (!hasTypes(typesOf(now), typesOf(before)) || !hasValues(now['enum'], before['enum'])) return false;
  if (!areEqual(restOf(now), restOf(before))) return false;
  return acceptsProperties(now, before) && acceptsPart(now['items'], before['items']);
}

/** Keywords that are compared one by one. */
const COMPARED = new Set(['type', 'enum', 'properties', 'required', 'items']);
/** Keywords that do not decide which calls are valid. */
const WORDS = new Set(['description', 'title', 'examples', 'default', '$schema']);

function acceptsProperties(now: JsonObject, before: JsonObject): boolean {
  const [known, sent] = [objectOf(now['properties']), objectOf(before['properties'])];
  const required = [now['required'], before['required']].map((names) => (Array.isArray(names) ? names : []));
  if (!required[0]?.every((name) => required[1]?.includes(name))) return false;
  return Object.entries(sent).every(([name, part]) => name in known && acceptsPart(known[name], part));
}

function acceptsPart(now: JsonValue | undefined, before: JsonValue | undefined): boolean {
  if (isJsonObject(now) && isJsonObject(before)) return acceptsCallsFor(now, before);
  return areEqual(now, before);
}

function typesOf({ type }: JsonObject): JsonValue[] | undefined {
  return type === undefined ? undefined : Array.isArray(type) ? type : [type];
}

function hasTypes(now: JsonValue[] | undefined, before: JsonValue[] | undefined): boolean {
  return now === undefined || (before?.every((type) => now.includes(type)) ?? false);
}

function hasValues(now: JsonValue | undefined, before: JsonValue | undefined): boolean {
  if (now === undefined) return true;
  return Array.isArray(now) && Array.isArray(before) && before.every((value) => now.includes(value));
}

function restOf(schema: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(schema).filter(([key]) => !COMPARED.has(key) && !WORDS.has(key)));
}

function withoutWords(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(withoutWords);
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).filter(([key, part]) => !(WORDS.has(key) && typeof part !== 'object'));
  return Object.fromEntries(entries.map(([key, part]) => [key, withoutWords(part)]));
}

function objectOf(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

function areEqual(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  return canonicalJson(a ?? null) === canonicalJson(b ?? null);
}
