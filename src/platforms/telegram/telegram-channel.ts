import { isJsonObject, systemClock, type Clock, type JsonObject } from '../../base/index.ts';
import {
  type Channel,
  ChannelError,
  type ChannelFacts,
  type ChannelIdentity,
  type ChatTarget,
  type IncomingFile,
  type ReceiveOptions,
} from '../../contracts/index.ts';
import type { NetworkVariables } from '../../util/network/index.ts';
import { createHttpClient } from '../http/index.ts';
import { type BotApi, createBotApi, MovedChat } from './bot-api.ts';
import { commandMenu } from './command-menu.ts';
import { requireSize } from '../file-size.ts';
import { idAt, textAt } from '../json-fields.ts';
import type { BotIdentity, UpdateReader } from './read-update.ts';
import { receiveUpdates } from './receive.ts';
import { MAX_TEXT, renderTelegram } from './render.ts';
import { addressOf, chatIdOf, MAX_UPLOAD, sendMessage, textOf } from './send.ts';
import type { WebhookOptions } from './webhook.ts';

export type TelegramOptions = {
  token: string;
  /** The URL before the token; the default is Telegram's. */
  baseUrl?: string;
  fileBaseUrl?: string;
  proxy?: { setting: string; url: string };
  /** The environment variables that configure proxy and certificates. */
  variables: NetworkVariables;
  /** Whether Telegram shows previews of links. Default: true. */
  linkPreviews?: boolean;
  /** Telegram sends updates to this address; without it, the channel polls. */
  webhook?: WebhookOptions;
  /** For tests. */
  timeouts?: Partial<TelegramTimeouts>;
  clock?: Clock;
};

export type TelegramTimeouts = {
  pollMs: number;
  graceMs: number;
  albumMs: number;
  callMs: number;
  uploadMs: number;
  /** How long the rest of a response may take. */
  transferMs: number;
};

const TIMEOUTS: TelegramTimeouts = {
  pollMs: 30_000,
  graceMs: 15_000,
  albumMs: 800,
  callMs: 30_000,
  uploadMs: 180_000,
  transferMs: 60_000,
};
const MAX_DOWNLOAD = 20 * 1024 * 1024;
const MAX_ACKNOWLEDGEMENT = 200;
/** Groups that moved are few; this only bounds the memory of a long-running process. */
const MAX_MOVED = 1000;

/** The limits are those that Telegram documents for bots. */
const FACTS: ChannelFacts = {
  platform: 'telegram',
  maxText: MAX_TEXT,
  textUnit: 'utf16',
  hasButtons: true,
  streaming: 'draft',
  maxUploadBytes: MAX_UPLOAD,
  maxDownloadBytes: MAX_DOWNLOAD,
  repeats: 'none',
  rates: {
    account: { count: 30, perMs: 1000 },
    chat: { count: 1, perMs: 1000 },
    group: { count: 20, perMs: 60_000 },
  },
  silenceMs: 90_000,
};

/** Reactions that Telegram does not offer, and the ones that mean the same. */
const REACTIONS: Readonly<Record<string, string>> = { '✅': '👍', '❌': '👎', '⏳': '👀' };

/** The Telegram Bot API over long polling, or over a webhook. */
export function createTelegramChannel(options: TelegramOptions): Channel {
  const timeouts = { ...TIMEOUTS, ...options.timeouts };
  const client = createHttpClient({ variables: options.variables, ...(options.proxy && { proxy: options.proxy }) });
  const api = createBotApi({
    token: options.token,
    baseUrl: options.baseUrl ?? 'https://api.telegram.org/bot',
    fileBaseUrl: options.fileBaseUrl ?? 'https://api.telegram.org/file/bot',
    client,
    timeouts,
  });
  const chats = createMovedChats();
  let bot: BotIdentity | undefined;
  let commandNames: ReadonlyMap<string, string> = new Map();
  const identify = async (signal: AbortSignal): Promise<ChannelIdentity> => {
    bot = await readIdentity(api, signal);
    return { account: `telegram:${bot.id}`, name: `@${bot.username}` };
  };
  return {
    facts: FACTS,
    render: renderTelegram,
    identify,
    async receive(receiving) {
      try {
        if (bot === undefined) await identify(receiving.signal);
        const clock = options.clock ?? systemClock;
        const reader = {
          bot: bot as BotIdentity,
          now: () => clock.now(),
          findCommand: (name: string) => commandNames.get(name),
        };
        await receive(api, reader, { ...options, receiving, timeouts, clock });
      } catch (error) {
        if (!receiving.signal.aborted) throw error;
      }
    },
    async send(message, { signal }) {
      const linkPreviews = options.linkPreviews ?? true;
      const send = (target: ChatTarget) => sendMessage(api, { ...message, target }, { linkPreviews, signal });
      return { id: await chats.use(message.target, send) };
    },
    ...createMessageActions(api, chats),
    async offerCommands(commands, signal) {
      const menu = commandMenu(commands);
      commandNames = menu.names;
      await api.call('setMyCommands', { commands: menu.commands }, repeatable(signal));
    },
    fetchFile: (file, { maxBytes, signal }) => fetchFile(api, file, { maxBytes, signal }),
    listFills: () => [{ name: 'groups that moved', used: chats.size(), limit: MAX_MOVED }],
    close() {
      client.close();
      return Promise.resolve();
    },
  };
}

type Receiver = Pick<TelegramOptions, 'token' | 'webhook'> & {
  receiving: ReceiveOptions;
  timeouts: TelegramTimeouts;
  clock: Clock;
};

