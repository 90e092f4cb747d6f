import type { JsonObject } from '../../base/index.ts';
import { ChannelError, type ChannelEvent, type ChannelFault, type Fill } from '../../contracts/index.ts';
import { listAt, objectAt, textAt } from '../json-fields.ts';
import type { ReadEvent } from './read-event.ts';
import type { SlackBot } from './read-text.ts';
import type { SlackApi } from './slack-api.ts';

/** Adds to events what Slack does not send with them. */
export interface Lookup {
  /** Completes events: names, and whether a message in a thread is for the bot. */
  complete(events: readonly ReadEvent[], bot: SlackBot, signal: AbortSignal): Promise<ChannelEvent[]>;
  /** The bot takes part in this thread. */
  joinThread(chatId: string, threadId: string): void;
  listFills(): Fill[];
}

/** A name is not worth a failure. */
const unnamed = () => undefined;
/** How many names and threads are remembered. */
const MAX_ENTRIES = 5000;
const REPLIES = 200;
/** After these, another attempt may succeed. */
const PASSING: readonly ChannelFault[] = ['transient', 'rate_limited', 'fatal', 'uncertain'];

export function createLookup(api: SlackApi): Lookup {
  const users = createMemory<string | undefined>();
  const chats = createMemory<string | undefined>();
  const threads = createMemory<boolean>();

  const nameOfUser = (user: string, signal: AbortSignal) =>
    users.get(user, async () => {
      const found = objectAt(await ask(api, 'users.info', { user }, signal), 'user');
      const profile = objectAt(found, 'profile');
      return textAt(profile, 'display_name') || textAt(profile, 'real_name') || textAt(found, 'name');
    });
  const nameOfChat = (channel: string, signal: AbortSignal) =>
    chats.get(channel, async () =>
      textAt(objectAt(await ask(api, 'conversations.info', { channel }, signal), 'channel'), 'name'),
    );
  const isOwnThread = (thread: string, bot: SlackBot, signal: AbortSignal) =>
    threads.get(thread, () => takesPart(api, thread, { bot, signal }));

  async function completeOne({ event, thread }: ReadEvent, bot: SlackBot, signal: AbortSignal): Promise<ChannelEvent> {
    const { source, content } = event;
    if (thread !== undefined && content.isAddressed) threads.set(thread, true);
    const isAddressed = content.isAddressed || (thread !== undefined && (await isOwnThread(thread, bot, signal)));
    if (!isAddressed) return event;
    const { userId, userName = userId && (await nameOfUser(userId, signal).catch(unnamed)) } = source;
    const isDirect = source.chatType === 'dm';
    const chatName = isDirect ? undefined : await nameOfChat(source.chatId, signal).catch(unnamed);
    return {
      ...event,
      source: { ...source, ...(userName && { userName }), ...(chatName && { chatName }) },
      content: { ...content, isAddressed },
    };
  }

  return {
    complete: async (events, bot, signal) => {
      const completed: ChannelEvent[] = [];
      // One after the other, because a mention decides about the messages that follow it in its thread.
      for (const event of events) completed.push(await completeOne(event, bot, signal));
      return completed;
    },
    joinThread: (chatId, threadId) => threads.set(`${chatId}/${threadId}`, true),
    listFills: () => [
      { name: 'names of users', used: users.size(), limit: MAX_ENTRIES },
      { name: 'names of channels', used: chats.size(), limit: MAX_ENTRIES },
      { name: 'known threads', used: threads.size(), limit: MAX_ENTRIES },
    ],
  };
}

/** How long a message waits for a name. */
const NAME_MS = 3000;

/** Undefined if Slack does not say it, now or later. Throws if it may say it later. */
async function ask(
  api: SlackApi,
  method: string,
  parameters: JsonObject,
  signal: AbortSignal,
): Promise<JsonObject | undefined> {
  const limited = AbortSignal.any([signal, AbortSignal.timeout(NAME_MS)]);
  return api.call(method, parameters, { signal: limited, isRepeatable: true }).catch(ignoreLasting);
}

function ignoreLasting(error: unknown): undefined {
  if (!(error instanceof ChannelError) || PASSING.includes(error.fault)) throw error;
}

/** Whether the bot has written or was mentioned in a thread, for threads from before the last start. */
async function takesPart(
  api: SlackApi,
  thread: string,
  { bot, signal }: { bot: SlackBot; signal: AbortSignal },
): Promise<boolean> {
  const [channel = '', ts = ''] = thread.split('/');
  const parameters = { channel, ts, limit: REPLIES };
  // If another attempt may succeed, the message may be for the bot, so it must not be acknowledged.
  const found = await api
    .call('conversations.replies', parameters, { signal, isRepeatable: true })
    .catch(ignoreLasting);
  const mention = `<@${bot.userId}>`;
  return listAt(found, 'messages').some(
    (message) => textAt(message, 'user') === bot.userId || textAt(message, 'text')?.includes(mention) === true,
  );
}

type Memory<Value> = {
  get(key: string, find: () => Promise<Value>): Promise<Value>;
  set(key: string, value: Value): void;
  size(): number;
};

/** Remembers results; the ones that were found first are forgotten first. */
function createMemory<Value>(): Memory<Value> {
  const entries = new Map<string, Value>();
  const set = (key: string, value: Value) => {
    entries.delete(key);
    entries.set(key, value);
    const [oldest] = entries.keys();
    if (entries.size > MAX_ENTRIES && oldest !== undefined) entries.delete(oldest);
  };
  return {
    set,
    size: () => entries.size,
    async get(key, find) {
      if (entries.has(key)) return entries.get(key) as Value;
      const value = await find();
      set(key, value);
      return value;
    },
  };
}
