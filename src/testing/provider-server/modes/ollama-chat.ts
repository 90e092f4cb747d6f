import { isJsonObject, type JsonObject, type JsonValue } from '../../../base/index.ts';
import { chunkText, type PlannedReply } from '../../reply.ts';
import type {
  ReceivedAttachment,
  ReceivedHistory,
  ReceivedMessage,
  ReceivedToolCall,
  WireContext,
  WireEvent,
  WireStream,
} from '../wire.ts';
import { asObjects, asText, newMessage, readBareImage, readChatForm } from './read-parts.ts';

/** Like chat completions, except that content is always text and arguments are always objects. */
export function readOllama(body: JsonObject): ReceivedHistory {
  return readChatForm(body, readMessage);
}

function readMessage(message: JsonObject, location: string, history: ReceivedHistory): void {
  const role = asText(message.role);
  if (typeof message.content !== 'string') history.faults.push(`${location}.content: must be a text`);
  const text = asText(message.content);
  if (role === 'system') {
    if (history.messages.length > 0) history.faults.push(`${location}: a system message must come first`);
    history.system += history.system === '' ? text : `\n\n${text}`;
  } else if (role === 'user') {
    history.messages.push({
      ...newMessage(location, 'user', text),
      attachments: readImages(message, location, history),
    });
  } else if (role === 'assistant') {
    const calls = asObjects(message.tool_calls).map(readCall);
    history.messages.push({
      ...newMessage(location, 'assistant', text),
      reasoning: asText(message.thinking),
      toolCalls: calls,
    });
  } else if (role === 'tool') {
    history.messages.push(readResult(message, location, text));
  } else {
    history.faults.push(`${location}: unknown role "${role}"`);
  }
}

function readImages({ images }: JsonObject, location: string, { faults }: ReceivedHistory): ReceivedAttachment[] {
  if (images === undefined) return [];
  if (!Array.isArray(images)) faults.push(`${location}.images: must be a list`);
  const list = Array.isArray(images) ? images : [];
  return list.map((image, index) => readBareImage(image, `${location}.images.${index}`, faults));
}

function readResult(message: JsonObject, location: string, text: string): ReceivedMessage {
  return { ...newMessage(location, 'tool', text), toolCallId: asText(message.tool_call_id) };
}

/** Arguments that are not an object are passed on, so that the history check reports them. */
function readCall(call: JsonObject): ReceivedToolCall {
  const { name, arguments: args } = isJsonObject(call.function) ? call.function : {};
  return { id: asText(call.id), name: asText(name), arguments: isJsonObject(args) ? JSON.stringify(args) : '' };
}

/** The complete message and the usage in one object. */
export function encodeOllamaWhole(reply: PlannedReply, context: WireContext): JsonObject {
  const message: JsonObject = { role: 'assistant', content: reply.text };
  if (reply.reasoning !== '') message.thinking = reply.reasoning;
  if (reply.toolCalls.length > 0) message.tool_calls = encodeCalls(reply);
  return { ...envelope(context), message, ...encodeEnd(reply) };
}

/** One line per chunk; calls are always complete, and the last line has only the usage. */
export function encodeOllamaStream(reply: PlannedReply, context: WireContext): WireStream {
  const line = (message: JsonObject, more: JsonObject = { done: false }): WireEvent => ({
    data: { ...envelope(context), message: { role: 'assistant', content: '', ...message }, ...more },
  });
  const pieces = (text: string) => chunkText(text, reply.chunkSize);
  return {
    content: [
      ...pieces(reply.reasoning).map((thinking) => line({ thinking })),
      ...pieces(reply.text).map((content) => line({ content })),
      ...encodeCalls(reply).map((call) => line({ tool_calls: [call] })),
    ],
    finish: [line({}, encodeEnd(reply))],
  };
}

function encodeCalls(reply: PlannedReply): JsonObject[] {
  return reply.toolCalls.map(({ id, name, arguments: text }, index) => ({
    id,
    function: { index, name, arguments: objectOr(text) },
  }));
}

/** Arguments are objects here; invalid ones are sent unchanged, for tests of that case. */
function objectOr(text: string): JsonValue {
  try {
    const value = JSON.parse(text) as JsonValue;
    return isJsonObject(value) ? value : text;
  } catch {
    return text;
  }
}

function envelope(context: WireContext): JsonObject {
  return { model: context.model, created_at: new Date().toISOString() };
}

/** The API has only two reasons: everything except the length limit is a stop. */
function encodeEnd(reply: PlannedReply): JsonObject {
  const { finishReason, usage } = reply;
  if (finishReason === undefined) return { done: false };
  return {
    done: true,
    done_reason: finishReason === 'length' ? 'length' : 'stop',
    total_duration: 1_000_000,
    prompt_eval_count: usage.input + usage.cacheRead + usage.cacheWrite,
    eval_count: usage.output,
  };
}
