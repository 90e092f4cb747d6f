import { type Clock, HermesError, newId } from '../../../base/index.ts';
import type {
  Channel,
  ChatTarget,
  GatewayConversation,
  GatewayStore,
  MessageDelivery,
  MessageTarget,
  Messaging,
  NewOutgoing,
  OutgoingState,
} from '../../../contracts/index.ts';
import { redactSecrets } from '../../../util/index.ts';
import { toBody } from '../accounts/outbox-sender.ts';
import { readDirectory } from './channel-directory.ts';
import { findTarget, homeOf, type TargetSources } from './find-target.ts';

/** A bot account that sends what is in its outbox. */
export type SendingAccount = { account: string; channel: Channel; wake(): void };

export type MessagingOptions = {
  home: string;
  store: GatewayStore;
  clock: Clock;
  /** The configured platforms; home channels can change at any time. */
  listPlatforms(): Promise<readonly { name: string; homeChannel: string | undefined }[]>;
  /** Throws `HermesError` if the platform cannot be used. */
  openAccount(platform: string): Promise<SendingAccount>;
  /** Called with the session of the chat, if it has one, after a message was delivered. */
  onDelivered?(sessionId: string, text: string): void;
};

/** How long a sender waits to learn whether a message was delivered. */
const WAIT_MS = 15_000;
const POLL_MS = 100;
const MAX_CHATS = 1000;
/** A message is refused if so many are waiting to be sent. Answers of turns are always stored. */
export const MAX_UNSENT = 10_000;
/** A longer text is a mistake, such as a log file. */
const MAX_PARTS = 20;

/** Sends messages through the outbox. `current` is the chat that the agent is talking in. */
export function createMessaging(options: MessagingOptions, current?: ChatTarget & { platform: string }): Messaging {
  const { store } = options;
  const sources = async (): Promise<TargetSources> => {
    const platforms = await options.listPlatforms();
    return {
      platforms: platforms.map(({ name }) => name),
      homes: new Map(platforms.flatMap(({ name, homeChannel }) => (homeChannel ? [[name, homeChannel]] : []))),
      directory: await readDirectory(options.home, store),
    };
  };
  return {
    async listTargets() {
      const { platforms, homes, directory } = await sources();
      const usable = directory.filter(({ platform }) => platforms.includes(platform));
      return { platforms, chats: usable, homes: [...homes.keys()].map((name) => homeOf(name, homes, usable)) };
    },
    findTarget: async (target) => findTarget(target, await sources()),
    isCurrentChat: ({ platform, chatId, threadId }) =>
      platform === current?.platform && chatId === current.chatId && threadId === current.threadId,
    send: (target, text, signal) => send(options, { target, text, signal }),
  };
}

type Sending = { target: MessageTarget; text: string; signal: AbortSignal };

async function send(options: MessagingOptions, { target, text, signal }: Sending): Promise<MessageDelivery> {
  const account = await options.openAccount(target.platform);
  const { messages, chat } = await enqueue(options, account, { target, text, id: newId('send') });
  const delivery = await waitForDelivery(options, messages, signal);
  if (delivery.outcome === 'delivered' && chat?.sessionId !== undefined) options.onDelivered?.(chat.sessionId, text);
  return delivery;
}

export type NewMessage = { target: MessageTarget; text: string; id: string };

/** Stores a message in the outbox of an account. A second one with the same id is not stored. */
export async function enqueue(
  { store, clock }: MessagingOptions,
  { account, channel, wake }: SendingAccount,
  { target, text, id }: NewMessage,
): Promise<{ messages: readonly NewOutgoing[]; chat: GatewayConversation | undefined }> {
  const chat = await findChat(store, target);
  const messages = toOutgoing({ account, channel, chat, now: clock.now(), id }, target, redactSecrets(text));
  if (messages.length === 0) throw new HermesError('The message has no visible text.');
  if (messages.length > MAX_PARTS)
    throw new HermesError(
      `The text is too long: it would need ${messages.length} messages, and the limit is ${MAX_PARTS}.`,
    );
  const { unsent } = await store.figures();
  if (unsent >= MAX_UNSENT)
    throw new HermesError(`${unsent} messages are waiting to be sent, so no more are accepted.`, {
      hint: 'See `hermes gateway status`.',
    });
  await store.addOutgoing(messages);
  wake();
  return { messages, chat };
}

/** The chat as it was last used; in a group, several members can have one. */
async function findChat(
  store: GatewayStore,
  { platform, chatId, threadId }: MessageTarget,
): Promise<GatewayConversation | undefined> {
  const chats = await store.listGatewayConversations(MAX_CHATS);
  return chats.find(
    ({ source }) => source['platform'] === platform && source['chatId'] === chatId && source['threadId'] === threadId,
  );
}

type Sender = { account: string; channel: Channel; chat: GatewayConversation | undefined; now: number; id: string };

function toOutgoing({ account, channel, chat, now, id }: Sender, target: MessageTarget, text: string): NewOutgoing[] {
  const { platform, chatId, threadId } = target;
  // Messages with the same key are sent in order, so those to a known chat share the key of its answers.
  const key = chat?.key ?? ['send', platform, chatId, threadId].filter((part) => part !== undefined).join(':');
  const address: ChatTarget = threadId === undefined ? { chatId } : { chatId, threadId };
  const isGroup = chat === undefined ? chatId.startsWith('-') : chat.source['chatType'] !== 'dm';
  return channel.render(text).map((content, index) => ({
    key,
    account,
    id: `${id}/${index}`,
    kind: 'notice',
    body: toBody({ target: address, isGroup, content }),
    createdAt: now,
  }));
}

async function waitForDelivery(
  { store, clock }: MessagingOptions,
  messages: readonly NewOutgoing[],
  signal: AbortSignal,
): Promise<MessageDelivery> {
  const ids = messages.map(({ id }) => id);
  for (const end = clock.now() + WAIT_MS; ; ) {
    const states = await store.getDeliveries(ids);
    const delivery = judgeDelivery(states);
    if (delivery.outcome !== 'waiting' || clock.now() >= end || signal.aborted) return delivery;
    await clock.sleep(POLL_MS, signal).catch(() => undefined);
  }
}

/** The state of a message from the states of its parts. */
function judgeDelivery(states: readonly OutgoingState[]): MessageDelivery {
  const messageIds = states.map(({ id }) => id);
  const failed = states.find(({ state }) => state === 'failed' || state === 'expired');
  const sent = states.filter(({ state }) => state === 'sent').length;
  if (failed !== undefined) {
    const partly = sent === 0 ? '' : ` (${sent} of its ${states.length} parts were sent)`;
    return { messageIds, outcome: 'failed', reason: `${failed.error ?? 'it was not sent.'}${partly}` };
  }
  if (sent === states.length) return { messageIds, outcome: 'delivered' };
  const error = states.find((each) => each.error !== undefined)?.error;
  return { messageIds, outcome: 'waiting', reason: error ?? 'The platform has not accepted it yet.' };
}
