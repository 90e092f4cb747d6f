import { isJsonObject, type JsonObject } from '../../../base/index.ts';
import type { ReceivedHistory, ReceivedMessage, ReceivedToolCall } from '../wire.ts';
import { asObjects, asText, newMessage, readChatForm } from './read-parts.ts';

/** Like chat completions, except that content is always text and arguments are always objects. */
export function readOllama(body: JsonObject): ReceivedHistory {
  return readChatForm(body, readMessage);
}

function readMessage(message: JsonObject, place: string, history: ReceivedHistory): void {
  const role = asText(message.role);
  if (typeof message.content !== 'string') history.faults.push(`${place}.content: must be a text`);
  const text = asText(message.content);
  if (role === 'system') {
    if (history.messages.length > 0) history.faults.push(`${place}: a system message must come first`);
    history.system += history.system === '' ? text : `\n\n${text}`;
  } else if (role === 'user') {
    history.messages.push(newMessage(place, 'user', text));
  } else if (role === 'assistant') {
    const calls = asObjects(message.tool_calls).map(readCall);
    history.messages.push({
      ...newMessage(place, 'assistant', text),
      reasoning: asText(message.thinking),
      toolCalls: calls,
    });
  } else if (role === 'tool') {
    history.messages.push(readResult(message, place, text));
  } else {
    history.faults.push(`${place}: unknown role "${role}"`);
  }
}

function readResult(message: JsonObject, place: string, text: string): ReceivedMessage {
  return { ...newMessage(place, 'tool', text), toolCallId: asText(message.tool_call_id) };
}

/** Arguments that are no object stay what they are, so that the history is seen to be wrong. */
function readCall(call: JsonObject): ReceivedToolCall {
  const { name, arguments: args } = isJsonObject(call.function) ? call.function : {};
  return { id: asText(call.id), name: asText(name), arguments: isJsonObject(args) ? JSON.stringify(args) : '' };
}
