import { isJsonObject, type JsonObject } from '../../../base/index.ts';
import type { ReceivedHistory, ReceivedMessage, ReceivedToolCall } from '../wire.ts';
import { asObjects, asText, newMessage, readChatForm, readContent, readUserMessage } from './read-parts.ts';

export function readChat(body: JsonObject): ReceivedHistory {
  return readChatForm(body, readMessage);
}

function readMessage(message: JsonObject, place: string, history: ReceivedHistory): void {
  const role = asText(message.role);
  if (role === 'user') {
    history.messages.push(readUserMessage(message.content, place, history.faults));
    return;
  }
  const text = readContent(message.content, place, history.faults);
  if (role === 'system' || role === 'developer') {
    if (history.messages.length > 0) history.faults.push(`${place}: a ${role} message must come first`);
    history.system += history.system === '' ? text : `\n\n${text}`;
  } else if (role === 'assistant') {
    history.messages.push(readAssistant(message, place, text));
  } else if (role === 'tool') {
    history.messages.push({ ...newMessage(place, 'tool', text), toolCallId: asText(message.tool_call_id) });
  } else {
    history.faults.push(`${place}: unknown role "${role}"`);
  }
}

/** Reasoning is kept where a client sends it back, in either of the two forms in use. */
function readAssistant(message: JsonObject, place: string, text: string): ReceivedMessage {
  const details = message.reasoning_details;
  const reasoning = asText(message.reasoning_content) || (details === undefined ? '' : JSON.stringify(details));
  const toolCalls = asObjects(message.tool_calls).map(readCall);
  return { ...newMessage(place, 'assistant', text || asText(message.refusal)), reasoning, toolCalls };
}

function readCall(call: JsonObject): ReceivedToolCall {
  const target = isJsonObject(call.function) ? call.function : {};
  return { id: asText(call.id), name: asText(target.name), arguments: asText(target.arguments) };
}
