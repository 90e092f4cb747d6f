import { isJsonObject, type JsonObject, type JsonValue } from '../../../base/index.ts';
import type { ReceivedAttachment, ReceivedHistory, ReceivedMessage } from '../wire.ts';

export function asText(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

/** The objects of a list; anything else is dropped. */
export function asObjects(value: JsonValue | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

export function newMessage(place: string, role: ReceivedMessage['role'], text = ''): ReceivedMessage {
  return { place, role, text, attachments: [], reasoning: '', toolCalls: [], toolCallId: '' };
}

/**
 * Content as one text, from a string or a list of parts. Blank text parts are violations: real services reject them.
 */
export function readContent(content: JsonValue | undefined, location: string, faults: string[]): string {
  if (!Array.isArray(content)) return asText(content);
  return asObjects(content)
    .map((part, index) => readPart(part, `${location}.content.${index}`, faults))
    .join('');
}

/** A user message or a tool result, which may contain attachments. */
export function readMessageParts(
  role: 'user' | 'tool',
  content: JsonValue | undefined,
  location: string,
  faults: string[],
): ReceivedMessage {
  const message = newMessage(location, role);
  if (!Array.isArray(content)) return { ...message, text: asText(content) };
  asObjects(content).forEach((part, index) => {
    addUserPart(message, part, `${location}.content.${index}`, faults);
  });
  return message;
}

export function addUserPart(message: ReceivedMessage, part: JsonObject, location: string, faults: string[]): void {
  const attachment = readAttachment(part, location, faults);
  if (attachment === undefined) message.text += readPart(part, location, faults);
  else message.attachments.push(attachment);
}

export function readPart(part: JsonObject, location: string, faults: string[]): string {
  const type = asText(part.type);
  if (!['text', 'input_text', 'output_text', 'refusal'].includes(type)) return `[${type}]`;
  const text = asText(part.text ?? part.refusal);
  if (text.trim() === '') faults.push(`${location}: text content must not be blank`);
  return text;
}

/** The format that chat completions and compatible APIs share: one message per item, tools as functions. */
export function readChatForm(
  body: JsonObject,
  readMessage: (message: JsonObject, location: string, history: ReceivedHistory) => void,
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

const KINDS: Readonly<Record<string, ReceivedAttachment['kind']>> = {
  image: 'image',
  image_url: 'image',
  input_image: 'image',
  document: 'document',
  file: 'document',
  input_file: 'document',
};

const IMAGES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];

/** An image or file in the format of any API mode; undefined for other parts. */
function readAttachment(part: JsonObject, location: string, faults: string[]): ReceivedAttachment | undefined {
  const kind = KINDS[textOf(part.type)];
  if (kind === undefined) return undefined;
  const file = isJsonObject(part.file) ? part.file : part;
  const name = textOf(file.filename ?? part.title);
  const { mediaType, base64 } = isJsonObject(part.source) ? readSource(part.source) : readDataUrl(urlOf(part, file));
  return checked({ kind, mediaType, name, bytes: readBase64(base64, location, faults) }, location, faults);
}

/** Ollama's images have no media type. */
export function readBareImage(value: JsonValue, location: string, faults: string[]): ReceivedAttachment {
  return { kind: 'image', mediaType: '', name: '', bytes: readBase64(textOf(value), location, faults) };
}

function checked(attachment: ReceivedAttachment, location: string, faults: string[]): ReceivedAttachment {
  const { kind, mediaType } = attachment;
  const allowed = kind === 'image' ? IMAGES : ['application/pdf'];
  if (!allowed.includes(mediaType))
    faults.push(`${location}: the media type "${mediaType}" is not taken for this part`);
  return attachment;
}

function readSource(source: JsonObject): { mediaType: string; base64: string } {
  return { mediaType: textOf(source.media_type), base64: source.type === 'base64' ? textOf(source.data) : '' };
}

function urlOf(part: JsonObject, file: JsonObject): string {
  if (isJsonObject(part.image_url)) return textOf(part.image_url.url);
  return textOf(part.image_url ?? file.file_data);
}

function readDataUrl(url: string): { mediaType: string; base64: string } {
  const comma = url.indexOf(';base64,');
  if (!url.startsWith('data:') || comma < 0) return { mediaType: '', base64: '' };
  return { mediaType: url.slice('data:'.length, comma), base64: url.slice(comma + ';base64,'.length) };
}

function readBase64(text: string, location: string, faults: string[]): Buffer {
  const bytes = Buffer.from(text, 'base64');
  if (text === '' || bytes.toString('base64') !== text) faults.push(`${location}: the data is not base64`);
  return bytes;
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}
