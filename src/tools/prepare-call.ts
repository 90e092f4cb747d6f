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
import { FIND_NAMES, isToolCall, readToolCall } from './bridge.ts';
import { checkArguments, NOT_EXECUTED } from './check-arguments.ts';
import { findNearestToolName, findToolName } from './find-tool.ts';
import type { Tool, ToolHandler } from './tool.ts';

/** Maximum nesting depth of arguments. No tool needs more, and recursive code would overflow the stack. */
const MAX_NESTING = 100;

/** What a call is resolved against. */
export type ToolLookup = {
  /** All callable tools, offered or behind the bridge. */
  tools: ReadonlyMap<string, Tool>;
  /** Names of the offered tools, listed in the error for an unknown tool. */
  offered: readonly string[];
  /** Offered tools that no longer exist, each with its tool set: their definitions stay in the request. */
  missing: ReadonlyMap<string, string>;
  /** Why a tool cannot be used now; undefined if it can. */
  unavailableReason(tool: Tool): Promise<string | undefined>;
  logger: Logger;
};

/**
 * Resolves the tool of a call and validates its arguments. The call itself is not changed; repairs apply only to what
 * runs.
 */
export async function prepareCall(call: ToolCall, lookup: ToolLookup): Promise<PreparedCall> {
  try {
    return await resolveCall(call, lookup);
  } catch (thrown) {
    // Any exception here is reported to the model and must not end the turn.
    const fault = `${errorType(thrown)}: ${errorMessage(thrown)}`;
    return { call, status: 'invalid', message: `The arguments could not be validated (${fault}). ${NOT_EXECUTED}` };
  }
}

async function resolveCall(call: ToolCall, lookup: ToolLookup): Promise<PreparedCall> {
  const reading = readArguments(call.arguments);
  const args = 'value' in reading && isJsonObject(reading.value) ? reading.value : {};
  const missing = lookup.missing.get(call.name);
  if (missing !== undefined) return invalid(call, missingToolMessage(call.name, missing, lookup));
  const match = matchTool(call.name, args, lookup.tools);
  if (match === undefined) return { call, status: 'unknown_tool', message: unknownToolMessage(call.name, lookup) };
  const { tool } = match;
  if (reading.status === 'truncated' || reading.status === 'unparsable') {
    return {
      call,
      status: 'unparsable',
      truncated: reading.status === 'truncated',
      message: invalidJsonMessage(tool, reading),
    };
  }
  const fault = isJsonObject(reading.value) ? argumentsProblem(reading.value) : 'must be one JSON object';
  if (fault !== undefined) return invalid(call, `The arguments of ${tool.name} ${fault}. ${NOT_EXECUTED}`);
  return isToolCall(tool) ? resolveBridgedCall(call, match.args, lookup) : validateCall(call, match, lookup);
}

/** Replaces a `tool_call` with the tool that it names. */
async function resolveBridgedCall(call: ToolCall, given: JsonObject, lookup: ToolLookup): Promise<PreparedCall> {
  const wanted = readToolCall(given);
  if (wanted === undefined) {
    return invalid(call, `tool_call requires name, and arguments must be an object (default {}). ${NOT_EXECUTED}`);
  }
  const inner = matchTool(wanted.name, wanted.given, lookup.tools);
  if (inner && !isToolCall(inner.tool)) return validateCall(call, inner, lookup);
  return { call, status: 'unknown_tool', message: `Unknown tool ${JSON.stringify(wanted.name)}. ${FIND_NAMES}` };
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

/** Checks availability, loads the tool and validates the arguments. */
async function validateCall(call: ToolCall, { tool, args }: MatchedCall, lookup: ToolLookup): Promise<PreparedCall> {
  const against = await lookup.unavailableReason(tool);
  if (against !== undefined) {
    return invalid(call, `${tool.name} is not available: ${against}. ${NOT_EXECUTED}`);
  }
  const handler = await load(tool, lookup.logger);
  if (handler === undefined) {
    return invalid(call, `${tool.name} could not be loaded. ${NOT_EXECUTED} Continue without it.`);
  }
  const definition = await tool.definition();
  const checked = checkArguments(definition, handler, applyAliases(tool.name, definition.parameters, args));
  if ('message' in checked) return invalid(call, checked.message);
  return readyCall(call, tool, handler, checked.args);
}

/** A module that cannot be loaded fails only its own calls. */
async function load(tool: Tool, logger: Logger): Promise<ToolHandler | undefined> {
  try {
    return await tool.load();
  } catch (thrown) {
    logger.error('could not load a tool', { tool: tool.name }, thrown);
    return undefined;
  }
}

function invalid(call: ToolCall, message: string): PreparedCall {
  return { call, status: 'invalid', message };
}

function argumentsProblem(args: JsonObject): string | undefined {
  return isNestedTooDeeply(args) ? `are nested more than ${MAX_NESTING} levels deep` : undefined;
}

/** Iterative, because recursion is what this protects against. */
function isNestedTooDeeply(value: JsonValue): boolean {
  let level: JsonValue[] = [value];
  for (let depth = 0; depth <= MAX_NESTING; depth += 1) {
    level = level.flatMap((item) => (typeof item === 'object' && item !== null ? Object.values(item) : []));
    if (level.length === 0) return false;
  }
  return true;
}

/** The repeat key uses the validated arguments, so that different spellings of one call are equal. */
function readyCall(call: ToolCall, tool: Tool, handler: ToolHandler, args: JsonObject): PreparedCall {
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

/** Empty text and `null` mean no arguments. An object inside a string was encoded twice. */
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

/** Lists the available tools, so that the model can correct itself. */
function unknownToolMessage(name: string, { tools, offered }: ToolLookup): string {
  if (tools.size === 0) return `Unknown tool ${JSON.stringify(name)}. No tools are available.`;
  return `Unknown tool ${JSON.stringify(name)}. Available tools: ${offered.join(', ')}.${moreTools({ tools, offered })}`;
}

function moreTools({ tools, offered }: Pick<ToolLookup, 'tools' | 'offered'>): string {
  return [...tools.keys()].some((each) => !offered.includes(each)) ? ' Find more tools with tool_search.' : '';
}

/** Says what the user can do about it, because the model cannot do anything. */
function missingToolMessage(name: string, toolset: string, lookup: ToolLookup): string {
  const reason = missingReason(toolset, lookup);
  return `${name} is not available: ${reason}. ${NOT_EXECUTED} Continue without it, or tell the user.${moreTools(lookup)}`;
}

function missingReason(toolset: string, { tools }: ToolLookup): string {
  if (toolset === '') return 'it is disabled in this session';
  const [, kind, source] = /^(mcp|plugin)-(.+)$/.exec(toolset) ?? [];
  if (kind === undefined) return 'it no longer exists';
  const isKnown = [...tools.values()].some((tool) => tool.toolset === toolset);
  if (kind === 'mcp') {
    return isKnown ? `the MCP server ${source} no longer has it` : `the MCP server ${source} is not connected`;
  }
  return isKnown ? `the plugin ${source} no longer has it` : `the plugin ${source} is not loaded`;
}

/** States that nothing was run, because a model may otherwise assume that the call succeeded. */
function invalidJsonMessage(tool: Tool, reading: Exclude<JsonReading, { value: JsonValue }>): string {
  const fault = reading.status === 'truncated' ? 'the JSON is truncated' : `invalid JSON (${reading.reason})`;
  return `The arguments of ${tool.name} could not be parsed: ${fault}. ${NOT_EXECUTED} Repeat the call with complete, valid JSON.`;
}
