import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Validator } from '@cfworker/json-schema';
import { isJsonObject, type JsonValue } from '../../src/base/index.ts';

const FILE = join(import.meta.dirname, '../../docs/json-lines.schema.json');

/**
 * The documented schema of JSON lines. Readers ignore unknown fields, but these tests reject fields that are not
 * documented.
 */
export function readLineSchema(): { types: string[]; faultsOf(line: Record<string, unknown>): string[] } {
  const schema = JSON.parse(readFileSync(FILE, 'utf8')) as Record<string, JsonValue>;
  const definitions = close(schema['$defs'] as JsonValue) as Record<string, JsonValue>;
  const types = (schema['oneOf'] as { $ref: string }[]).map(({ $ref }) => $ref.replace('#/$defs/', ''));
  return {
    types,
    faultsOf(line) {
      const type = String(line['type']);
      if (!types.includes(type)) return [`the type ${type} is not documented`];
      const one = { $ref: `#/$defs/${type}`, $defs: definitions };
      const { errors } = new Validator(one, '2020-12', false).validate(line);
      return errors.map(({ instanceLocation, error }) => `${type} ${instanceLocation}: ${error}`);
    },
  };
}

/** The same schema without additional properties. */
function close(schema: JsonValue): JsonValue {
  if (Array.isArray(schema)) return schema.map(close);
  if (!isJsonObject(schema)) return schema;
  const inner = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, close(value)]));
  return isJsonObject(schema['properties']) ? { ...inner, additionalProperties: false } : inner;
}
