import { isJsonObject, parseJson, type ToolCall, type ToolMessage } from '../base/index.ts';
import { readJson } from '../util/index.ts';
import { cleanStrings } from './clean-text.ts';
import { spaceJson, toSpacedJson, writeString } from './spaced-json.ts';

/** A tool call for training. A call through the tool bridge is stored as a call of its target. */
type PlainCall = { id: string; name: string; arguments: string; fault?: string };

/** More deeply nested JSON is stored as text, because parsers in other languages reject it. */
const MAX_NESTED = 200;
/** The tool bridge's tool for calling tools that are not offered. */
export const BRIDGE = 'tool_call';

/**
 * Name and arguments of a call; a call through the bridge becomes a call of its target. Invalid arguments become
 * `{}`.
 */
export function readCall({ id, name, arguments: text }: ToolCall): PlainCall {
  const given = readArguments(text);
  if (given === undefined)
    return { id, name, arguments: '{}', fault: `the arguments of ${name} are not a JSON object` };
  if (name !== BRIDGE) return { id, name, arguments: given };
  return { id, ...readBridged(given) };
}

/** The arguments as JSON: as written, or as they were repaired. */
function readArguments(text: string): string | undefined {
  if (text.trim() === '') return '{}';
  const reading = readJson(text);
  if (!('value' in reading)) return undefined;
  const { status, value } = reading;
  if (value === null) return '{}';
  // An object inside a string was encoded twice.
  if (typeof value === 'string') return isJsonObject(parseJson(value)) ? value : undefined;
  if (!isJsonObject(value)) return undefined;
  return status === 'valid' ? text : JSON.stringify(value);
}

function readBridged(given: string): Omit<PlainCall, 'id'> {
  const { name, arguments: inner = {} } = parseJson(given) as { name?: unknown; arguments?: unknown };
  const value = typeof inner === 'string' ? parseJson(inner) : inner;
  if (typeof name !== 'string' || !isJsonObject(value)) return { name: BRIDGE, arguments: given };
  return { name, arguments: JSON.stringify(value) };
}

export function writeCall({ name, arguments: given }: PlainCall, redact: boolean): string {
  const json = spaceJson(given, { change: cleanStrings(redact), betweenTags: true });
  return `<tool_call>\n{"name": ${toSpacedJson(name, { betweenTags: true })}, "arguments": ${json}}\n</tool_call>`;
}

/** JSON content is embedded as JSON, everything else as a string. */
export function writeResponse({ id, name }: PlainCall, content: string, redact: boolean): string {
  const betweenTags = { betweenTags: true };
  const change = cleanStrings(redact);
  const json = isEmbeddable(content)
    ? spaceJson(content, { change, ...betweenTags })
    : writeString(change(content, undefined), betweenTags);
  const head = `"tool_call_id": ${toSpacedJson(id, betweenTags)}, "name": ${toSpacedJson(name, betweenTags)}`;
  return `<tool_response>\n{${head}, "content": ${json}}\n</tool_response>`;
}

/** Whether the content of a result is embedded as JSON. */
export function isEmbeddable(content: string): boolean {
  return /^\s*[[{]/.test(content) && parseJson(content) !== undefined && depthOf(content) <= MAX_NESTED;
}

/**
 * An upper bound of the nesting depth. Brackets inside strings count too, so a result with many of them is stored as
 * text.
 */
function depthOf(json: string): number {
  let [depth, most] = [0, 0];
  for (let at = 0; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (code === 0x7b || code === 0x5b) most = Math.max(most, (depth += 1));
    else if (code === 0x7d || code === 0x5d) depth -= 1;
  }
  return most;
}

/** Assigns results to calls by id, otherwise by position; `left` are results without a call. */
export function matchResults(calls: readonly ToolCall[], results: readonly ToolMessage[]) {
  const left = [...results];
  const take = (index: number) => (index < 0 ? undefined : left.splice(index, 1)[0]);
  const byId = calls.map(({ id }) => take(left.findIndex(({ toolCallId }) => toolCallId === id)));
  const matched = byId.map((result, index) => {
    const inPlace = results[index];
    return result ?? (inPlace === undefined ? undefined : take(left.indexOf(inPlace)));
  });
  return { matched, left };
}
