import type { JsonObject } from '../../base/index.ts';
import type { ChannelEvent, ChatSource, InboxKind, IncomingContent, IncomingFile } from '../../contracts/index.ts';
import { listAt, numberAt, objectAt, textAt } from '../json-fields.ts';
import type { Envelope } from './app-connection.ts';
import { readText, type SlackBot } from './read-text.ts';

/** What decides how events are read. */
export type EventReader = {
  bot: SlackBot;
  /** A message of a channel starts a thread, in which it is answered. */
  replyInThread: boolean;
  /** In channels, only messages that mention the bot or are in one of its threads are for it. */
  requireMention: boolean;
  /** The ids of channels in which every message is for the bot. */
  freeChannels: readonly string[];
  /** The name of an offered command, in any case. */
  findCommand(name: string): string | undefined;
  /** For events without a time. */
  now(): number;
};

/** An event, and the thread that decides whether it is for the bot. */
export type ReadEvent = { event: ChannelEvent; thread?: string };

/** The events of an envelope; none for kinds that mean nothing to a conversation. */
export function readEnvelope({ type, payload }: Pick<Envelope, 'type' | 'payload'>, reader: EventReader): ReadEvent[] {
  if (type === 'events_api') {
    const event = objectAt(payload, 'event');
    const read = event === undefined ? undefined : readMessageEvent(event, reader);
    return read === undefined ? [] : [read];
  }
  if (type === 'interactive') return readActions(payload, reader);
  if (type !== 'slash_commands') return [];
  const command = readCommand(payload, reader);
  return command === undefined ? [] : [{ event: command }];
}

/** Kinds of messages that a user has written. */
const WRITTEN: readonly (string | undefined)[] = [undefined, 'file_share', 'thread_broadcast', 'me_message'];

function readMessageEvent(event: JsonObject, reader: EventReader): ReadEvent | undefined {
  const type = textAt(event, 'type');
  if (type === 'app_mention') return readMessage(event, event, { reader, kind: 'message' });
  if (type !== 'message') return undefined;
  const subtype = textAt(event, 'subtype');
  if (subtype === 'message_deleted') return readDeletion(event, reader);
  if (subtype !== 'message_changed') {
    return WRITTEN.includes(subtype) ? readMessage(event, event, { reader, kind: 'message' }) : undefined;
  }
  const message = objectAt(event, 'message');
  const before = objectAt(event, 'previous_message');
  // Slack also reports its own changes, such as the preview of a link.
  if (message === undefined || textAt(message, 'text') === textAt(before, 'text')) return undefined;
  return WRITTEN.includes(textAt(message, 'subtype'))
    ? readMessage(message, event, { reader, kind: 'edit' })
    : undefined;
}

type Reading = { reader: EventReader; kind: InboxKind };

function readMessage(message: JsonObject, event: JsonObject, { reader, kind }: Reading): ReadEvent | undefined {
  const [chatId, ts] = [textAt(event, 'channel'), textAt(message, 'ts')];
  if (chatId === undefined || ts === undefined || isOfBot(message, reader.bot)) return undefined;
  const { text, isMentioned } = readText(textAt(message, 'text') ?? '', reader.bot);
  const files = listAt(message, 'files').flatMap(readFile);
  const replyTo = readShared(message);
  if (text.trim() === '' && files.length === 0 && replyTo === undefined) return undefined;
  const userId = textAt(message, 'user');
  const isDirect = isDirectChat(chatId, textAt(event, 'channel_type'));
  const parent = textAt(message, 'thread_ts');
  const source = sourceOf(reader, { chatId, userId, isDirect, ts, parent });
  const isFree = !reader.requireMention || reader.freeChannels.includes(chatId);
  const isMeant = isMentioned || textAt(event, 'type') === 'app_mention';
  const isInOwnThread = parent !== undefined && textAt(message, 'parent_user_id') === reader.bot.userId;
  const isAddressed = isDirect || isFree || isMeant || isInOwnThread;
  const content: IncomingContent = {
    messageId: ts,
    text: text.trim(),
    files,
    isAddressed,
    ...(replyTo && { replyTo }),
  };
  const edited = textAt(objectAt(message, 'edited'), 'ts') ?? textAt(event, 'event_ts') ?? '';
  const id = kind === 'edit' ? `edit/${chatId}/${ts}/${edited}` : `message/${chatId}/${ts}`;
  const read = { event: { id, kind, source, sentAt: timeOf(edited || ts, reader), content } };
  if (isMeant && !isDirect) return { ...read, thread: `${chatId}/${parent ?? ts}` };
  return isAddressed || parent === undefined ? read : { ...read, thread: `${chatId}/${parent}` };
}

function readDeletion(event: JsonObject, reader: EventReader): ReadEvent | undefined {
  const [chatId, ts] = [textAt(event, 'channel'), textAt(event, 'deleted_ts')];
  const before = objectAt(event, 'previous_message');
  if (chatId === undefined || ts === undefined || isOfBot(before ?? {}, reader.bot)) return undefined;
  const isDirect = isDirectChat(chatId, textAt(event, 'channel_type'));
  const parent = textAt(before, 'thread_ts');
  const source = sourceOf(reader, { chatId, userId: textAt(before, 'user'), isDirect, ts, parent });
  const content = { messageId: ts, text: '', files: [], isAddressed: isDirect };
  const sentAt = timeOf(textAt(event, 'event_ts') ?? ts, reader);
  const read = { event: { id: `deletion/${chatId}/${ts}`, kind: 'deletion' as const, source, sentAt, content } };
  return isDirect ? read : { ...read, thread: `${chatId}/${parent ?? ts}` };
}

