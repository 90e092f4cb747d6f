import { isJsonObject, type JsonObject, type JsonValue } from '../../../base/index.ts';
import type { ReceivedHistory, ReceivedMessage } from '../wire.ts';
import { readAttachment } from './read-attachment.ts';

export function asText(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

/** The objects of a list; anything else is left out. */
export function asObjects(value: JsonValue | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

export function newMessage(place: string, role: ReceivedMessage['role'], text = ''): ReceivedMessage {
  return { place, role, text, attachments: [], reasoning: '', toolCalls: [], toolCallId: '' };
}

/** Content as one text, be it a string or a list of parts. Blank text parts are faults: real services refuse them. */
export function readContent(content: JsonValue | undefined, place: string, faults: string[]): string {
  if (!Array.isArray(content)) return asText(content);
  return asObjects(content)
    .map((part, index) => readPart(part, `${place}.content.${index}`, faults))
    .join('');
}

/** A user message, whose content may have attachments among its parts. */
export function readUserMessage(content: JsonValue | undefined, place: string, faults: string[]): ReceivedMessage {
  const message = newMessage(place, 'user');
  if (!Array.isArray(content)) return { ...message, text: asText(content) };
  asObjects(content).forEach((part, index) => {
    addUserPart(message, part, `${place}.content.${index}`, faults);
  });
  return message;
}

export function addUserPart(message: ReceivedMessage, part: JsonObject, place: string, faults: string[]): void {
  const attachment = readAttachment(part, place, faults);
  if (attachment === undefined) message.text += readPart(part, place, faults);
  else message.attachments.push(attachment);
}

export function readPart(part: JsonObject, place: string, faults: string[]): string {
  const type = asText(part.type);
  if (!['text', 'input_text', 'output_text', 'refusal'].includes(type)) return `[${type}]`;
  const text = asText(part.text ?? part.refusal);
  if (text.trim() === '') faults.push(`${place}: text content must not be blank`);
  return text;
}

/** The form that chat completions and what imitates them share: messages one by one, tools as functions. */
export function readChatForm(
  body: JsonObject,
  readMessage: (message: JsonObject, place: string, history: ReceivedHistory) => void,
): ReceivedHistory {
  const history: ReceivedHistory = { system: '', messages: [], toolNames: [], faults: [] };
  asObjects(body.messages).forEach((message, index) => {
    readMessage(message, `messages.${index}`, history);
  });
  history.toolNames = asObjects(body.tools).map((tool) =>
    asText(isJsonObject(tool.function) ? tool.function.name : ''),
  );
  return history;
}
