import * as z from 'zod/mini';
import { isJsonObject, type JsonObject, type JsonValue } from '../base/index.ts';
import type { JsonSchema } from '../contracts/index.ts';

export type ParameterSchema = z.ZodMiniObject;

/** The JSON Schema of a tool's parameters as it is sent to models, without noise, because every request pays for it. */
export function leanJsonSchema(parameters: ParameterSchema): JsonSchema {
  const full = z.toJSONSchema(parameters, { io: 'input' }) as JsonObject;
  return lean(full) as JsonSchema;
}

function lean(schema: JsonValue): JsonValue {
  if (Array.isArray(schema)) return schema.map(lean);
  if (!isJsonObject(schema)) return schema;
  const kept: JsonObject = {};
  for (const [key, value] of Object.entries(schema)) {
    if (isNoise(key, value, schema)) continue;
    // Keys of "properties" are parameter names, even if they look like keywords.
    if (key === 'properties' && isJsonObject(value)) kept[key] = mapValues(withoutHidden(value), lean);
    else kept[key] = key === 'default' || key === 'enum' || key === 'const' ? value : lean(value);
  }
  return kept;
}

/** Parameters with `z.meta({ hidden: true })` are accepted but not shown to models. */
function withoutHidden(properties: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(properties).filter(([, property]) => !(isJsonObject(property) && property['hidden'] === true)),
  );
}

function mapValues(object: JsonObject, change: (value: JsonValue) => JsonValue): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value)]));
}

/** Limits that calls rarely violate. They are reported only in validation errors. */
const OMITTED_LIMITS = ['minLength', 'maxLength', 'minItems'];

/**
 * Keywords that tell a model nothing: defaults that it would assume anyway (false, 0, the first enum value) and the
 * limits of safe integers.
 */
function isNoise(key: string, value: JsonValue, { enum: ways }: JsonObject): boolean {
  if (key === '$schema' || key === 'additionalProperties' || OMITTED_LIMITS.includes(key)) return true;
  if (key === 'default') return value === false || value === 0 || (Array.isArray(ways) && value === ways[0]);
  return (key === 'maximum' || key === 'minimum') && Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER;
}