/** The bot's own messages, and those of other bots, which could answer each other without end. */
function isOfBot(message: JsonObject, bot: SlackBot): boolean {
  const isBot = textAt(message, 'bot_id') !== undefined || textAt(message, 'subtype') === 'bot_message';
  return isBot || textAt(message, 'user') === bot.userId;
}

function isDirectChat(chatId: string, type: string | undefined): boolean {
  return type === undefined ? chatId.startsWith('D') : type === 'im' || type === 'app_home';
}

type Place = { chatId: string; userId: string | undefined; isDirect: boolean; ts: string; parent: string | undefined };

/** As in the original, a message in a channel is the start of a thread, unless it is in one. */
function sourceOf({ replyInThread }: EventReader, { chatId, userId, isDirect, ts, parent }: Place): ChatSource {
  const threadId = parent ?? (isDirect || !replyInThread ? undefined : ts);
  return {
    platform: 'slack',
    chatType: isDirect ? 'dm' : 'group',
    chatId,
    ...(threadId !== undefined && { threadId }),
    ...(userId !== undefined && { userId }),
  };
}

function timeOf(ts: string, reader: EventReader): number {
  const seconds = Number(ts);
  return Number.isFinite(seconds) && seconds > 0 ? Math.round(seconds * 1000) : reader.now();
}

function readFile(file: JsonObject): IncomingFile[] {
  const id = textAt(file, 'id');
  // Files that were deleted, or that the plan of the workspace hides.
  if (id === undefined || ['tombstone', 'hidden_by_limit'].includes(textAt(file, 'mode') ?? '')) return [];
  const [name, mediaType, bytes] = [textAt(file, 'name'), textAt(file, 'mimetype'), numberAt(file, 'size')];
  const isVoice = textAt(file, 'subtype') === 'slack_audio';
  const [kind = ''] = (mediaType ?? '').split('/');
  return [
    {
      id,
      kind: isVoice ? 'audio' : kind === 'image' || kind === 'audio' || kind === 'video' ? kind : 'document',
      ...(name !== undefined && { name }),
      ...(mediaType !== undefined && { mediaType }),
      ...(bytes !== undefined && { bytes }),
      ...(isVoice && { isVoice }),
    },
  ];
}

/** A message of another chat that the author has shared. */
function readShared(message: JsonObject): IncomingContent['replyTo'] {
  const shared = listAt(message, 'attachments').find(
    (attachment) => attachment['is_share'] === true || attachment['is_msg_unfurl'] === true,
  );
  const text = textAt(shared, 'text') ?? textAt(shared, 'fallback');
  if (shared === undefined || text === undefined) return undefined;
  const author = textAt(shared, 'author_name') ?? textAt(shared, 'author_id');
  return { messageId: textAt(shared, 'ts') ?? '', text, ...(author !== undefined && { author }), isOurs: false };
}

function readActions(payload: JsonObject, reader: EventReader): ReadEvent[] {
  const container = objectAt(payload, 'container');
  const message = objectAt(payload, 'message');
  const chatId = textAt(objectAt(payload, 'channel'), 'id') ?? textAt(container, 'channel_id');
  const messageId = textAt(message, 'ts') ?? textAt(container, 'message_ts');
  const userId = textAt(objectAt(payload, 'user'), 'id');
  if (textAt(payload, 'type') !== 'block_actions' || !chatId || !messageId || !userId) return [];
  const parent = textAt(message, 'thread_ts') ?? textAt(container, 'thread_ts');
  const isDirect = isDirectChat(chatId, undefined);
  const source = sourceOf(reader, { chatId, userId, isDirect, ts: messageId, parent });
  return listAt(payload, 'actions').flatMap((action): ReadEvent[] => {
    const [data, pressedAt] = [textAt(action, 'value'), textAt(action, 'action_ts')];
    if (data === undefined || pressedAt === undefined) return [];
    // The confirmation of a press needs the chat and the user.
    const id = [chatId, userId, pressedAt, ...(parent === undefined ? [] : [parent])].join('/');
    const content = { messageId, text: '', files: [], isAddressed: true, action: { id, data, messageId } };
    return [{ event: { id: `action/${id}`, kind: 'action', source, sentAt: timeOf(pressedAt, reader), content } }];
  });
}

/** `/hermes TEXT` is a message, or a command if its first word is one. Other slash commands of the app are commands. */
function readCommand(payload: JsonObject, reader: EventReader): ChannelEvent | undefined {
  const [chatId, userId] = [textAt(payload, 'channel_id'), textAt(payload, 'user_id')];
  const [name, trigger] = [textAt(payload, 'command'), textAt(payload, 'trigger_id')];
  if (chatId === undefined || userId === undefined || !name?.startsWith('/') || trigger === undefined) return undefined;
  const given = readText(textAt(payload, 'text') ?? '', reader.bot).text.trim();
  const isDirect = isDirectChat(chatId, undefined);
  const userName = textAt(payload, 'user_name');
  const source: ChatSource = { platform: 'slack', chatType: isDirect ? 'dm' : 'group', chatId, userId };
  return {
    id: `command/${trigger}`,
    kind: 'message',
    source: userName === undefined ? source : { ...source, userName },
    sentAt: reader.now(),
    content: { messageId: `command/${trigger}`, text: commandText(name, given, reader), files: [], isAddressed: true },
  };
}

function commandText(name: string, given: string, { findCommand }: EventReader): string {
  if (name.toLowerCase() !== '/hermes') return `${name} ${given}`.trim();
  if (given === '') return '/help';
  const [word = ''] = given.split(/\s/, 1);
  const known = findCommand(word.toLowerCase());
  return known === undefined ? given : `/${known}${given.slice(word.length)}`;
}
