import { isJsonObject, type JsonObject, type JsonValue } from '../base/index.ts';
import type { JsonSchema } from '../contracts/index.ts';
import { matchesSchema, propertiesOf, requiredOf } from './schema-match.ts';

/**
 * Adds the default of each missing property that is required and has one. Schema generators such as Zod list a property
 * with a default as required, but a model omits it.
 */
export function fillDefaults(value: JsonObject, schema: JsonSchema): JsonObject {
  const properties = propertiesOf(schema);
  const filled = Object.entries(value).map(
    ([key, item]) => [key, fillItem(item, ownProperty(properties, key))] as const,
  );
  const added = requiredOf(schema).flatMap((key) => {
    const property = ownProperty(properties, key);
    const fallback = property?.['default'];
    if (property === undefined || fallback === undefined || !isMissing(value, key, property)) return [];
    return matchesSchema(fallback, property) ? [[key, structuredClone(fallback)] as const] : [];
  });
  const isSame = added.length === 0 && filled.every(([key, item]) => item === value[key]);
  return isSame ? value : Object.fromEntries([...filled, ...added]);
}

/** Some models send `null` for a parameter that they do not want to set. */
function isMissing(value: JsonObject, key: string, property: JsonSchema): boolean {
  return !Object.hasOwn(value, key) || (value[key] === null && !matchesSchema(null, property));
}

function fillItem(item: JsonValue, schema: JsonSchema | undefined): JsonValue {
  if (schema === undefined) return item;
  if (isJsonObject(item)) return fillDefaults(item, schema);
  const { items } = schema;
  if (!Array.isArray(item) || !isJsonObject(items ?? null)) return item;
  const filled = item.map((each) => fillItem(each, items as JsonSchema));
  return filled.every((each, index) => each === item[index]) ? item : filled;
}

function ownProperty(properties: Record<string, JsonSchema>, key: string): JsonSchema | undefined {
  const found = Object.hasOwn(properties, key) ? properties[key] : undefined;
  return isJsonObject(found ?? null) ? found : undefined;
}
