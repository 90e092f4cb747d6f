import { canonicalJson, isJsonObject, type JsonObject, type JsonValue, type ToolCall } from '../base/index.ts';
import type { PreparedCall } from '../contracts/index.ts';
import { type JsonReading, readJson } from '../util/index.ts';
import { checkArguments } from './check-arguments.ts';
import type { Tool } from './define-tool.ts';
import { findToolName } from './find-tool.ts';

/** Looks at a call's name and arguments. The call itself stays as it came: what was repaired is only for running. */
export function prepareCall(call: ToolCall, tools: ReadonlyMap<string, Tool>): PreparedCall {
  const name = findToolName(call.name, [...tools.keys()]);
  const tool = name === undefined ? undefined : tools.get(name);
  if (!tool) return { call, status: 'unknown_tool', message: unknownTool(call.name, tools) };
  const reading = readArguments(call.arguments);
  if (reading.status === 'truncated' || reading.status === 'unparsable') {
    return { call, status: 'unparsable', truncated: reading.status === 'truncated', message: notJson(tool, reading) };
  }
  if (!isJsonObject(reading.value)) {
    return {
      call,
      status: 'invalid',
      message: `The arguments of ${tool.name} must be one JSON object. Nothing was run.`,
    };
  }
  const checked = checkArguments(tool, reading.value);
  if ('message' in checked) return { call, status: 'invalid', message: checked.message };
  return ready(call, tool, checked.args);
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
