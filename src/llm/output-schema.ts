import { isJsonObject, type JsonObject, type JsonValue } from '../base/index.ts';
import type { ModelRequest } from '../contracts/index.ts';

/** An answer schema in the format of OpenAI's APIs. */
export type OutputFormat = { name: string; schema: JsonObject; strict: boolean };

const NAME = 'answer';

/** Undefined if there is no schema or these APIs would reject it: the root must be an object. */
export function outputFormat({ outputSchema }: ModelRequest): OutputFormat | undefined {
  if (outputSchema?.['type'] !== 'object') return undefined;
  // `$schema` and `$id` describe the schema file, not the answer.
  const { $schema: _, $id: __, ...schema } = outputSchema;
  return { name: NAME, schema, strict: isStrict(schema) };
}

/** The keywords that strict mode supports; it rejects the request if there is any other. */
const STRICT_WORDS = new Set([
  'type',
  'enum',
  'const',
  'anyOf',
  '$ref',
  '$defs',
  'definitions',
  'items',
  'properties',
  'required',
  'additionalProperties',
  'description',
  'title',
  'pattern',
  'format',
  'multipleOf',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'minItems',
  'maxItems',
]);

/** Whether strict mode is possible: every object must be closed and every property required. */
function isStrict(schema: JsonValue | undefined): boolean {
  if (!isJsonObject(schema)) return false;
  if (Object.keys(schema).some((word) => !STRICT_WORDS.has(word))) return false;
  return isClosed(schema) && partsOf(schema).every(isStrict);
}

function isClosed(schema: JsonObject): boolean {
  const { properties, required } = schema;
  if (schema['type'] !== 'object' && properties === undefined) return true;
  if (schema['additionalProperties'] !== false || !isJsonObject(properties) || !Array.isArray(required)) return false;
  return Object.keys(properties).every((name) => required.includes(name));
}

function partsOf({ properties, $defs, definitions, items, anyOf }: JsonObject): JsonValue[] {
  const maps = [properties, $defs, definitions].flatMap((map) => (isJsonObject(map) ? Object.values(map) : []));
  return [...maps, ...(items === undefined ? [] : [items]), ...(Array.isArray(anyOf) ? anyOf : [])];
}
