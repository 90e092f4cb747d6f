import { isJsonObject, type JsonObject, type JsonValue } from '../base/index.ts';
import type { JsonSchema } from '../contracts/index.ts';
import { describeFindings, scanText } from '../scanning/index.ts';
import { cleanSurrogates, stripAnsi, takeStart } from '../util/index.ts';
import type { McpSession } from './session.ts';
import { createNameFilter } from './tool-names.ts';

const MAX_NAME_LENGTH = 200;
const MAX_DESCRIPTION_LENGTH = 2000;
const MAX_SCHEMA_LENGTH = 60_000;
const MAX_SCHEMA_DEPTH = 40;

/** The usable part of what a server provides. */
export type ServerCapabilities = {
  tools: ListedTool[];
  resources: boolean;
  prompts: boolean;
  /** Skipped tools with the reason; `unwanted` if the configuration excludes the tool. */
  leftOut: { name: string; reason: string; unwanted?: true }[];
};

export type ListOptions = {
  include: readonly string[] | undefined;
  exclude: readonly string[];
  resources: boolean;
  prompts: boolean;
  trusted: boolean;
  timeoutMs: number;
  signal?: AbortSignal | undefined;
};

const MAX_PAGES = 50;
const MAX_TOOLS = 500;

/** Fetches the tool list of a server page by page and validates each tool. */
export async function listTools(session: McpSession, options: ListOptions): Promise<ServerCapabilities> {
  const raw = session.capabilities.has('tools') ? await allPages(session, 'tools/list', 'tools', options) : [];
  const isWanted = createNameFilter(options.include, options.exclude);
  const tools = new Map<string, ListedTool>();
  const leftOut: ServerCapabilities['leftOut'] = [];
  for (const entry of raw) {
    const reading = await readTool(entry, options.trusted);
    if ('fault' in reading) leftOut.push({ name: reading.name, reason: reading.fault });
    else if (tools.has(reading.tool.original)) leftOut.push({ name: reading.tool.original, reason: 'listed twice' });
    else if (!isWanted(reading.tool.original))
      leftOut.push({ name: reading.tool.original, reason: 'excluded by the configuration', unwanted: true });
    else if (reading.tool.asTask && !session.supportsTasks)
      leftOut.push({
        name: reading.tool.original,
        reason: 'it runs only as a task, which this connection does not support',
      });
    else tools.set(reading.tool.original, reading.tool);
  }
  return {
    // Sorted, because the order of a server may vary and the request prefix should stay identical.
    tools: [...tools.values()].sort((a, b) => (a.original < b.original ? -1 : 1)),
    resources: options.resources && session.capabilities.has('resources'),
    prompts: options.prompts && session.capabilities.has('prompts'),
    leftOut,
  };
}

/** Stops at a page limit and at a repeated cursor, so an endless or circular list is truncated. */
async function allPages(
  session: McpSession,
  method: string,
  key: string,
  { timeoutMs, signal }: { timeoutMs: number; signal?: AbortSignal | undefined },
): Promise<JsonValue[]> {
  const found: JsonValue[] = [];
  const seen = new Set<string>();
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES && found.length < MAX_TOOLS; page += 1) {
    const answer = await session.request(method, cursor === undefined ? {} : { cursor }, { timeoutMs, signal });
    const entries = isJsonObject(answer) ? answer[key] : undefined;
    if (Array.isArray(entries)) for (const entry of entries) found.push(entry);
    const next = isJsonObject(answer) ? answer['nextCursor'] : undefined;
    if (typeof next !== 'string' || seen.has(next)) break;
    seen.add(next);
    cursor = next;
  }
  return found.slice(0, MAX_TOOLS);
}

/** A validated tool of a server. */
export type ListedTool = {
  /** The name that the server uses. */
  original: string;
  description: string;
  parameters: JsonSchema;
  /** `readOnly` and `destructive` are claimed by the server, not verified. */
  readOnly: boolean;
  destructive: boolean;
  /** The server runs this tool only as a task. */
  asTask?: true;
};

type ToolReading = { tool: ListedTool } | { name: string; fault: string };

/**
 * Validates one tool of a list. A server may send anything: an invalid schema, a description of a megabyte,
 * instructions for the model instead of a description. `trusted` allows such instructions.
 */
export async function readTool(raw: JsonValue, trusted: boolean): Promise<ToolReading> {
  const given = isJsonObject(raw) ? raw['name'] : undefined;
  if (!isJsonObject(raw) || typeof given !== 'string' || given === '') return { name: '?', fault: 'it has no name' };
  const name = takeStart(given, MAX_NAME_LENGTH);
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
    ...(needsTask(raw['execution']) && { asTask: true }),
  };
  const findings = trusted
    ? []
    : await scanText(`${name}\n\n${tool.description}\n\n${collectText(parameters)}`, 'context');
  if (findings.length === 0) return { tool };
  return { name, fault: `its description looks like a prompt injection: ${describeFindings(findings)}` };
}

function needsTask(execution: JsonValue | undefined): boolean {
  return isJsonObject(execution ?? null) && (execution as JsonObject)['taskSupport'] === 'required';
}

function readDescription(given: JsonValue | undefined): string {
  const text = typeof given === 'string' ? stripAnsi(cleanSurrogates(given)).trim() : '';
  return text.length <= MAX_DESCRIPTION_LENGTH ? text : `${takeStart(text, MAX_DESCRIPTION_LENGTH - 1)}…`;
}

/** The schema in a form that models accept, or the reason why it cannot be used. */
function readSchema(given: JsonValue | undefined): JsonSchema | string {
  if (given === undefined) return { type: 'object', properties: {} };
  if (!isJsonObject(given)) return 'its inputSchema is not an object';
  if (given['type'] !== undefined && given['type'] !== 'object') return 'its inputSchema does not have type "object"';
  if (depthOf(given) > MAX_SCHEMA_DEPTH) return `its inputSchema is nested more than ${MAX_SCHEMA_DEPTH} levels deep`;
  if (JSON.stringify(given).length > MAX_SCHEMA_LENGTH)
    return `its inputSchema is longer than ${MAX_SCHEMA_LENGTH} characters`;
  const { $schema: _, ...rest } = given;
  return cleanSchema({ ...rest, type: 'object' });
}

/** Anything that is not a schema where one is expected becomes a schema that accepts any value. */
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

/** The nesting depth of a value. Iterative, because deeply nested input would overflow the stack. */
function depthOf(value: JsonValue): number {
  let level: JsonValue[] = [value];
  for (let depth = 0; depth <= MAX_SCHEMA_DEPTH; depth += 1) {
    level = level.flatMap((item) => (typeof item === 'object' && item !== null ? Object.values(item) : []));
    if (level.length === 0) return depth;
  }
  return MAX_SCHEMA_DEPTH + 1;
}

/** All text in a schema that a model would read. */
function collectText(value: JsonValue): string {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null) return '';
  const inner = Array.isArray(value) ? value : Object.entries(value).flat();
  return inner
    .map(collectText)
    .filter((words) => words !== '')
    .join('\n');
}
