import type { JsonObject } from '../../base/index.ts';
import type { ChannelEvent, ChatSource, ChatType, IncomingContent, InboxKind } from '../../contracts/index.ts';
import { type Addressing, readText } from './addressing.ts';
import { idAt, numberAt, objectAt, textAt } from '../json-fields.ts';
import { describeAttachment, readFiles } from './read-files.ts';

export type BotIdentity = { id: string; username: string };

/** The kinds of updates that the bot receives. */
export const UPDATE_KINDS = ['message', 'edited_message', 'channel_post', 'edited_channel_post', 'callback_query'];

export type UpdateReader = Addressing & {
  /** For updates without a time. */
  now(): number;
};

/**
 * The events of updates. The messages of an album belong together: only one of them has the caption, which may mention
 * the bot.
 */
export function readUpdates(updates: readonly JsonObject[], reader: UpdateReader): ChannelEvent[] {
  const events = updates.flatMap((update) => readUpdate(update, reader) ?? []);
  const addressed = new Set(events.filter(({ content }) => content.isAddressed).map(albumOf));
  return events.map((event) => {
    const isAddressed = event.content.isAddressed || (isInAlbum(event) && addressed.has(albumOf(event)));
    return { ...event, content: { ...event.content, isAddressed } };
  });
}

export function isInAlbum({ kind, content }: ChannelEvent): boolean {
  return kind === 'message' && content.albumId !== undefined;
}

function albumOf({ source, content }: ChannelEvent): string {
  return `${source.chatId}/${content.albumId ?? ''}`;
}

/** The event of an update; undefined for kinds that mean nothing to a conversation. */
export function readUpdate(update: JsonObject, reader: UpdateReader): ChannelEvent | undefined {
  const pressed = objectAt(update, 'callback_query');
  if (pressed !== undefined) return readAction(pressed, reader);
  const sent = objectAt(update, 'message') ?? objectAt(update, 'channel_post');
  if (sent !== undefined) return readMessage(sent, reader, 'message');
  const edited = objectAt(update, 'edited_message') ?? objectAt(update, 'edited_channel_post');
  const updateId = idAt(update, 'update_id');
  if (edited === undefined || updateId === undefined) return undefined;
  const event = readMessage(edited, reader, 'edit');
  // Two edits of a message can have the same time.
  return event && { ...event, id: `update/${updateId}` };
}

function readMessage(message: JsonObject, reader: UpdateReader, kind: InboxKind): ChannelEvent | undefined {
  const source = readSource(message);
  const messageId = idAt(message, 'message_id');
  if (source === undefined || messageId === undefined || objectAt(message, 'forum_topic_created')) return undefined;
  const former = idAt(message, 'migrate_from_chat_id');
  const seconds = numberAt(message, 'edit_date') ?? numberAt(message, 'date');
  const content = readContent(message, messageId, { reader, isDirect: source.chatType === 'dm' });
  if (former === undefined && content.text === '' && content.files.length === 0) return undefined;
  return {
    id: `message/${source.chatId}/${messageId}`,
    kind,
    source: former === undefined ? source : { ...source, formerChatId: former },
    sentAt: seconds === undefined ? reader.now() : seconds * 1000,
    content: former === undefined ? content : { ...content, isAddressed: false },
  };
}

function readContent(
  message: JsonObject,
  messageId: string,
  { reader, isDirect }: { reader: UpdateReader; isDirect: boolean },
): IncomingContent {
  const { text, isAddressed } = readText(message, reader);
  const replyTo = readReply(message, reader);
  const forwardedFrom = readForward(message);
  const albumId = textAt(message, 'media_group_id');
  const sender = objectAt(message, 'from');
  return {
    messageId,
    text: text === '' ? describeAttachment(message) : text,
    files: readFiles(message),
    isAddressed: isDirect || isAddressed || replyTo?.isOurs === true,
    ...(sender?.['is_bot'] === true && objectAt(message, 'sender_chat') === undefined && { isFromBot: true }),
    ...(replyTo && { replyTo }),
    ...(forwardedFrom !== undefined && { forwardedFrom }),
    ...(albumId !== undefined && { albumId }),
  };
}

const CHAT_TYPES: Readonly<Record<string, ChatType>> = {
  private: 'dm',
  group: 'group',
  supergroup: 'group',
  channel: 'channel',
};

