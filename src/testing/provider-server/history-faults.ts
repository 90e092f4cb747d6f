import { isJsonObject, type JsonObject, type JsonValue } from '../../base/index.ts';
import type { ApiMode } from '../../contracts/index.ts';
import { WIRE_MODES } from './modes/index.ts';
import type { ReceivedMessage, ReceivedToolCall } from './wire.ts';

/**
 * The violations for which a strict provider would reject the history of a request, each as one line with its
 * position.
 */
export function findHistoryFaults(apiMode: ApiMode, body: JsonObject): string[] {
  const history = WIRE_MODES[apiMode].read(body);
  return [...history.faults, ...checkMessages(history.messages), ...findLoneSurrogates(body, '')];
}

/** Checks the history in one pass and keeps the ids of calls that have no result yet. */
function checkMessages(messages: readonly ReceivedMessage[]): string[] {
  const first = messages[0];
  if (first === undefined) return ['there are no messages'];
  const faults: string[] = [];
  if (first.role === 'assistant') faults.push(`${first.place}: the first message must be a user message`);
  let waiting: string[] = [];
  let previous: ReceivedMessage | undefined;
  for (const message of messages) {
    if (message.role === 'tool') {
      waiting = checkResult(message, waiting, faults);
    } else {
      reportUnanswered(waiting, message.place, faults);
      if (previous?.role === message.role) faults.push(`${message.place}: two ${message.role} messages in a row`);
      checkContent(message, faults);
      waiting = message.toolCalls.map((call) => call.id);
    }
    previous = message;
  }
  reportUnanswered(waiting, 'the end', faults);
  return faults;
}

/** Checks a tool result and returns the calls that still have no result. */
function checkResult(message: ReceivedMessage, waiting: string[], faults: string[]): string[] {
  const index = waiting.indexOf(message.toolCallId);
  if (index < 0) faults.push(`${message.place}: tool result for "${message.toolCallId}" without a tool call`);
  if (index > 0) faults.push(`${message.place}: tool result for "${message.toolCallId}" is not in call order`);
  return index < 0 ? waiting : waiting.toSpliced(index, 1);
}

function reportUnanswered(waiting: readonly string[], location: string, faults: string[]): void {
  for (const id of waiting) faults.push(`${location}: tool call "${id}" has no result before this`);
}

/** Reasoning alone counts as content here; the decoder of an API mode that rejects it reports that itself. */
function checkContent(message: ReceivedMessage, faults: string[]): void {
  const hasOther = message.toolCalls.length > 0 || message.reasoning !== '' || message.attachments.length > 0;
  if (message.text.trim() === '' && !hasOther) faults.push(`${message.place}: the message is empty`);
  const seen = new Set<string>();
  for (const call of message.toolCalls) {
    if (seen.has(call.id)) faults.push(`${message.place}: two tool calls have the id "${call.id}"`);
    seen.add(call.id);
    checkCall(call, message.place, faults);
  }
}

function checkCall(call: ReceivedToolCall, location: string, faults: string[]): void {
  if (call.id === '') faults.push(`${location}: a tool call has no id`);
  if (call.name === '') faults.push(`${location}: tool call "${call.id}" has no name`);
  if (!isObjectText(call.arguments)) {
    faults.push(`${location}: the arguments of tool call "${call.id}" are not a JSON object`);
  }
}

function isObjectText(text: string): boolean {
  try {
    return isJsonObject(JSON.parse(text));
  } catch {
    return false;
  }
}

/** JSON can contain a lone surrogate as an escape, and real services answer with an error that is hard to trace. */
function findLoneSurrogates(value: JsonValue, location: string): string[] {
  if (typeof value === 'string') return value.isWellFormed() ? [] : [`${location}: the text has half a surrogate pair`];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, child]) => [
    ...(key.isWellFormed() ? [] : [`${location}: a key has half a surrogate pair`]),
    ...findLoneSurrogates(child, location === '' ? key : `${location}.${key}`),
  ]);
}

const MAX_MARKS = 4;
const LIVES: readonly (JsonValue | undefined)[] = [undefined, '5m', '1h'];

/** The violations for which a provider rejects the cache markers of a request. */
export function findMarkFaults(body: JsonObject): string[] {
  const marked = findMarked(body, '');
  const faults = marked.length > MAX_MARKS ? [`${marked.length} blocks have cache_control, 4 at most are allowed`] : [];
  return [...faults, ...marked.flatMap(({ place, holder }) => faultsOf(place, holder))];
}

type Marked = { place: string; holder: JsonObject };

function findMarked(value: JsonValue, place: string): Marked[] {
  if (typeof value !== 'object' || value === null) return [];
  const inner = Object.entries(value).flatMap(([key, child]) =>
    findMarked(child, place === '' ? key : `${place}.${key}`),
  );
  return isJsonObject(value) && value.cache_control !== undefined ? [{ place, holder: value }, ...inner] : inner;
}

function faultsOf(location: string, holder: JsonObject): string[] {
  const { cache_control: marker, type, role } = holder;
  const faults: string[] = [];
  if (!isJsonObject(marker) || marker.type !== 'ephemeral' || !LIVES.includes(marker.ttl)) {
    faults.push(`${location}.cache_control: not a cache mark`);
  }
  if (type === 'thinking' || type === 'redacted_thinking')
    faults.push(`${location}: thinking cannot carry a cache mark`);
  // Some services hang if the message itself carries the marker instead of one of its parts.
  if (role !== undefined) faults.push(`${location}: a cache mark belongs on a part of the content`);
  if (type === 'text' && (holder.text === '' || holder.text === undefined))
    faults.push(`${location}: empty text has a mark`);
  return faults;
}
