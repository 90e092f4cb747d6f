import { isJsonObject, type JsonObject, type JsonValue } from '../base/index.ts';
import type { JsonSchema } from '../contracts/index.ts';

/** The types that a schema allows. */
export function typesOf(schema: JsonSchema): string[] {
  const { type } = schema;
  if (Array.isArray(type)) return type.map(String);
  return typeof type === 'string' ? [type] : [];
}

/** The alternatives of a schema: the branches of a union, or itself. */
export function branchesOf(schema: JsonSchema): JsonSchema[] {
  const union = schema['anyOf'] ?? schema['oneOf'];
  if (Array.isArray(union)) return union.filter(isJsonObject);
  const types = typesOf(schema);
  return types.length > 1 ? types.map((type) => ({ ...schema, type })) : [schema];
}

/** The schemas of an object's properties. */
export function propertiesOf(schema: JsonSchema): Record<string, JsonSchema> {
  const { properties } = schema;
  return isJsonObject(properties) ? (properties as Record<string, JsonSchema>) : {};
}

export function requiredOf(schema: JsonSchema): readonly string[] {
  const { required } = schema;
  return Array.isArray(required) ? required.filter((key) => typeof key === 'string') : [];
}

/**
 * Whether a value has the shape that a schema describes. Ranges and lengths are ignored, because no coercion changes
 * them.
 */
export function matchesSchema(value: JsonValue, schema: JsonSchema): boolean {
  const branches = branchesOf(schema);
  if (branches.length > 1) return branches.some((branch) => matchesSchema(value, branch));
  const [single = schema] = branches;
  if ('const' in single && single['const'] !== value) return false;
  if (Array.isArray(single['enum']) && !single['enum'].includes(value)) return false;
  const [type] = typesOf(single);
  return type === undefined || matchesType(value, type, single);
}

/** Checks one type, recursively for arrays and objects. */
function matchesType(value: JsonValue, type: string, schema: JsonSchema): boolean {
  switch (type) {
    case 'integer':
      return Number.isSafeInteger(value);
    case 'null':
      return value === null;
    case 'array': {
      const { items } = schema;
      return Array.isArray(value) && (!isJsonObject(items) || value.every((item) => matchesSchema(item, items)));
    }
    case 'object':
      return isJsonObject(value) && matchesObject(value, schema);
    default:
      return typeof value === type;
  }
}

/** Unknown keys are allowed; they are dropped later. */
function matchesObject(value: JsonObject, schema: JsonSchema): boolean {
  const properties = propertiesOf(schema);
  const complete = requiredOf(schema).every((key) => Object.hasOwn(value, key));
  return (
    complete &&
    Object.entries(value).every(([key, item]) => {
      const property = Object.hasOwn(properties, key) ? properties[key] : undefined;
      return property === undefined || matchesSchema(item, property);
    })
  );
}

/** The paths in an object that are missing or do not match the schema. */
export function findFaults(value: JsonObject, schema: JsonSchema): string[][] {
  const properties = propertiesOf(schema);
  const missing = requiredOf(schema).filter((key) => !Object.hasOwn(value, key));
  const wrong = Object.entries(value).filter(([key, item]) => {
    const property = Object.hasOwn(properties, key) ? properties[key] : undefined;
    return property !== undefined && !matchesSchema(item, property);
  });
  return [...missing, ...wrong.map(([key]) => key)].map((key) => [key]);
}
