import { type Clock, type JsonObject, systemClock } from '../../base/index.ts';
import {
  type Channel,
  ChannelError,
  type ChannelCommand,
  type ChannelFacts,
  type ChannelIdentity,
  type Fill,
  type IncomingFile,
} from '../../contracts/index.ts';
import type { NetworkVariables } from '../../util/network/index.ts';
import { createHttpClient } from '../http/index.ts';
import { requireSize } from '../file-size.ts';
import { listAt, objectAt, textAt } from '../json-fields.ts';
import { createPlaces } from './places.ts';
import type { Interaction } from './read-dispatch.ts';
import type { ReadingRules } from './read-message.ts';
import { MAX_QUEUED, receiveEvents } from './receive.ts';
import { MAX_TEXT, renderDiscord } from './render.ts';
import { createRestClient, type RestClient } from './rest-client.ts';
import { channelOf, MAX_UPLOAD, NO_MENTIONS, sendMessage } from './send.ts';

export type DiscordOptions = {
  token: string;
  /** The URL before the version; the default is Discord's. */
  baseUrl?: string;
  proxy?: { setting: string; url: string };
  /** The environment variables that configure proxy and certificates. */
  variables: NetworkVariables;
  /** Whether Discord shows previews of links. Default: true. */
  linkPreviews?: boolean;
  /** Whether answers in servers refer to the message that they answer. Default: true. */
  replies?: boolean;
  rules?: Partial<ReadingRules>;
  /** For tests. */
  timeouts?: Partial<DiscordTimeouts>;
  clock?: Clock;
};

type DiscordTimeouts = {
  callMs: number;
  uploadMs: number;
  transferMs: number;
  /** A gateway connection without a message for this time is dead. */
  silenceMs: number;
  identifyMs: number;
};

/** Discord asks for a heartbeat about every 41 seconds, and answers it. */
const TIMEOUTS: DiscordTimeouts = {
  callMs: 30_000,
  uploadMs: 300_000,
  transferMs: 30_000,
  silenceMs: 75_000,
  identifyMs: 3000,
};

const RULES: ReadingRules = {
  requireMention: true,
  freeChannels: [],
  ignoredChannels: [],
  allowedChannels: [],
  bots: 'none',
};

const MAX_DOWNLOAD = 32 * 1024 * 1024;
/** The number of interactions that can still be answered. Their tokens are valid for 15 minutes. */
const MAX_INTERACTIONS = 1000;
const EPHEMERAL = 1 << 6;

const FACTS: ChannelFacts = {
  platform: 'discord',
  maxText: MAX_TEXT,
  textUnit: 'codePoints',
  hasButtons: true,
  streaming: 'edit',
  maxUploadBytes: MAX_UPLOAD,
  maxDownloadBytes: MAX_DOWNLOAD,
  repeats: 'key',
  rates: { account: { count: 50, perMs: 1000 }, chat: { count: 5, perMs: 5000 } },
  silenceMs: 90_000,
};

/** Discord over its gateway and its HTTP API. */
export function createDiscordChannel(options: DiscordOptions): Channel {
  const timeouts = { ...TIMEOUTS, ...options.timeouts };
  const { token, variables, proxy, linkPreviews = true, replies = true } = options;
  const client = createHttpClient({ variables, ...(proxy && { proxy }) });
  const rest = createRestClient({ token, baseUrl: options.baseUrl ?? 'https://discord.com/api', client, timeouts });
  const clock = options.clock ?? systemClock;
  const places = createPlaces(rest);
  const interactions = new Map<string, Interaction>();
  let queued = 0;
  let botId: string | undefined;
  let commandNames: ReadonlyMap<string, string> = new Map();

  const identify = async (signal: AbortSignal): Promise<ChannelIdentity> => {
    const me = await rest.call(repeatable('reading the identity of the bot'), (api) =>
      api.users.getCurrent({ signal }),
    );
    const { id, username } = me as { id?: unknown; username?: unknown };
    if (typeof id !== 'string' || typeof username !== 'string') {
      throw new ChannelError('transient', 'Discord: the identity of the bot is not valid.');
    }
    botId = id;
    return { account: `discord:${id}`, name: `@${username}` };
  };

  /** Keeps Discord from showing an error. The answer follows later. */
  const onInteraction = (interaction: Interaction) => {
    interactions.set(interaction.id, interaction);
    const [oldest] = interactions.keys();
    if (interactions.size > MAX_INTERACTIONS && oldest !== undefined) interactions.delete(oldest);
    acknowledge(rest, interaction).catch(() => undefined);
  };

  return {
    facts: FACTS,
    render: renderDiscord,
    identify,
    async receive(receiving) {
      try {
        if (botId === undefined) await identify(receiving.signal);
        const rules = { ...RULES, ...options.rules };
        const findCommand = (name: string) => commandNames.get(name);
        const reader = { botId: botId as string, rules, places, findCommand, now: () => clock.now() };
        const onQueued = (count: number) => void (queued = count);
        await receiveEvents({ ...receiving, ...timeouts, token, rest, reader, onInteraction, onQueued });
      } catch (error) {
        if (!receiving.signal.aborted) throw error;
      }
    },
    send: async (message, sending) => ({
      id: await sendMessage(rest, message, { ...sending, linkPreviews, replies }),
    }),
    ...createMessageActions(rest),
    async acknowledgeAction({ id }, text, signal) {
      const interaction = interactions.get(id);
      if (interaction === undefined || text.trim() === '') return;
      interactions.delete(id);
      const body = { content: text, flags: EPHEMERAL, allowed_mentions: NO_MENTIONS } as object;
      const { applicationId, token: secret } = interaction;
      await rest
        .call({ what: 'answering a button' }, (api) =>
          api.interactions.followUp(applicationId, secret, body, { signal }),
        )
        .catch(ignoring('not_found'));
    },
    async offerCommands(commands, signal) {
      if (botId === undefined) await identify(signal);
      const menu = commandMenu(commands);
      commandNames = menu.names;
      await rest.call(repeatable('offering commands'), (api) =>
        api.applicationCommands.bulkOverwriteGlobalCommands(botId as string, menu.commands, { signal }),
      );
    },
    fetchFile: (file, limits) => fetchFile(rest, file, limits),
    listFills: () => [...places.listFills(), ...describeFills(interactions.size, queued)],
    close() {
      rest.close();
      return Promise.resolve();
    },
  };
}

