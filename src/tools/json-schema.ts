import * as z from 'zod/mini';
import { isJsonObject, type JsonObject, type JsonValue } from '../base/index.ts';
import type { JsonSchema } from '../contracts/index.ts';

export type ParameterSchema = z.ZodMiniObject;

/** The JSON Schema of a tool's parameters as models get it: every word of it is paid for with each call. */
export function leanJsonSchema(parameters: ParameterSchema): JsonSchema {
  const full = z.toJSONSchema(parameters, { io: 'input' }) as JsonObject;
  return lean(full) as JsonSchema;
}

function lean(schema: JsonValue): JsonValue {
  if (Array.isArray(schema)) return schema.map(lean);
  if (!isJsonObject(schema)) return schema;
  const kept: JsonObject = {};
  for (const [key, value] of Object.entries(schema)) {
    // The names below "properties" are the tool's own, even where they look like keywords.
    if (key === 'properties' && isJsonObject(value)) kept[key] = mapValues(value, lean);
    else if (key === 'default' || key === 'enum' || key === 'const') kept[key] = value;
    else if (!isNoise(key, value)) kept[key] = lean(value);
  }
  return kept;
}

function mapValues(object: JsonObject, change: (value: JsonValue) => JsonValue): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value)]));
}

/** Limits that every safe integer keeps say nothing. */
function isNoise(key: string, value: JsonValue): boolean {
  if (key === '$schema' || key === 'additionalProperties') return true;
  return (key === 'maximum' || key === 'minimum') && Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER;
}
