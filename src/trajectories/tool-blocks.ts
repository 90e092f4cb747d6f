import { isJsonObject, parseJson, type ToolCall, type ToolMessage } from '../base/index.ts';
import { readJson } from '../util/index.ts';
import { cleanStrings } from './clean-text.ts';
import { spaceJson, toSpacedJson, writeString } from './spaced-json.ts';

/** A call as training sees it: what was meant, not the way it took. */
type PlainCall = { id: string; name: string; arguments: string; fault?: string };

/** Lists in lists beyond this are kept as text: readers in other languages give up on them. */
const MAX_NESTED = 200;
/** The tool through which those are called that the model was not told of. */
export const BRIDGE = 'tool_call';

/** Name and arguments; a call through the bridge becomes one of the tool it names. Bad arguments become none. */
export function readCall({ id, name, arguments: text }: ToolCall): PlainCall {
  const given = readArguments(text);
  if (given === undefined) return { id, name, arguments: '{}', fault: `the arguments of ${name} are no JSON object` };
  if (name !== BRIDGE) return { id, name, arguments: given };
  return { id, ...readBridged(given) };
}

/** The arguments as JSON: as they were written, or as they were repaired to run. */
function readArguments(text: string): string | undefined {
  if (text.trim() === '') return '{}';
  const reading = readJson(text);
  if (!('value' in reading)) return undefined;
  const { status, value } = reading;
  if (value === null) return '{}';
  // An object in a string was encoded once too often.
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

/** Content that is JSON is put in as such, everything else as one string. */
export function writeResponse({ id, name }: PlainCall, content: string, redact: boolean): string {
  const betweenTags = { betweenTags: true };
  const change = cleanStrings(redact);
  const json = isEmbeddable(content)
    ? spaceJson(content, { change, ...betweenTags })
    : writeString(change(content, undefined), betweenTags);
  const head = `"tool_call_id": ${toSpacedJson(id, betweenTags)}, "name": ${toSpacedJson(name, betweenTags)}`;
  return `<tool_response>\n{${head}, "content": ${json}}\n</tool_response>`;
}

/** Whether the content of a result is JSON that is put in as such. */
export function isEmbeddable(content: string): boolean {
  return /^\s*[[{]/.test(content) && parseJson(content) !== undefined && depthOf(content) <= MAX_NESTED;
}

/** At most: brackets in strings count too, which only keeps a strange result as text. */
function depthOf(json: string): number {
  let [depth, most] = [0, 0];
  for (let at = 0; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (code === 0x7b || code === 0x5b) most = Math.max(most, (depth += 1));
    else if (code === 0x7d || code === 0x5d) depth -= 1;
  }
  return most;
}

/** The result of each call, by its id, else by its place; what fits no call is left over. */
export function matchResults(calls: readonly ToolCall[], results: readonly ToolMessage[]) {
  const left = [...results];
  const take = (index: number) => (index < 0 ? undefined : left.splice(index, 1)[0]);
  const byId = calls.map(({ id }) => take(left.findIndex(({ toolCallId }) => toolCallId === id)));
  const matched = byId.map((result, place) => {
    const inPlace = results[place];
    return result ?? (inPlace === undefined ? undefined : take(left.indexOf(inPlace)));
  });
  return { matched, left };
}
