import type { JsonObject } from '../../base/index.ts';
import { addRaw, type Chats, topicFields, type TelegramUser } from './chats.ts';
import type { FileStore } from './file-store.ts';
import type { Updates } from './updates.ts';

export type SentFile = { bytes: Uint8Array; name?: string; mediaType?: string };

/** A message that a user sends. Without `chatId`, it goes to the bot directly. */
export type UserMessage = {
  from: TelegramUser;
  chatId?: number;
  threadId?: number;
  text?: string;
  caption?: string;
  photo?: SentFile;
  voice?: SentFile;
  audio?: SentFile;
  video?: SentFile;
  document?: SentFile;
  sticker?: string;
  location?: { latitude: number; longitude: number };
  /** The album that the message is a part of. Each photo of an album is a message. */
  albumId?: string;
  /** The id of a message of the chat. */
  replyTo?: number;
  /** The part of that message that is quoted. */
  quote?: string;
  forwardedFrom?: string;
  /** The sender hides behind the group, as anonymous admins do. */
  isAnonymous?: boolean;
  /** Formatting and mentions. Commands and `@names` are found in the text. */
  entities?: readonly JsonObject[];
};

type World = { chats: Chats; updates: Updates; files: FileStore };

/** What users do. Each of these becomes an update for the bot. */
export function createUserActions({ chats, updates, files }: World) {
  let lastPress = 0;
  return {
    send(message: UserMessage): number {
      const chat = chats.find(message.chatId ?? message.from.id);
      if (chat.state === 'not_started') chat.state = 'open';
      const raw = addRaw(chat, describe(message, files));
      Object.assign(raw, topicFields(chat, message.threadId));
      if (message.replyTo !== undefined) raw['reply_to_message'] = chat.raw.get(message.replyTo) ?? null;
      if (message.isAnonymous) {
        raw['sender_chat'] = chat.object;
        raw['from'] = { id: 1_087_968_824, is_bot: true, first_name: 'Group', username: 'GroupAnonymousBot' };
      }
      // A copy, because an edit changes the message but not the update.
      updates.add({ message: { ...raw } });
      return raw['message_id'] as number;
    },
    edit({ from, chatId = from.id, messageId, text }: UserEdit): void {
      const raw = chats.find(chatId).raw.get(messageId);
      if (raw === undefined) throw new Error(`There is no message ${messageId}.`);
      Object.assign(raw, { text, entities: findEntities(text), edit_date: Math.floor(Date.now() / 1000) });
      updates.add({ edited_message: { ...raw } });
    },
    press({ from, chatId = from.id, messageId, data }: UserPress): string {
      const chat = chats.find(chatId);
      const buttons = chat.sent.get(messageId)?.buttons.flat() ?? [];
      if (!buttons.some((button) => button['callback_data'] === data)) {
        throw new Error(`Message ${messageId} has no button with the data ${data}.`);
      }
      lastPress += 1;
      const id = String(4_000_000_000 + lastPress);
      updates.add({
        callback_query: {
          id,
          from: describeUser(from),
          message: chat.raw.get(messageId) ?? null,
          chat_instance: '1',
          data,
        },
      });
      return id;
    },
    upgrade(groupId: number): number {
      const id = chats.upgrade(groupId);
      const from = { id: 1, is_bot: false, first_name: 'Owner' };
      updates.add({ message: addRaw(chats.find(groupId), { from, migrate_to_chat_id: id }) });
      updates.add({ message: addRaw(chats.find(id), { from, migrate_from_chat_id: groupId }) });
      return id;
    },
  };
}

export type UserEdit = { from: TelegramUser; chatId?: number; messageId: number; text: string };
export type UserPress = { from: TelegramUser; chatId?: number; messageId: number; data: string };

function describeUser({ id, firstName, username }: TelegramUser): JsonObject {
  const user: JsonObject = { id, is_bot: false, first_name: firstName };
  if (username !== undefined) user['username'] = username;
  return user;
}

function describe(message: UserMessage, files: FileStore): JsonObject {
  const raw: JsonObject = { from: describeUser(message.from) };
  if (message.text !== undefined) {
    raw['text'] = message.text;
    raw['entities'] = [...(message.entities ?? []), ...findEntities(message.text)];
  }
  if (message.caption !== undefined) {
    raw['caption'] = message.caption;
    raw['caption_entities'] = findEntities(message.caption);
  }
  if (message.photo !== undefined) raw['photo'] = describePhoto(message.photo, files);
  for (const kind of ['voice', 'audio', 'video', 'document'] as const) {
    const file = message[kind];
    if (file !== undefined) raw[kind] = describeFile(file, files);
  }
  if (message.albumId !== undefined) raw['media_group_id'] = message.albumId;
  if (message.sticker !== undefined) raw['sticker'] = { file_id: 'sticker', emoji: message.sticker, type: 'regular' };
  if (message.location !== undefined) raw['location'] = message.location;
  if (message.quote !== undefined) raw['quote'] = { text: message.quote, position: 0 };
  if (message.forwardedFrom !== undefined) {
    raw['forward_origin'] = { type: 'hidden_user', sender_user_name: message.forwardedFrom, date: 1 };
  }
  return raw;
}

function describeFile({ bytes, name, mediaType }: SentFile, files: FileStore): JsonObject {
  const id = files.add(bytes, name);
  const raw: JsonObject = { file_id: id, file_unique_id: id, file_size: bytes.length };
  if (name !== undefined) raw['file_name'] = name;
  if (mediaType !== undefined) raw['mime_type'] = mediaType;
  return raw;
}

/** Telegram adds smaller versions of a photo. */
function describePhoto(photo: SentFile, files: FileStore): JsonObject[] {
  const small = files.add(photo.bytes.subarray(0, 10), 'small.jpg');
  const large = describeFile(photo, files);
  return [
    { file_id: small, file_unique_id: small, width: 90, height: 60, file_size: 10 },
    { ...large, width: 900, height: 600 },
  ];
}

/** The entities that Telegram finds in a text. */
function findEntities(text: string): JsonObject[] {
  const kinds = [
    { type: 'bot_command', pattern: /(?<=^|\s)\/\w{1,64}(?:@\w+)?/g },
    { type: 'mention', pattern: /(?<=^|\s)@\w{4,}/g },
  ];
  return kinds.flatMap(({ type, pattern }) =>
    [...text.matchAll(pattern)].map(({ index, 0: match }) => ({ type, offset: index, length: match.length })),
  );
}
