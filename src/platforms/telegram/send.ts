import type { JsonObject, JsonValue } from '../../base/index.ts';
import { isJsonObject } from '../../base/index.ts';
import {
  type ChannelButton,
  ChannelError,
  type ChannelMessage,
  type ChatTarget,
  type MessageContent,
} from '../../contracts/index.ts';
import type { BotApi } from './bot-api.ts';
import { idAt } from '../json-fields.ts';

export const MAX_UPLOAD = 50 * 1024 * 1024;
const MAX_PHOTO = 10 * 1024 * 1024;
const MAX_BUTTON_DATA = 64;
/** The topic that every group with topics has. Messages to it must not name it. */
const GENERAL_TOPIC = '1';

/** Group chats have negative ids; the name of a public channel is text. */
export function chatIdOf(chatId: string): number | string {
  const id = Number(chatId);
  return chatId.trim() !== '' && Number.isSafeInteger(id) ? id : chatId;
}

/** The parameters that say where a message goes. */
export function addressOf({ chatId, threadId, replyTo }: ChatTarget): JsonObject {
  const address: JsonObject = { chat_id: chatIdOf(chatId) };
  if (threadId !== undefined && threadId !== GENERAL_TOPIC) address['message_thread_id'] = Number(threadId);
  // A deleted message must not prevent its answer.
  if (replyTo !== undefined) {
    address['reply_parameters'] = { message_id: Number(replyTo), allow_sending_without_reply: true };
  }
  return address;
}

export function textOf({ text, format }: MessageContent): JsonObject {
  const entities = format?.['entities'];
  return entities === undefined ? { text } : { text, entities };
}

function keyboard(rows: readonly (readonly ChannelButton[])[]): JsonObject {
  const buttons = rows.map((row) => row.map(toButton));
  return { inline_keyboard: buttons };
}

function toButton({ label, data, style }: ChannelButton): JsonObject {
  const bytes = Buffer.byteLength(data);
  if (bytes < 1 || bytes > MAX_BUTTON_DATA) {
    throw new ChannelError('rejected', `The data of a Telegram button has ${bytes} bytes; 1 to 64 are allowed.`);
  }
  const button: JsonObject = { text: label, callback_data: data };
  if (style !== undefined) button['style'] = style;
  return button;
}

type SendSettings = { linkPreviews: boolean; signal: AbortSignal };

/** Sends one message and returns its id. */
export async function sendMessage(
  api: BotApi,
  { target, content, buttons, file }: ChannelMessage,
  { linkPreviews, signal }: SendSettings,
): Promise<string> {
  const address = addressOf(target);
  const markup: JsonObject = buttons === undefined || buttons.length === 0 ? {} : { reply_markup: keyboard(buttons) };
  if (file !== undefined) return sendFile(api, file, { ...address, ...markup }, signal);
  if (content === undefined) throw new ChannelError('rejected', 'A message needs a text or a file.');
  const preview: JsonObject = linkPreviews ? {} : { link_preview_options: { is_disabled: true } };
  const parameters = { ...address, ...textOf(content), ...preview, ...markup };
  return messageIdOf(await api.call('sendMessage', parameters, { signal }));
}

type OutgoingFile = NonNullable<ChannelMessage['file']>;

async function sendFile(api: BotApi, file: OutgoingFile, parameters: JsonObject, signal: AbortSignal): Promise<string> {
  if (file.bytes.length > MAX_UPLOAD) {
    throw new ChannelError('too_long', `${file.name} has ${file.bytes.length} bytes; bots can send 50 MB.`);
  }
  const { method, field } = methodFor(file);
  const all = file.caption === undefined ? parameters : { ...parameters, caption: file.caption };
  const { name, mediaType, bytes } = file;
  try {
    return messageIdOf(await api.upload(method, all, { field, name, mediaType, bytes }, signal));
  } catch (error) {
    // Telegram accepts any file as a document, also a picture that is too large to be shown or not really one.
    if (!(error instanceof ChannelError) || error.fault !== 'bad_format' || field === 'document') throw error;
    return messageIdOf(await api.upload('sendDocument', all, { field: 'document', name, mediaType, bytes }, signal));
  }
}

function methodFor({ isVoice, mediaType, bytes }: OutgoingFile): { method: string; field: string } {
  if (isVoice && /^audio\/(?:ogg|opus|mpeg|mp4|x-m4a|aac)\b/.test(mediaType)) {
    return { method: 'sendVoice', field: 'voice' };
  }
  if (/^image\/(?:jpeg|png|webp)$/.test(mediaType) && bytes.length <= MAX_PHOTO) {
    return { method: 'sendPhoto', field: 'photo' };
  }
  return { method: 'sendDocument', field: 'document' };
}

function messageIdOf(result: JsonValue): string {
  const id = isJsonObject(result) ? idAt(result, 'message_id') : undefined;
  if (id === undefined) throw new ChannelError('uncertain', 'Telegram did not return the id of the sent message.');
  return id;
}
