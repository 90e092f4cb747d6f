import type { JsonObject } from '../../base/index.ts';
import type { ChannelEvent, ChatSource, IncomingContent, IncomingFile, InboxKind } from '../../contracts/index.ts';
import { listAt, numberAt, objectAt, textAt } from '../json-fields.ts';
import type { Place, Places } from './places.ts';

/** Which messages the bot reads. The ids of channels also apply to their threads. */
export type ReadingRules = {
  /** Whether a message in a server must mention the bot or reply to it. */
  requireMention: boolean;
  /** Channels in which it need not. */
  freeChannels: readonly string[];
  ignoredChannels: readonly string[];
  /** If there are any, all other channels of servers are ignored. */
  allowedChannels: readonly string[];
  /** Messages of other bots: none, those that mention the bot, or all. */
  bots: 'none' | 'mentions' | 'all';
};

export type MessageReader = {
  botId: string;
  rules: ReadingRules;
  places: Places;
  /** The name of an offered command by the name that Discord allows. */
  findCommand(name: string): string | undefined;
  now(): number;
};

/** Messages that users wrote; other types are notices of Discord. */
const USER_TYPES: readonly unknown[] = [0, 19];
const VOICE = 1 << 13;
const FORWARD = 1;

/** The event of a message; undefined if it means nothing to a conversation. */
export function readMessage(
  raw: JsonObject,
  place: Place,
  { kind, reader }: { kind: 'message' | 'edit'; reader: MessageReader },
): ChannelEvent | undefined {
  const [id, channelId, content] = [textAt(raw, 'id'), textAt(raw, 'channel_id'), textAt(raw, 'content')];
  const author = objectAt(raw, 'author');
  const authorId = textAt(author, 'id');
  if (!isId(id) || !isId(channelId) || !isId(authorId) || content === undefined) return undefined;
  if (authorId === reader.botId || !USER_TYPES.includes(raw['type'])) return undefined;
  const isFromBot = author?.['bot'] === true || textAt(raw, 'webhook_id') !== undefined;
  const found = readContent(raw, { id, channelId }, reader);
  if (found.text === '' && found.files.length === 0) return undefined;
  const isMentioned = mentions(raw, reader.botId) || found.replyTo?.isOurs === true;
  if (!isRead({ channelId, place, isFromBot, isMentioned }, reader.rules)) return undefined;
  const editedAt = textAt(raw, 'edited_timestamp');
  const sentAt = Date.parse((kind === 'edit' ? editedAt : undefined) ?? textAt(raw, 'timestamp') ?? '');
  return {
    // A preview that is added to an edited message has the time of the edit.
    id: kind === 'edit' ? `edit/${id}/${editedAt ?? ''}` : `message/${id}`,
    kind: kind satisfies InboxKind,
    source: { ...sourceOf(channelId, place, reader), userId: authorId, ...nameField(raw, author) },
    sentAt: Number.isNaN(sentAt) ? reader.now() : sentAt,
    content: {
      ...found,
      isAddressed: isMentioned || needsNoMention(channelId, place, reader.rules),
      ...(isFromBot && { isFromBot: true }),
    },
  };
}

const isId = (text: string | undefined): text is string => text !== undefined && /^\d{1,20}$/.test(text);

/** Where an event comes from, without its user. */
export function sourceOf(channelId: string, place: Place, { places }: Pick<MessageReader, 'places'>): ChatSource {
  return { platform: 'discord', ...places.describe(channelId, place) };
}

const nameField = (raw: JsonObject, user: JsonObject | undefined) => {
  const nick = textAt(objectAt(raw, 'member'), 'nick');
  const userName = nick ?? textAt(user, 'global_name') ?? textAt(user, 'username');
  return userName === undefined ? {} : { userName };
};

const mentions = (raw: JsonObject, id: string) => listAt(raw, 'mentions').some((user) => textAt(user, 'id') === id);

type Judged = { channelId: string; place: Place; isFromBot: boolean; isMentioned: boolean };

function isRead({ channelId, place, isFromBot, isMentioned }: Judged, rules: ReadingRules): boolean {
  if (isFromBot && (rules.bots === 'none' || (rules.bots === 'mentions' && !isMentioned))) return false;
  return isReadChannel(channelId, place, rules);
}

