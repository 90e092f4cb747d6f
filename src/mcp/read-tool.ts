import { isJsonObject, type JsonObject, type JsonValue } from '../base/index.ts';
import type { JsonSchema } from '../contracts/index.ts';
import { describeFindings, scanText } from '../scanning/index.ts';
import { cleanSurrogates, stripAnsi, takeStart } from '../util/index.ts';

/** A tool as a server describes it, after a look at all of it. */
export type ListedTool = {
  /** As the server knows it. */
  original: string;
  description: string;
  parameters: JsonSchema;
  /** What it says of itself; nobody has checked it. */
  readOnly: boolean;
  destructive: boolean;
};

export type ToolReading = { tool: ListedTool } | { name: string; fault: string };

const LONGEST_NAME = 200;
const LONGEST_DESCRIPTION = 2000;
const LONGEST_SCHEMA = 60_000;
const DEEPEST_SCHEMA = 40;

/**
 * Takes one tool of a list, or says why not. A server may write anything: a schema that is none, a description of a
 * megabyte, words that are meant for the model and not about the tool. `trusted` lets such words through.
 */
export async function readTool(raw: JsonValue, trusted: boolean): Promise<ToolReading> {
  const given = isJsonObject(raw) ? raw['name'] : undefined;
  if (!isJsonObject(raw) || typeof given !== 'string' || given === '') return { name: '?', fault: 'it has no name' };
  const name = takeStart(given, LONGEST_NAME);
  if (name !== given) return { name, fault: 'its name is too long' };
  const parameters = readSchema(raw['inputSchema']);
  if (typeof parameters === 'string') return { name, fault: parameters };
  const annotations = isJsonObject(raw['annotations']) ? raw['annotations'] : {};
  const tool: ListedTool = {
    original: name,
    description: readDescription(raw['description'] ?? raw['title']),
    parameters,
    readOnly: annotations['readOnlyHint'] === true,
    destructive: annotations['readOnlyHint'] !== true && annotations['destructiveHint'] === true,
  };
  const findings = trusted ? [] : await scanText(`${name}\n\n${tool.description}\n\n${wordsOf(parameters)}`, 'context');
  if (findings.length === 0) return { tool };
  return { name, fault: `its description looks like an attack: ${describeFindings(findings)}` };
}

function readDescription(given: JsonValue | undefined): string {
  const text = typeof given === 'string' ? stripAnsi(cleanSurrogates(given)).trim() : '';
  return text.length <= LONGEST_DESCRIPTION ? text : `${takeStart(text, LONGEST_DESCRIPTION - 1)}…`;
}

/** The schema as models can be given it; a text says why not. */
function readSchema(given: JsonValue | undefined): JsonSchema | string {
  if (given === undefined) return { type: 'object', properties: {} };
  if (!isJsonObject(given)) return 'its inputSchema is no object';
  if (given['type'] !== undefined && given['type'] !== 'object') return 'its inputSchema is not that of an object';
  if (depthOf(given) > DEEPEST_SCHEMA) return `its inputSchema is nested more than ${DEEPEST_SCHEMA} levels deep`;
  if (JSON.stringify(given).length > LONGEST_SCHEMA)
    return `its inputSchema has more than ${LONGEST_SCHEMA} characters`;
  const { $schema: _, ...rest } = given;
  return cleanSchema({ ...rest, type: 'object' });
}

/** Where a schema is expected and something else stands, anything will do. */
function cleanSchema(schema: JsonObject): JsonSchema {
  const { properties, items, required, ...others } = schema;
  const isObject = schema['type'] === 'object' || properties !== undefined;
  return {
    ...others,
    ...(isObject && { properties: cleanProperties(properties) }),
    ...(Array.isArray(required) && { required: required.filter((name) => typeof name === 'string') }),
    ...(items !== undefined && { items: isJsonObject(items) ? cleanSchema(items) : items }),
  };
}

function cleanProperties(properties: JsonValue | undefined): JsonObject {
  if (!isJsonObject(properties)) return {};
  const entries = Object.entries(properties).filter(([name]) => name !== '__proto__');
  return Object.fromEntries(entries.map(([name, inner]) => [name, isJsonObject(inner) ? cleanSchema(inner) : {}]));
}

/** Level by level, because a function that calls itself is what this guards against. */
function depthOf(value: JsonValue): number {
  let level: JsonValue[] = [value];
  for (let depth = 0; depth <= DEEPEST_SCHEMA; depth += 1) {
    level = level.flatMap((item) => (typeof item === 'object' && item !== null ? Object.values(item) : []));
    if (level.length === 0) return depth;
  }
  return DEEPEST_SCHEMA + 1;
}

/** All that a model would read in a schema. */
function wordsOf(value: JsonValue): string {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null) return '';
  const inner = Array.isArray(value) ? value : Object.entries(value).flat();
  return inner
    .map(wordsOf)
    .filter((words) => words !== '')
    .join('\n');
}
