import type { JsonObject } from '../../base/index.ts';
import { ChannelError, type ChatSource, type Fill } from '../../contracts/index.ts';
import { listAt, numberAt, textAt } from '../json-fields.ts';
import type { RestClient } from './rest-client.ts';

/** Where a message was written. */
export type Place = {
  kind: 'dm' | 'channel' | 'thread';
  name?: string;
  topic?: string;
  guildId?: string;
  /** The channel of a thread. */
  parentId?: string;
};

/** What is known about channels. Messages contain only the id of their channel. */
export interface Places {
  /** Learns from an event of the gateway. */
  learn(name: string, data: JsonObject): void;
  /** Asks Discord about a channel that is not known. */
  find(channelId: string, signal: AbortSignal): Promise<Place>;
  /** The fields of a source that describe the place. */
  describe(
    channelId: string,
    place: Place,
  ): Pick<ChatSource, 'chatType' | 'chatId' | 'threadId' | 'chatName' | 'chatTopic'>;
  listFills(): Fill[];
}

const MAX_PLACES = 5000;
const DIRECT_TYPES: readonly unknown[] = [1, 3];
const THREAD_TYPES: readonly unknown[] = [10, 11, 12];

export function createPlaces(rest: RestClient): Places {
  const places = new Map<string, Place>();
  const guilds = new Map<string, string>();

  function remember(channel: JsonObject, guildId?: string): Place | undefined {
    const id = textAt(channel, 'id');
    if (id === undefined) return undefined;
    const place = readPlace(channel, guildId);
    places.delete(id);
    places.set(id, place);
    forgetOldest(places);
    return place;
  }

  function learnGuild(guild: JsonObject): void {
    const [id, name] = [textAt(guild, 'id'), textAt(guild, 'name')];
    if (id === undefined) return;
    if (name !== undefined) guilds.set(id, name);
    forgetOldest(guilds);
    for (const channel of [...listAt(guild, 'channels'), ...listAt(guild, 'threads')]) remember(channel, id);
  }

  return {
    learn(name, data) {
      if (name === 'GUILD_CREATE' || name === 'GUILD_UPDATE') learnGuild(data);
      else if (/^(?:CHANNEL|THREAD)_(?:CREATE|UPDATE)$/.test(name)) remember(data);
    },
    async find(channelId, signal) {
      const known = places.get(channelId);
      if (known !== undefined) return known;
      try {
        const options = { what: 'reading a channel', isRepeatable: true };
        const channel = await rest.call(options, (api) => api.channels.get(channelId, { signal }));
        return remember(channel as unknown as JsonObject) ?? { kind: 'channel' };
      } catch (error) {
        // A channel that does not exist or that the bot may not see is not a thread that it could answer in.
        if (error instanceof ChannelError && ['not_found', 'forbidden', 'bad_format'].includes(error.fault))
          return { kind: 'channel' };
        throw error;
      }
    },
    describe(channelId, { kind, name, topic, guildId }) {
      if (kind === 'dm') return { chatType: 'dm', chatId: channelId };
      const guild = guildId === undefined ? undefined : guilds.get(guildId);
      const chatName = name === undefined ? undefined : `${guild === undefined ? '' : `${guild} / `}#${name}`;
      return {
        chatType: kind === 'thread' ? 'thread' : 'group',
        // A thread is a channel of its own. The original uses its id for both.
        chatId: channelId,
        ...(kind === 'thread' && { threadId: channelId }),
        ...(chatName !== undefined && { chatName }),
        ...(topic !== undefined && { chatTopic: topic }),
      };
    },
    listFills: () => [
      { name: 'known channels', used: places.size, limit: MAX_PLACES },
      { name: 'known servers', used: guilds.size, limit: MAX_PLACES },
    ],
  };
}

function readPlace(channel: JsonObject, knownGuild: string | undefined): Place {
  const type = numberAt(channel, 'type');
  const guildId = textAt(channel, 'guild_id') ?? knownGuild;
  if (DIRECT_TYPES.includes(type)) return { kind: 'dm' };
  const place: Place = { kind: THREAD_TYPES.includes(type) ? 'thread' : 'channel' };
  const [name, topic, parentId] = [textAt(channel, 'name'), textAt(channel, 'topic'), textAt(channel, 'parent_id')];
  if (name !== undefined) place.name = name;
  if (topic !== undefined && topic !== '') place.topic = topic;
  if (guildId !== undefined) place.guildId = guildId;
  if (parentId !== undefined && place.kind === 'thread') place.parentId = parentId;
  return place;
}

function forgetOldest(map: Map<string, unknown>): void {
  if (map.size <= MAX_PLACES) return;
  const [oldest] = map.keys();
  if (oldest !== undefined) map.delete(oldest);
}