function readSource(message: JsonObject): ChatSource | undefined {
  const chat = objectAt(message, 'chat');
  const chatId = idAt(chat, 'id');
  const chatType = CHAT_TYPES[textAt(chat, 'type') ?? ''];
  if (chat === undefined || chatId === undefined || chatType === undefined) return undefined;
  // Anonymous admins and channels share the ids of service accounts; the chat they speak for is their identity.
  const sender = objectAt(message, 'sender_chat') ?? objectAt(message, 'from');
  const userId = idAt(sender, 'id');
  const userName = nameOf(sender);
  const chatName = nameOf(chat);
  // Replies in groups without topics have a thread id too.
  const threadId = message['is_topic_message'] === true ? idAt(message, 'message_thread_id') : undefined;
  const chatTopic = textAt(objectAt(objectAt(message, 'reply_to_message'), 'forum_topic_created'), 'name');
  return {
    platform: 'telegram',
    chatType,
    chatId,
    ...(threadId !== undefined && { threadId }),
    ...(userId !== undefined && { userId }),
    ...(userName !== undefined && { userName }),
    ...(chatName !== undefined && { chatName }),
    ...(chatTopic !== undefined && { chatTopic }),
  };
}

/** The display name of a user or the title of a chat. */
function nameOf(party: JsonObject | undefined): string | undefined {
  const names = [textAt(party, 'first_name'), textAt(party, 'last_name')].filter((name) => name);
  return textAt(party, 'title') ?? (names.length > 0 ? names.join(' ') : textAt(party, 'username'));
}

function readReply(message: JsonObject, { bot }: UpdateReader): IncomingContent['replyTo'] {
  const quote = textAt(objectAt(message, 'quote'), 'text');
  const replied = objectAt(message, 'reply_to_message');
  // The first message of a topic says only that the topic exists.
  if (replied !== undefined && objectAt(replied, 'forum_topic_created') === undefined) {
    const author = nameOf(objectAt(replied, 'sender_chat') ?? objectAt(replied, 'from'));
    return {
      messageId: idAt(replied, 'message_id') ?? '',
      text: quote ?? textAt(replied, 'text') ?? textAt(replied, 'caption') ?? describeAttachment(replied),
      ...(author !== undefined && { author }),
      isOurs: idAt(objectAt(replied, 'from'), 'id') === bot.id,
    };
  }
  const external = objectAt(message, 'external_reply');
  if (external === undefined) return undefined;
  const author = originName(objectAt(external, 'origin'));
  const messageId = idAt(external, 'message_id') ?? '';
  return { messageId, text: quote ?? '', ...(author !== undefined && { author }), isOurs: false };
}

function readForward(message: JsonObject): string | undefined {
  const origin = objectAt(message, 'forward_origin');
  return origin && (originName(origin) ?? 'unknown');
}

function originName(origin: JsonObject | undefined): string | undefined {
  const hidden = textAt(origin, 'sender_user_name');
  const party = objectAt(origin, 'sender_user') ?? objectAt(origin, 'sender_chat') ?? objectAt(origin, 'chat');
  return hidden ?? nameOf(party);
}

function readAction(pressed: JsonObject, reader: UpdateReader): ChannelEvent | undefined {
  const message = objectAt(pressed, 'message');
  const messageId = idAt(message, 'message_id');
  const [id, data] = [textAt(pressed, 'id'), textAt(pressed, 'data')];
  const from = objectAt(pressed, 'from');
  if (message === undefined || messageId === undefined || id === undefined || data === undefined) return undefined;
  // The message is ours, but who pressed the button is the source of the event.
  const { sender_chat: _, ...rest } = message;
  const source = readSource(from === undefined ? rest : { ...rest, from });
  if (source === undefined) return undefined;
  return {
    id: `action/${id}`,
    kind: 'action',
    source,
    sentAt: reader.now(),
    content: { messageId, text: '', files: [], isAddressed: true, action: { id, data, messageId } },
  };
}

/** All updates of a response in the order of their ids, each once. */
export function sortUpdates(updates: readonly JsonObject[]): { id: number; update: JsonObject }[] {
  const byId = new Map<number, JsonObject>();
  for (const update of updates) {
    const id = numberAt(update, 'update_id');
    if (id !== undefined && Number.isSafeInteger(id)) byId.set(id, update);
  }
  return [...byId].map(([id, update]) => ({ id, update })).sort((a, b) => a.id - b.id);
}