async function receive(api: BotApi, reader: UpdateReader, options: Receiver): Promise<void> {
  const { token, webhook, receiving, timeouts, clock } = options;
  if (webhook !== undefined) {
    const { receiveByWebhook } = await import('./webhook.ts');
    return receiveByWebhook(api, reader, { ...receiving, webhook, token, checkMs: timeouts.pollMs, clock });
  }
  // Telegram does not answer polls while a webhook is set. The updates that wait for it are kept.
  await api.call('deleteWebhook', {}, repeatable(receiving.signal));
  await receiveUpdates(api, reader, { ...receiving, ...timeouts });
}

const repeatable = (signal: AbortSignal) => ({ signal, isRepeatable: true });

/** What can be done to a message or a chat other than sending. */
function createMessageActions(api: BotApi, chats: MovedChats) {
  return {
    edit: (target, messageId, content, signal) =>
      chats.use(target, async ({ chatId }) => {
        const parameters = { chat_id: chatIdOf(chatId), message_id: Number(messageId), ...textOf(content) };
        const edited = api.call('editMessageText', parameters, repeatable(signal));
        await ignoring(edited, /message is not modified/);
      }),
    remove: (target, messageId, signal) =>
      chats.use(target, async ({ chatId }) => {
        const parameters = { chat_id: chatIdOf(chatId), message_id: Number(messageId) };
        await ignoring(api.call('deleteMessage', parameters, repeatable(signal)), /message to delete not found/);
      }),
    showTyping: (target, signal) =>
      chats.use(target, async ({ chatId, threadId }) => {
        const address = addressOf(threadId === undefined ? { chatId } : { chatId, threadId });
        await api.call('sendChatAction', { ...address, action: 'typing' }, repeatable(signal));
      }),
    react: (target, messageId, reaction, signal) =>
      chats.use(target, async ({ chatId }) => {
        const emoji = reaction && (REACTIONS[reaction] ?? reaction);
        const reactions = emoji === undefined ? [] : [{ type: 'emoji', emoji }];
        const parameters = { chat_id: chatIdOf(chatId), message_id: Number(messageId), reaction: reactions };
        await api.call('setMessageReaction', parameters, repeatable(signal));
      }),
    async acknowledgeAction({ id }, text, signal) {
      const parameters = { callback_query_id: id, text: text.slice(0, MAX_ACKNOWLEDGEMENT).toWellFormed() };
      // After some time, Telegram stops waiting for it.
      await ignoring(api.call('answerCallbackQuery', parameters, repeatable(signal)), /query is too old/);
    },
    async showDraft(target, { id, content }, signal) {
      const { chat_id, message_thread_id } = addressOf(target);
      const thread: JsonObject = message_thread_id === undefined ? {} : { message_thread_id };
      const parameters = { chat_id: chat_id as number, ...thread, draft_id: draftId(id), ...textOf(content) };
      await api.call('sendMessageDraft', parameters, repeatable(signal));
    },
  } satisfies Partial<Channel>;
}

async function readIdentity(api: BotApi, signal: AbortSignal): Promise<BotIdentity> {
  const me = await api.call('getMe', {}, { signal, isRepeatable: true }).catch((error: unknown) => {
    // Telegram has no bot with this id.
    if (!(error instanceof ChannelError) || error.fault !== 'not_found') throw error;
    throw new ChannelError('fatal', 'Telegram does not know the bot of this token.', {
      hint: 'Get the token from @BotFather, and check base_url if it is set.',
    });
  });
  const [id, username] = isJsonObject(me) ? [idAt(me, 'id'), textAt(me, 'username')] : [];
  if (id !== undefined && username !== undefined) return { id, username };
  throw new ChannelError('transient', 'Telegram: the response to getMe is not valid.');
}

async function ignoring(call: Promise<unknown>, pattern: RegExp): Promise<void> {
  try {
    await call;
  } catch (error) {
    if (!(error instanceof ChannelError) || !pattern.test(error.message)) throw error;
  }
}

/** A number that is not zero and the same for the same draft. */
function draftId(id: string): number {
  let hash = 7;
  for (let index = 0; index < id.length; index += 1) hash = (hash * 31 + id.charCodeAt(index)) % 2_147_483_647;
  return hash + 1;
}

async function fetchFile(
  api: BotApi,
  file: IncomingFile,
  { maxBytes, signal }: { maxBytes: number; signal: AbortSignal },
): Promise<Uint8Array> {
  const limit = Math.min(maxBytes, MAX_DOWNLOAD);
  requireSize(file.bytes, limit);
  const found = await api.call('getFile', { file_id: file.id }, { signal, isRepeatable: true });
  const facts: JsonObject = isJsonObject(found) ? found : {};
  const [path, bytes] = [textAt(facts, 'file_path'), facts['file_size']];
  requireSize(typeof bytes === 'number' ? bytes : undefined, limit);
  if (path === undefined) throw new ChannelError('not_found', 'Telegram does not offer the file for download.');
  return api.download(path, { maxBytes: limit, signal });
}

type MovedChats = ReturnType<typeof createMovedChats>;

/** Repeats calls for a group that became a supergroup with its new id, and remembers it. */
function createMovedChats() {
  const moved = new Map<string, string>();
  const current = (target: ChatTarget) => ({ ...target, chatId: moved.get(target.chatId) ?? target.chatId });
  return {
    size: () => moved.size,
    async use<Result>(target: ChatTarget, call: (target: ChatTarget) => Promise<Result>): Promise<Result> {
      try {
        return await call(current(target));
      } catch (error) {
        if (!(error instanceof MovedChat)) throw error;
        if (moved.size >= MAX_MOVED) moved.clear();
        moved.set(target.chatId, error.chatId);
        // The messages of the group before it moved do not exist in the new one.
        const { replyTo: _, ...rest } = current(target);
        return call(rest);
      }
    },
  };
}
