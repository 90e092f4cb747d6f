import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '../base/index.ts';
import type { JsonSchema, ToolDefinition } from '../contracts/index.ts';
import { shorten } from '../util/index.ts';
import { branchesOf, matchesSchema, propertiesOf, requiredOf, typesOf } from './schema-match.ts';
import type { ArgumentFault, ToolHandler } from './tool.ts';

/** Models otherwise assume that a rejected call had an effect. */
export const NOT_EXECUTED = 'The call was not executed.';

type CheckedArguments = { args: JsonObject } | { message: string };

/** Coerces arguments to a tool's schema, validates them and fills in defaults. */
export function checkArguments(
  { name, parameters: schema }: ToolDefinition,
  handler: ToolHandler,
  given: JsonObject,
): CheckedArguments {
  // Coerced with the JSON Schema that the model was shown, and validated with the tool's own schema.
  const coerced = coerce(given, schema) as JsonObject;
  const parsed = handler.parse(coerced);
  if ('args' in parsed) return parsed;
  // Only the first fault of each path is reported: it is about the type, and if the type is wrong, the other faults
  // are noise.
  const places = Map.groupBy(parsed.faults, ({ path }) => path.map(String).join('\0'));
  const faults = [...places.values()].flatMap((each) => each.slice(0, 1));
  const described = faults.map((fault) => describeFault(fault, coerced, schema));
  const names = Object.keys(propertiesOf(schema)).join(', ');
  const accepted = names === '' ? 'no parameters' : `these parameters: ${names}`;
  const known = faults.some(({ isUnknown }) => isUnknown) ? ` ${name} accepts ${accepted}.` : '';
  return { message: `Invalid arguments for ${name}: ${described.join('; ')}. ${NOT_EXECUTED}${known}` };
}

/** `limit: got "many" (string), expected integer`. */
function describeFault(
  { path: keys, limit = '', isUnknown = false }: ArgumentFault,
  args: JsonObject,
  schema: JsonSchema,
): string {
  const path = keys.map(String);
  if (isUnknown) return `${path.join('.')} is not a parameter`;
  const where = path.join('.') || 'arguments';
  const found = valueAt(path, args);
  const wanted = describeSchema(schemaAt(path, schema), limit);
  if (found === undefined) return `${where} is missing, expected ${wanted}`;
  return `${where}: got ${shorten(JSON.stringify(found), 60)} (${typeName(found)}), expected ${wanted}`;
}

/** Own properties only: a key such as `constructor` must not match an inherited property. */
function valueAt(path: readonly string[], value: JsonValue): JsonValue | undefined {
  let current: JsonValue | undefined = value;
  for (const key of path) {
    if (Array.isArray(current)) current = current[Number(key)];
    else if (isJsonObject(current) && Object.hasOwn(current, key)) current = current[key];
    else return undefined;
  }
  return current;
}

/** The schema at a path in the arguments, or the last one found on the way. */
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

/** The expected type in a few words. */
function describeSchema(schema: JsonSchema, limit = ''): string {
  const branches = branchesOf(schema);
  if (branches.length > 1) return branches.map((branch) => describeSchema(branch, limit)).join(' or ');
  if (Array.isArray(schema['enum'])) return `one of ${schema['enum'].map((item) => JSON.stringify(item)).join(', ')}`;
  return [typesOf(schema)[0] ?? 'a valid value', limit === '' ? limitsIn(schema) : limit].filter(Boolean).join(' ');
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

const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/**
 * Converts values to the type that the schema asks for if the meaning is clear: "42" → 42, "true" → true, a JSON string
 * → array or object, a scalar → a list of one. A value that already matches is never changed, and one that cannot be
 * converted is left to the validation that follows.
 */
export function coerce(value: JsonValue, schema: JsonSchema): JsonValue {
  if (matchesSchema(value, schema)) return value;
  for (const branch of branchesOf(schema)) {
    const changed = coerceTo(value, branch);
    if (matchesSchema(changed, branch)) return changed;
  }
  // No branch matches. A single branch is still converted as far as possible, so that only real faults are reported.
  const [only, ...others] = branchesOf(schema);
  return only && others.length === 0 ? coerceTo(value, only) : value;
}

/** Tries to convert a value to one type. The caller checks whether it worked. */
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
  // Beyond the safe integers, a number would lose digits.
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
    // Some models send every optional parameter, with null for those they do not want.
    if (item === null && !required.includes(key) && !matchesSchema(null, property)) return [];
    return [[key, coerce(item, property)]];
  });
  return Object.fromEntries(entries);
}

/** Parses text as JSON if the result has the wanted type; otherwise returns the text. */
function parsedAs(text: string, isWanted: (value: unknown) => boolean): JsonValue {
  const parsed = parseJson(text);
  return parsed !== undefined && isWanted(parsed) ? parsed : text;
}
