import { isJsonObject, type JsonObject } from '../../../base/index.ts';
import type { ReceivedAttachment, ReceivedHistory, ReceivedMessage, ReceivedToolCall } from '../wire.ts';
import { readBareImage } from './read-attachment.ts';
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
    history.messages.push({ ...newMessage(place, 'user', text), attachments: readImages(message, place, history) });
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

function readImages({ images }: JsonObject, place: string, { faults }: ReceivedHistory): ReceivedAttachment[] {
  if (images === undefined) return [];
  if (!Array.isArray(images)) faults.push(`${place}.images: must be a list`);
  const list = Array.isArray(images) ? images : [];
  return list.map((image, index) => readBareImage(image, `${place}.images.${index}`, faults));
}

function readResult(message: JsonObject, place: string, text: string): ReceivedMessage {
  return { ...newMessage(place, 'tool', text), toolCallId: asText(message.tool_call_id) };
}

/** Arguments that are no object stay what they are, so that the history is seen to be wrong. */
function readCall(call: JsonObject): ReceivedToolCall {
  const { name, arguments: args } = isJsonObject(call.function) ? call.function : {};
  return { id: asText(call.id), name: asText(name), arguments: isJsonObject(args) ? JSON.stringify(args) : '' };
}
