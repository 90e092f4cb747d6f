import {
  canonicalJson,
  errorMessage,
  errorType,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type ToolCall,
} from '../base/index.ts';
import type { Logger, PreparedCall } from '../contracts/index.ts';
import { type JsonReading, readJson } from '../util/index.ts';
import { applyAliases, findAlias } from './aliases.ts';
import { isToolCall, readToolCall } from './bridge.ts';
import { checkArguments } from './check-arguments.ts';
import { findNearestToolName, findToolName } from './find-tool.ts';
import type { Tool, ToolHandler } from './tool.ts';

/** No tool takes lists in lists to such a depth, and code that follows them would run out of stack. */
const MAX_NESTING = 100;

/** What a call is looked up in. */
export type CallCompany = {
  /** All that can be called, whether the model was told of it or is to find it. */
  tools: ReadonlyMap<string, Tool>;
  /** Those that the model was told of: what it is told when it asks for something else. */
  offered: readonly string[];
  /** Why a tool cannot be used right now; undefined where it can. */
  reasonAgainst(tool: Tool): Promise<string | undefined>;
  logger: Logger;
};

/** Looks at a call's name and arguments. The call itself stays as it came: what was repaired is only for running. */
export async function prepareCall(call: ToolCall, company: CallCompany): Promise<PreparedCall> {
  try {
    return await look(call, company);
  } catch (thrown) {
    // Whatever a model writes, and whatever a tool makes of it, is an answer to the model and no end of the turn.
    const fault = `${errorType(thrown)}: ${errorMessage(thrown)}`;
    return { call, status: 'invalid', message: `The arguments could not be checked (${fault}). Nothing was run.` };
  }
}

async function look(call: ToolCall, company: CallCompany): Promise<PreparedCall> {
  const reading = readArguments(call.arguments);
  const args = 'value' in reading && isJsonObject(reading.value) ? reading.value : {};
  const match = matchTool(call.name, args, company.tools);
  if (match === undefined) return { call, status: 'unknown_tool', message: unknownTool(call.name, company) };
  const { tool } = match;
  if (reading.status === 'truncated' || reading.status === 'unparsable') {
    return { call, status: 'unparsable', truncated: reading.status === 'truncated', message: notJson(tool, reading) };
  }
  const fault = isJsonObject(reading.value) ? faultOf(reading.value) : 'must be one JSON object';
  if (fault !== undefined) return invalid(call, `The arguments of ${tool.name} ${fault}. Nothing was run.`);
  return isToolCall(tool) ? lookBeyond(call, match.args, company) : take(call, match, company);
}

/** The tool that a call through the bridge names takes its place. */
async function lookBeyond(call: ToolCall, given: JsonObject, company: CallCompany): Promise<PreparedCall> {
  const wanted = readToolCall(given);
  if (wanted === undefined) {
    return invalid(call, 'tool_call takes the name of a tool and its arguments as an object. Nothing was run.');
  }
  const inner = matchTool(wanted.name, wanted.given, company.tools);
  if (inner && !isToolCall(inner.tool)) return take(call, inner, company);
  return { call, status: 'unknown_tool', message: unknownTool(wanted.name, company) };
}

type MatchedCall = { tool: Tool; args: JsonObject };

/** The tool a name refers to: our own name, the name that another agent has for it, or a misspelling. */
function matchTool(name: string, args: JsonObject, tools: ReadonlyMap<string, Tool>): MatchedCall | undefined {
  const names = [...tools.keys()];
  const own = tools.get(findToolName(name, names) ?? '');
  if (own) return { tool: own, args };
  const alias = findAlias(name, args);
  const aliased = tools.get(alias?.tool ?? '');
  if (aliased) return { tool: aliased, args: { ...alias?.implied, ...args } };
  const nearest = tools.get(findNearestToolName(name, names) ?? '');
  return nearest && { tool: nearest, args };
}

/** The tool that is meant is known: is it there, can it be loaded, does it take these arguments? */
async function take(call: ToolCall, { tool, args }: MatchedCall, company: CallCompany): Promise<PreparedCall> {
  const against = await company.reasonAgainst(tool);
  if (against !== undefined) {
    return invalid(call, `${tool.name} cannot be used right now: ${against}. Nothing was run.`);
  }
  const handler = await load(tool, company.logger);
  if (handler === undefined) {
    return invalid(call, `${tool.name} is broken and could not be loaded. Nothing was run; go on without it.`);
  }
  const definition = await tool.definition();
  const checked = checkArguments(definition, handler, applyAliases(tool.name, definition.parameters, args));
  if ('message' in checked) return invalid(call, checked.message);
  return ready(call, tool, handler, checked.args);
}

/** A module that cannot be loaded costs its own calls and nothing else. */
async function load(tool: Tool, logger: Logger): Promise<ToolHandler | undefined> {
  try {
    return await tool.load();
  } catch (thrown) {
    logger.error('a tool could not be loaded', { tool: tool.name }, thrown);
    return undefined;
  }
}

function invalid(call: ToolCall, message: string): PreparedCall {
  return { call, status: 'invalid', message };
}

function faultOf(args: JsonObject): string | undefined {
  return isNestedTooDeeply(args) ? `are nested more than ${MAX_NESTING} levels deep` : undefined;
}

/** Level by level, because a function that calls itself is what this guards against. */
function isNestedTooDeeply(value: JsonValue): boolean {
  let level: JsonValue[] = [value];
  for (let depth = 0; depth <= MAX_NESTING; depth += 1) {
    level = level.flatMap((item) => (typeof item === 'object' && item !== null ? Object.values(item) : []));
    if (level.length === 0) return false;
  }
  return true;
}

/** The repeat key is made of the final arguments, so that two spellings of one call are the same. */
function ready(call: ToolCall, tool: Tool, handler: ToolHandler, args: JsonObject): PreparedCall {
  return {
    call,
    status: 'ready',
    toolName: tool.name,
    args,
    repeatKey: `${tool.name} ${handler.repeatKeyOf(args) ?? canonicalJson(args)}`,
    readOnly: tool.readOnly ?? false,
    freeIteration: tool.freeIteration ?? false,
  };
}

/** Nothing at all and `null` mean a call without arguments; an object in a string was encoded once too often. */
function readArguments(text: string): JsonReading {
  if (text.trim() === '') return { status: 'valid', value: {} };
  const reading = readJson(text);
  if (!('value' in reading)) return reading;
  if (reading.value === null) return { status: 'valid', value: {} };
  if (typeof reading.value !== 'string') return reading;
  const inner = readJson(reading.value);
  const value: JsonValue = 'value' in inner && isJsonObject(inner.value) ? inner.value : reading.value;
  return { status: reading.status, value };
}

/** The list is all a model needs to correct itself. */
function unknownTool(name: string, { tools, offered }: CallCompany): string {
  if (tools.size === 0) return `There is no tool ${JSON.stringify(name)}. There are no tools.`;
  const more = [...tools.keys()].some((each) => !offered.includes(each)) ? ' More are found with tool_search.' : '';
  return `There is no tool ${JSON.stringify(name)}. The tools are: ${offered.join(', ')}.${more}`;
}

/** What was wrong with it, and that nothing happened: otherwise a model may go on as if it had. */
function notJson(tool: Tool, reading: Exclude<JsonReading, { value: JsonValue }>): string {
  const fault =
    reading.status === 'truncated' ? 'they end in the middle' : `they are not valid JSON (${reading.reason})`;
  return `The arguments of ${tool.name} could not be read: ${fault}. Nothing was run; send the call again with complete, valid JSON.`;
}
