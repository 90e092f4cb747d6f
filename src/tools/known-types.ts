import { isJsonObject, type JsonObject, type JsonValue } from '../base/index.ts';

const TYPES: readonly unknown[] = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'];

/** Keywords whose value is a schema or a list of schemas. */
const SCHEMA_KEYWORDS = [
  'items',
  'prefixItems',
  'additionalItems',
  'unevaluatedItems',
  'contains',
  'additionalProperties',
  'unevaluatedProperties',
  'propertyNames',
  'anyOf',
  'oneOf',
  'allOf',
  'not',
  'if',
  'then',
  'else',
];
const SCHEMA_MAP_KEYWORDS = ['properties', 'patternProperties', 'dependentSchemas', '$defs', 'definitions'];

type KnownTypes = {
  schema: JsonObject;
  /** The removed types and their positions: `"file" at /properties/a/type`. */
  unknown: string[];
};

/**
 * Removes types that JSON Schema does not have; any value is allowed there. Returns the same object if there are
 * none.
 */
export function removeUnknownTypes(schema: JsonObject): KnownTypes {
  const unknown: string[] = [];
  const kept = clean(schema, '', unknown);
  return { schema: unknown.length === 0 ? schema : kept, unknown };
}

function clean(schema: JsonObject, location: string, unknown: string[]): JsonObject {
  const entries = Object.entries(schema).flatMap(([key, value]): [string, JsonValue][] => {
    const here = `${location}/${key}`;
    if (key === 'type' && !isType(value)) {
      unknown.push(`${JSON.stringify(value)} at ${here}`);
      return [];
    }
    if (SCHEMA_KEYWORDS.includes(key)) return [[key, cleanInner(value, here, unknown)]];
    return [[key, SCHEMA_MAP_KEYWORDS.includes(key) && isJsonObject(value) ? cleanEach(value, here, unknown) : value]];
  });
  return Object.fromEntries(entries);
}

/** A list of types is valid only if each of them is. */
function isType(value: JsonValue): boolean {
  return Array.isArray(value) ? value.every((name) => TYPES.includes(name)) : TYPES.includes(value);
}

function cleanInner(value: JsonValue, location: string, unknown: string[]): JsonValue {
  if (Array.isArray(value)) return value.map((item, index) => cleanInner(item, `${location}/${index}`, unknown));
  return isJsonObject(value) ? clean(value, location, unknown) : value;
}

function cleanEach(schemas: JsonObject, location: string, unknown: string[]): JsonObject {
  return Object.fromEntries(
    Object.entries(schemas).map(([name, value]) => [name, cleanInner(value, `${location}/${name}`, unknown)]),
  );
}
