import type { JsonObject, JsonValue } from '../../base/index.ts';

/** The version of the format; it changes when a field is removed or changes its meaning. */
const JSON_LINES_VERSION = 1;

/** A record before its keys are converted. */
export type LineRecord = { type: string; [field: string]: unknown };

/** A record in the format of docs/json-lines.schema.json, in which all surfaces write the events of a turn. */
export function toJsonLine(record: LineRecord): JsonObject {
  // Like JSON, without the fields that are undefined.
  const plain = JSON.parse(JSON.stringify(record)) as JsonObject;
  return { v: JSON_LINES_VERSION, ...(toSnakeCase(plain) as JsonObject) };
}

/** Converts all keys to snake case, as in the configuration: `session_id`. */
export function toSnakeCase(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(toSnakeCase);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, inner]) => [
    key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    toSnakeCase(inner),
  ]);
  return Object.fromEntries(entries) as JsonValue;
}