function describeFills(interactions: number, queued: number): Fill[] {
  return [
    { name: 'open interactions', used: interactions, limit: MAX_INTERACTIONS },
    { name: 'events to store', used: queued, limit: MAX_QUEUED },
  ];
}

const repeatable = (what: string) => ({ what, isRepeatable: true });

const ignoring = (fault: ChannelError['fault']) => (error: unknown) => {
  if (!(error instanceof ChannelError) || error.fault !== fault) throw error;
};

async function acknowledge(rest: RestClient, { id, token, kind, name }: Interaction): Promise<void> {
  await rest.call({ what: 'acknowledging an interaction' }, async ({ interactions }) => {
    if (kind === 'button') await interactions.deferMessageUpdate(id, token);
    else await interactions.reply(id, token, { content: `\`${name}\``, flags: EPHEMERAL });
  });
}

/** What can be done to a message or a chat other than sending. */
function createMessageActions(rest: RestClient) {
  return {
    async edit(target, messageId, { text }, signal) {
      const body = { content: text, components: [], allowed_mentions: NO_MENTIONS } as object;
      await rest.call(repeatable('editing a message'), ({ channels }) =>
        channels.editMessage(channelOf(target), messageId, body, { signal }),
      );
    },
    async remove(target, messageId, signal) {
      await rest
        .call(repeatable('deleting a message'), ({ channels }) =>
          channels.deleteMessage(channelOf(target), messageId, { signal }),
        )
        .catch(ignoring('not_found'));
    },
    async showTyping(target, signal) {
      await rest.call(repeatable('showing typing'), ({ channels }) =>
        channels.showTyping(channelOf(target), { signal }),
      );
    },
    async react(target, messageId, reaction, signal) {
      const channelId = channelOf(target);
      await rest.call(repeatable('reacting to a message'), async ({ channels }) => {
        const message = await channels.getMessage(channelId, messageId, { signal });
        const own = (message.reactions ?? []).filter(({ me }) => me).map(({ emoji }) => emoji.name ?? '');
        for (const emoji of own.filter((name) => name !== reaction && name !== '')) {
          await channels.deleteOwnMessageReaction(channelId, messageId, emoji, { signal });
        }
        if (reaction !== undefined && !own.includes(reaction)) {
          await channels.addMessageReaction(channelId, messageId, reaction, { signal });
        }
      });
    },
  } satisfies Partial<Channel>;
}

const MAX_COMMANDS = 100;
const MAX_DESCRIPTION = 100;

/** The commands as Discord allows them. Each takes one text, as in a terminal. */
function commandMenu(commands: readonly ChannelCommand[]) {
  const names = new Map<string, string>();
  const menu = [];
  for (const { name, description } of commands) {
    const command = name.toLowerCase();
    const text = [...description.toWellFormed()].slice(0, MAX_DESCRIPTION).join('').trim();
    if (!/^[-_a-z0-9]{1,32}$/.test(command) || names.has(command) || text === '' || menu.length >= MAX_COMMANDS)
      continue;
    names.set(command, name);
    const argument = { type: 3, name: 'text', description: 'What follows the command', required: false } as const;
    menu.push({ name: command, description: text, type: 1 as const, options: [argument] });
  }
  return { commands: menu, names };
}

/** Asks for the message again, because the address of a file expires. */
async function fetchFile(
  rest: RestClient,
  file: IncomingFile,
  { maxBytes, signal }: { maxBytes: number; signal: AbortSignal },
): Promise<Uint8Array> {
  const limit = Math.min(maxBytes, MAX_DOWNLOAD);
  requireSize(file.bytes, limit);
  const [channelId = '', messageId = '', id] = file.id.split('/');
  const message = (await rest.call(repeatable('finding a file'), ({ channels }) =>
    channels.getMessage(channelId, messageId, { signal }),
  )) as unknown as JsonObject;
  const snapshots = listAt(message, 'message_snapshots').map((snapshot) => objectAt(snapshot, 'message'));
  const files = [message, ...snapshots].flatMap((one) => listAt(one, 'attachments'));
  const found = files.find((attachment) => textAt(attachment, 'id') === id);
  const [url, size] = [textAt(found, 'url'), found?.['size']];
  if (url === undefined) throw new ChannelError('not_found', 'The file is no longer part of its message.');
  requireSize(typeof size === 'number' ? size : undefined, limit);
  return rest.download(url, { maxBytes: limit, signal });
}
