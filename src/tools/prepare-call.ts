import {
  canonicalJson,
  errorMessage,
  errorType,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type ToolCall,
} from '../base/index.ts';
import type { PreparedCall } from '../contracts/index.ts';
import { type JsonReading, readJson } from '../util/index.ts';
import { checkArguments } from './check-arguments.ts';
import type { Tool } from './define-tool.ts';
import { findToolName } from './find-tool.ts';

/** No tool takes lists in lists to such a depth, and code that follows them would run out of stack. */
const MAX_NESTING = 100;

/** Looks at a call's name and arguments. The call itself stays as it came: what was repaired is only for running. */
export function prepareCall(call: ToolCall, tools: ReadonlyMap<string, Tool>): PreparedCall {
  try {
    return look(call, tools);
  } catch (thrown) {
    // Whatever a model writes, and whatever a tool makes of it, is an answer to the model and no end of the turn.
    const fault = `${errorType(thrown)}: ${errorMessage(thrown)}`;
    return { call, status: 'invalid', message: `The arguments could not be checked (${fault}). Nothing was run.` };
  }
}

function look(call: ToolCall, tools: ReadonlyMap<string, Tool>): PreparedCall {
  const name = findToolName(call.name, [...tools.keys()]);
  const tool = name === undefined ? undefined : tools.get(name);
  if (!tool) return { call, status: 'unknown_tool', message: unknownTool(call.name, tools) };
  const reading = readArguments(call.arguments);
  if (reading.status === 'truncated' || reading.status === 'unparsable') {
    return { call, status: 'unparsable', truncated: reading.status === 'truncated', message: notJson(tool, reading) };
  }
  const invalid = (fault: string): PreparedCall => {
    return { call, status: 'invalid', message: `The arguments of ${tool.name} ${fault}. Nothing was run.` };
  };
  if (!isJsonObject(reading.value)) return invalid('must be one JSON object');
  if (isNestedTooDeeply(reading.value)) return invalid(`are nested more than ${MAX_NESTING} levels deep`);
  const checked = checkArguments(tool, reading.value);
  if ('message' in checked) return { call, status: 'invalid', message: checked.message };
  return ready(call, tool, checked.args);
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
function ready(call: ToolCall, tool: Tool, args: JsonObject): PreparedCall {
  return {
    call,
    status: 'ready',
    toolName: tool.name,
    args,
    repeatKey: `${tool.name} ${tool.repeatKeyOf(args) ?? canonicalJson(args)}`,
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
function unknownTool(name: string, tools: ReadonlyMap<string, Tool>): string {
  const known = [...tools.keys()].join(', ');
  return `There is no tool ${JSON.stringify(name)}. ${known === '' ? 'There are no tools.' : `The tools are: ${known}.`}`;
}

/** What was wrong with it, and that nothing happened: otherwise a model may go on as if it had. */
function notJson(tool: Tool, reading: Exclude<JsonReading, { value: JsonValue }>): string {
  const fault =
    reading.status === 'truncated' ? 'they end in the middle' : `they are not valid JSON (${reading.reason})`;
  return `The arguments of ${tool.name} could not be read: ${fault}. Nothing was run; send the call again with complete, valid JSON.`;
}