/** Whether messages of a channel are read at all. */
export function isReadChannel(channelId: string, place: Place, rules: ReadingRules): boolean {
  if (place.kind === 'dm') return true;
  const ids = [channelId, ...(place.parentId === undefined ? [] : [place.parentId])];
  if (ids.some((id) => rules.ignoredChannels.includes(id))) return false;
  return rules.allowedChannels.length === 0 || ids.some((id) => rules.allowedChannels.includes(id));
}

function needsNoMention(channelId: string, { kind, parentId }: Place, rules: ReadingRules): boolean {
  if (kind === 'dm' || !rules.requireMention) return true;
  return rules.freeChannels.includes(channelId) || (parentId !== undefined && rules.freeChannels.includes(parentId));
}

function readContent(
  raw: JsonObject,
  { id, channelId }: { id: string; channelId: string },
  { botId }: MessageReader,
): Omit<IncomingContent, 'isAddressed'> {
  const snapshot = objectAt(listAt(raw, 'message_snapshots')[0], 'message');
  const isForwarded = numberAt(objectAt(raw, 'message_reference'), 'type') === FORWARD && snapshot !== undefined;
  const shown = isForwarded ? snapshot : raw;
  const text = readText(shown, botId);
  const files = listAt(shown, 'attachments').flatMap((file) => readFile(file, `${channelId}/${id}`, raw));
  const replyTo = isForwarded ? undefined : readReply(raw, botId);
  return {
    messageId: id,
    text: text === '' ? describeAttachment(shown) : text,
    files,
    ...(replyTo && { replyTo }),
    ...(isForwarded && { forwardedFrom: 'unknown' }),
  };
}

/** The text with names instead of ids. A mention of the bot at the start is removed. */
function readText(raw: JsonObject, botId: string): string {
  const names = new Map(
    listAt(raw, 'mentions').map((user) => [
      textAt(user, 'id'),
      textAt(user, 'global_name') ?? textAt(user, 'username'),
    ]),
  );
  const content = textAt(raw, 'content') ?? '';
  const isBot = new RegExp(`^\\s*<@!?${botId}>[,:]?\\s*`);
  return content
    .replace(isBot, '')
    .replaceAll(/<@!?(\d+)>/g, (whole, id: string) => (names.has(id) ? `@${names.get(id) ?? id}` : whole))
    .trim();
}

function describeAttachment(raw: JsonObject): string {
  const [sticker] = listAt(raw, 'sticker_items');
  if (sticker !== undefined) return `[sticker: ${textAt(sticker, 'name') ?? ''}]`;
  const poll = objectAt(raw, 'poll');
  if (poll === undefined) return '';
  const answers = listAt(poll, 'answers').map((answer) => textAt(objectAt(answer, 'poll_media'), 'text') ?? '');
  return `[poll: ${textAt(objectAt(poll, 'question'), 'text') ?? ''} (${answers.join(' / ')})]`;
}

/** The address of a file expires, so its id says where to find it again. */
function readFile(file: JsonObject, where: string, message: JsonObject): IncomingFile[] {
  const id = textAt(file, 'id');
  if (id === undefined) return [];
  const [name, bytes] = [textAt(file, 'filename'), numberAt(file, 'size')];
  const mediaType = textAt(file, 'content_type')?.split(';')[0]?.trim();
  const [kind] = /^(?:image|audio|video)(?=\/)/.exec(mediaType ?? '') ?? ['document'];
  return [
    {
      id: `${where}/${id}`,
      kind: kind as IncomingFile['kind'],
      ...(name !== undefined && { name }),
      ...(mediaType !== undefined && mediaType !== '' && { mediaType }),
      ...(bytes !== undefined && { bytes }),
      ...(((numberAt(message, 'flags') ?? 0) & VOICE) !== 0 && { isVoice: true }),
    },
  ];
}

function readReply(raw: JsonObject, botId: string): IncomingContent['replyTo'] {
  const replied = objectAt(raw, 'referenced_message');
  const messageId = textAt(replied, 'id');
  if (replied === undefined || messageId === undefined) return undefined;
  const user = objectAt(replied, 'author');
  const author = textAt(user, 'global_name') ?? textAt(user, 'username');
  return {
    messageId,
    text: readText(replied, botId) || describeAttachment(replied),
    ...(author !== undefined && { author }),
    isOurs: textAt(user, 'id') === botId,
  };
}
