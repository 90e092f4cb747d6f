import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '../base/index.ts';
import type { JsonSchema } from '../contracts/index.ts';
import { branchesOf, matchesSchema, propertiesOf, requiredOf, typesOf } from './schema-match.ts';

const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/**
 * Turns what a model wrote into what the schema asks for where the meaning is plain: "42" → 42, "true" → true, a JSON
 * string → array or object, a scalar → a list of one. A value that already fits is never changed; one that cannot be
 * helped stays as it is, for the check that follows.
 */
export function coerce(value: JsonValue, schema: JsonSchema): JsonValue {
  if (matchesSchema(value, schema)) return value;
  for (const branch of branchesOf(schema)) {
    const changed = coerceTo(value, branch);
    if (matchesSchema(changed, branch)) return changed;
  }
  // No branch was reached in full, but the parts that can be helped still are, so that only real faults are reported.
  const [only, ...others] = branchesOf(schema);
  return only && others.length === 0 ? coerceTo(value, only) : value;
}

/** One step towards a type; whether it got there is for the caller to see. */
function coerceTo(value: JsonValue, schema: JsonSchema): JsonValue {
  const [type] = typesOf(schema);
  switch (type) {
    case 'integer':
    case 'number':
      return toNumber(value);
    case 'boolean':
      return toBoolean(value);
    case 'null':
      return value === 'null' ? null : value;
    case 'string':
      return typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
    case 'array':
      return toArray(value, schema);
    case 'object':
      return toObject(value, schema);
    default:
      return value;
  }
}

function toNumber(value: JsonValue): JsonValue {
  if (typeof value !== 'string') return value;
  const text = value.trim();
  const number = Number(text);
  // Digits that a number cannot hold would come out as other digits.
  return JSON_NUMBER.test(text) && Number.isFinite(number) && (Number.isSafeInteger(number) || !/^-?\d+$/.test(text))
    ? number
    : value;
}

function toBoolean(value: JsonValue): JsonValue {
  if (typeof value !== 'string') return value;
  const text = value.trim().toLowerCase();
  return text === 'true' || text === 'false' ? text === 'true' : value;
}

function toArray(value: JsonValue, schema: JsonSchema): JsonValue {
  const items = isJsonObject(schema['items']) ? schema['items'] : {};
  const parsed = typeof value === 'string' ? parsedAs(value, Array.isArray) : value;
  if (Array.isArray(parsed)) return parsed.map((item) => coerce(item, items));
  if (value === null) return value;
  return [coerce(value, items)];
}

function toObject(value: JsonValue, schema: JsonSchema): JsonValue {
  const parsed = typeof value === 'string' ? parsedAs(value, isJsonObject) : value;
  return isJsonObject(parsed) ? coerceProperties(parsed, schema) : value;
}

function coerceProperties(value: JsonObject, schema: JsonSchema): JsonObject {
  const properties = propertiesOf(schema);
  const required = requiredOf(schema);
  const entries = Object.entries(value).flatMap(([key, item]): [string, JsonValue][] => {
    const property = Object.hasOwn(properties, key) ? properties[key] : undefined;
    if (property === undefined) return [[key, item]];
    // Some models send every optional parameter, and null for those they do not mean.
    if (item === null && !required.includes(key) && !matchesSchema(null, property)) return [];
    return [[key, coerce(item, property)]];
  });
  return Object.fromEntries(entries);
}

/** Text that only looks like JSON stays text. */
function parsedAs(text: string, isWanted: (value: unknown) => boolean): JsonValue {
  const parsed = parseJson(text);
  return parsed !== undefined && isWanted(parsed) ? parsed : text;
}
