import { isJsonObject, type JsonObject, type JsonValue } from '../base/index.ts';
import type { JsonSchema, ToolDefinition } from '../contracts/index.ts';
import { shorten } from '../util/index.ts';
import { coerce } from './coerce.ts';
import { branchesOf, propertiesOf, typesOf } from './schema-match.ts';
import type { ArgumentFault, ToolHandler } from './tool.ts';

export type CheckedArguments = { args: JsonObject } | { message: string };

/** Coerces arguments to a tool's schema and checks them; defaults are put in. */
export function checkArguments(
  { name, parameters: schema }: ToolDefinition,
  handler: ToolHandler,
  given: JsonObject,
): CheckedArguments {
  // Coerced by the JSON Schema, because that is what the model was shown; checked by the real one.
  const coerced = coerce(given, schema) as JsonObject;
  const parsed = handler.parse(coerced);
  if ('args' in parsed) return parsed;
  // The first of a place is its type; what a value of another type passes besides says nothing.
  const places = Map.groupBy(parsed.faults, ({ path }) => path.map(String).join('\0'));
  const faults = [...places.values()].flatMap((each) => each.slice(0, 1));
  const described = faults.map((fault) => describeFault(fault, coerced, schema));
  return { message: `Wrong arguments for ${name}: ${described.join('; ')}. Nothing was run.` };
}

/** `limit: got "many" (string), wants integer`. */
function describeFault({ path: keys, limit = '' }: ArgumentFault, args: JsonObject, schema: JsonSchema): string {
  const path = keys.map(String);
  const where = path.join('.') || 'arguments';
  const found = valueAt(path, args);
  const wanted = describeSchema(schemaAt(path, schema), limit);
  if (found === undefined) return `${where} is missing, wants ${wanted}`;
  return `${where}: got ${shorten(JSON.stringify(found), 60)} (${typeName(found)}), wants ${wanted}`;
}

/** Own properties only: a key such as `constructor` must not find what every object has. */
function valueAt(path: readonly string[], value: JsonValue): JsonValue | undefined {
  let current: JsonValue | undefined = value;
  for (const key of path) {
    if (Array.isArray(current)) current = current[Number(key)];
    else if (isJsonObject(current) && Object.hasOwn(current, key)) current = current[key];
    else return undefined;
  }
  return current;
}

/** The schema for a place in the arguments; where the way ends early, the last one on it. */
function schemaAt(path: readonly string[], schema: JsonSchema): JsonSchema {
  let current = schema;
  for (const key of path) {
    const { items } = current;
    const next = propertiesOf(current)[key] ?? (isJsonObject(items) ? items : undefined);
    if (!next) break;
    current = next;
  }
  return current;
}

/** What is wanted, in a few words that a model can act on. */
function describeSchema(schema: JsonSchema, limit = ''): string {
  const branches = branchesOf(schema);
  if (branches.length > 1) return branches.map((branch) => describeSchema(branch, limit)).join(' or ');
  if (Array.isArray(schema['enum'])) return `one of ${schema['enum'].map((item) => JSON.stringify(item)).join(', ')}`;
  return [typesOf(schema)[0] ?? 'another value', limit === '' ? limitsIn(schema) : limit].filter(Boolean).join(' ');
}

function limitsIn({ minimum, maximum, minLength, maxItems }: JsonSchema): string {
  return [
    minimum !== undefined && `of at least ${JSON.stringify(minimum)}`,
    maximum !== undefined && `of at most ${JSON.stringify(maximum)}`,
    minLength !== undefined && 'that is not empty',
    maxItems !== undefined && `of at most ${JSON.stringify(maxItems)} items`,
  ]
    .filter(Boolean)
    .join(' ');
}

function typeName(value: JsonValue): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}
