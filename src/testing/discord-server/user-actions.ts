import type { JsonObject } from '../../base/index.ts';
import type { Gateway } from './gateway.ts';
import { describeFiles, type RouteContext } from './routes.ts';
import { addRaw, BOT, type Channel, DIRECT, type DiscordUser } from './world.ts';

/** A message that a user sends. Without `channelId`, it goes to the bot directly. */
export type DiscordUserMessage = {
  from: DiscordUser;
  channelId?: string;
  /** `<@ID>` mentions a user. */
  text?: string;
  files?: readonly { name: string; mediaType: string; bytes: Buffer }[];
  /** Recorded as a voice message. */
  isVoice?: boolean;
  /** The id of a message of the channel. */
  replyTo?: string;
  /** The text of a message of another channel that the user forwards. */
  forwarded?: string;
  sticker?: string;
  /** The message comes from a webhook. */
  webhookId?: string;
  /** The type of the message; others than 0 are notices of Discord. */
  type?: number;
};

type Actions = { context: RouteContext; gateway: Gateway };

/** What users do. Each of these becomes an event for the bot. */
export function createUserActions({ context, gateway }: Actions) {
  const { world } = context;
  const place = (channel: Channel): JsonObject =>
    channel.object['type'] === DIRECT ? {} : { guild_id: channel.object['guild_id'] as string, member: { roles: [] } };
  const userOf = ({ id }: DiscordUser) => world.users.get(id) as JsonObject;
  const interact = (from: DiscordUser, channel: Channel, fields: JsonObject): string => {
    const id = world.nextId();
    const token = `interaction-token-${id}`;
    context.interactions.set(token, { id, isAnswered: false });
    const user = userOf(from);
    const actor: JsonObject = channel.object['type'] === DIRECT ? { user } : { member: { user, roles: [] } };
    const where = { channel_id: channel.object['id'] as string, channel: channel.object };
    gateway.publish('INTERACTION_CREATE', {
      id,
      application_id: BOT.id,
      token,
      version: 1,
      ...where,
      ...place(channel),
      ...actor,
      ...fields,
    });
    return id;
  };
  return {
    send(message: DiscordUserMessage): string {
      const channel = world.find(message.channelId ?? message.from.dmId);
      const raw = addRaw(world, channel, userOf(message.from), describe(message, context, channel));
      gateway.publish('MESSAGE_CREATE', { ...raw, ...place(channel) });
      return raw['id'] as string;
    },
    edit(from: DiscordUser, messageId: string, text: string, channelId = from.dmId): void {
      const channel = world.find(channelId);
      const raw = channel.raw.get(messageId) as JsonObject;
      Object.assign(raw, { content: text, edited_timestamp: new Date().toISOString() });
      gateway.publish('MESSAGE_UPDATE', { ...raw, ...place(channel) });
    },
    remove(from: DiscordUser, messageId: string, channelId = from.dmId): void {
      const channel = world.find(channelId);
      channel.raw.delete(messageId);
      const { member: _, ...where } = place(channel);
      gateway.publish('MESSAGE_DELETE', { id: messageId, channel_id: channelId, ...where });
    },
    press({ from, messageId, data, channelId = from.dmId }: DiscordPress): string {
      const channel = world.find(channelId);
      const message = channel.raw.get(messageId) ?? null;
      return interact(from, channel, { type: 3, message, data: { component_type: 2, custom_id: data } });
    },
    command({ from, name, text, channelId = from.dmId }: DiscordCommandCall): string {
      const options = text === undefined ? [] : [{ type: 3, name: 'text', value: text }];
      return interact(from, world.find(channelId), { type: 2, data: { id: world.nextId(), type: 1, name, options } });
    },
  };
}

export type DiscordPress = { from: DiscordUser; messageId: string; data: string; channelId?: string };
export type DiscordCommandCall = { from: DiscordUser; name: string; text?: string; channelId?: string };

const VOICE = 1 << 13;
const REPLY = 19;

function describe(message: DiscordUserMessage, context: RouteContext, channel: Channel): JsonObject {
  const { text = '', files = [], replyTo, forwarded } = message;
  const raw: JsonObject = { content: text, type: message.type ?? (replyTo === undefined ? 0 : REPLY) };
  const mentioned = [...text.matchAll(/<@!?(\d+)>/g)].map(([, id = '']) => id);
  raw['mentions'] = [...new Set(mentioned)].flatMap((id) =>
    id === BOT.id ? { ...BOT } : (context.world.users.get(id) ?? []),
  );
  raw['attachments'] = describeFiles(context, files);
  if (message.isVoice) raw['flags'] = VOICE;
  if (message.sticker !== undefined) raw['sticker_items'] = [{ id: '1', name: message.sticker, format_type: 1 }];
  if (message.webhookId !== undefined) raw['webhook_id'] = message.webhookId;
  const channelId = channel.object['id'] as string;
  if (replyTo !== undefined) {
    raw['message_reference'] = { type: 0, message_id: replyTo, channel_id: channelId };
    raw['referenced_message'] = channel.raw.get(replyTo) ?? null;
  }
  if (forwarded !== undefined) {
    raw['message_reference'] = { type: 1, message_id: '1', channel_id: '2' };
    raw['message_snapshots'] = [{ message: { content: forwarded, attachments: [], type: 0 } }];
  }
  return raw;
}
