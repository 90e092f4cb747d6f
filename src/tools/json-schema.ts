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
    if (isNoise(key, value, schema)) continue;
    // The names below "properties" are the tool's own, even where they look like keywords.
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

/** Told with a fault, because hardly any call goes against them. */
const TOLD_LATE = ['minLength', 'maxLength', 'minItems'];

/**
 * What nobody would take otherwise says nothing: a switch is off, a count begins at none, the first of several ways is
 * taken, any safe integer is one.
 */
function isNoise(key: string, value: JsonValue, { enum: ways }: JsonObject): boolean {
  if (key === '$schema' || key === 'additionalProperties' || TOLD_LATE.includes(key)) return true;
  if (key === 'default') return value === false || value === 0 || (Array.isArray(ways) && value === ways[0]);
  return (key === 'maximum' || key === 'minimum') && Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER;
}
