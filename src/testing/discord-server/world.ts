import type { JsonObject } from '../../base/index.ts';
import { ApiError } from './api-error.ts';

export type DiscordUser = {
  id: string;
  name: string /** The direct channel between the user and the bot. */;
  dmId: string;
};
export type DiscordChannel = { id: string; guildId: string };

/** A message of the bot as its readers see it. */
export type DiscordMessage = {
  id: string;
  channelId: string;
  /** As it was sent. */
  content: string;
  /** Without formatting. */
  text: string;
  buttons: readonly (readonly JsonObject[])[];
  replyTo: string | undefined;
  files: readonly { name: string; mediaType: string; bytes: Buffer }[];
  /** Ids of users and roles, and `everyone`, that got a notification. */
  pings: readonly string[];
  isEdited: boolean;
  flags: number;
};

export type Channel = {
  object: JsonObject;
  /** All messages as Discord describes them, oldest first. */
  raw: Map<string, JsonObject>;
  /** The messages of the bot. */
  sent: Map<string, DiscordMessage>;
  state: 'open' | 'forbidden';
};

export const BOT = {
  id: '1100000000000000001',
  username: 'hermes',
  discriminator: '0',
  global_name: null,
  avatar: null,
  bot: true,
};

/** Types of channels. */
export const TEXT_CHANNEL = 0;
export const DIRECT = 1;
export const THREAD = 11;

/** The users, guilds, channels and messages of a fake Discord. */
export type World = ReturnType<typeof createWorld>;

export function createWorld() {
  const users = new Map<string, JsonObject>();
  const guilds = new Map<string, JsonObject>();
  const channels = new Map<string, Channel>();
  const files = new Map<string, Buffer>();
  const nextId = createIds();
  const open = (object: JsonObject) => {
    const id = object['id'] as string;
    channels.set(id, { object, raw: new Map(), sent: new Map(), state: 'open' });
    return id;
  };
  return {
    nextId,
    users,
    guilds,
    channels,
    files,
    find(id: string): Channel {
      const channel = channels.get(id);
      if (channel === undefined) throw new ApiError(404, 10_003, 'Unknown Channel');
      return channel;
    },
    addUser({ name = 'Ada', isBot = false }: { name?: string; isBot?: boolean }): DiscordUser {
      const id = nextId();
      const user: JsonObject = {
        id,
        username: name.toLowerCase(),
        discriminator: '0',
        global_name: name,
        avatar: null,
      };
      if (isBot) user['bot'] = true;
      users.set(id, user);
      const dmId = open({ id: nextId(), type: DIRECT, recipients: [user] });
      return { id, name, dmId };
    },
    addGuild(name: string): string {
      const id = nextId();
      guilds.set(id, { id, name });
      return id;
    },
    addChannel({ guildId, name = 'general', topic = null }: { guildId: string; name?: string; topic?: string | null }) {
      return { id: open({ id: nextId(), type: TEXT_CHANNEL, guild_id: guildId, name, topic }), guildId };
    },
    addThread({ id: parentId, guildId }: DiscordChannel, name: string): DiscordChannel {
      return { id: open({ id: nextId(), type: THREAD, guild_id: guildId, parent_id: parentId, name }), guildId };
    },
    /** The guilds with their channels and threads, as a bot gets them when it connects. */
    describeGuilds(): JsonObject[] {
      return [...guilds.values()].map((guild) => {
        const objects = [...channels.values()].map(({ object }) => object);
        const own = objects.filter((object) => object['guild_id'] === guild['id']);
        const isThread = (object: JsonObject) => object['type'] === THREAD;
        return { ...guild, channels: own.filter((object) => !isThread(object)), threads: own.filter(isThread) };
      });
    },
  };
}

const DISCORD_EPOCH = 1_420_070_400_000n;

/** Ids contain the time of their creation and increase. */
function createIds(): () => string {
  let last = 0n;
  return () => {
    const now = (BigInt(Date.now()) - DISCORD_EPOCH) << 22n;
    last = now > last ? now : last + 1n;
    return String(last);
  };
}

/** Adds a message of any author, and returns how Discord describes it. */
export function addRaw({ nextId }: World, channel: Channel, author: JsonObject, fields: JsonObject): JsonObject {
  const id = nextId();
  const raw: JsonObject = {
    id,
    type: 0,
    channel_id: channel.object['id'] as string,
    author,
    content: '',
    timestamp: new Date().toISOString(),
    edited_timestamp: null,
    tts: false,
    mention_everyone: false,
    mentions: [],
    mention_roles: [],
    attachments: [],
    embeds: [],
    pinned: false,
    flags: 0,
  };
  Object.assign(raw, fields);
  channel.raw.set(id, raw);
  return raw;
}
