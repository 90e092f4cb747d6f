import { errorMessage, HermesError } from '../../../base/index.ts';
import type {
  ChatSource,
  ChatTarget,
  ClaimedChat,
  GatewayStore,
  Logger,
  MessageTarget,
  Messaging,
} from '../../../contracts/index.ts';
import type { Runtime } from '../../../runtime/index.ts';
import type { AccountRunner } from '../accounts/account-runner.ts';
import { readDirectory, writeDirectory } from './channel-directory.ts';
import { createMessaging, enqueue, type MessagingOptions } from './messaging.ts';
import { recordInSession } from './mirror.ts';

type Sending = {
  runtime: Runtime;
  store: GatewayStore;
  /** The accounts of the gateway; they are added while it starts. */
  accounts: readonly AccountRunner[];
  readHomes?(): Promise<ReadonlyMap<string, string>>;
  signal: AbortSignal;
};

/** Sends messages with the accounts of the running gateway. */
export function gatewayMessaging({ runtime, store, accounts, readHomes, signal }: Sending): MessagingOptions {
  return {
    home: runtime.blueprint.settings.home,
    store,
    clock: runtime.clock,
    async listPlatforms() {
      const homes = await readHomes?.();
      const names = [...new Set(accounts.map(({ channel }) => channel.facts.platform))];
      return names.map((name) => ({ name, homeChannel: homes?.get(name) }));
    },
    async openAccount(platform) {
      const runner = accounts.find(({ channel }) => channel.facts.platform === platform);
      const { account = await findStoredAccount(store, platform), error } = runner?.status() ?? {};
      if (runner === undefined || account === undefined)
        throw new HermesError(`${platform} is not connected${error === undefined ? '' : `: ${error}`}.`);
      return { account, channel: runner.channel, wake: runner.wake };
    },
    onDelivered: (sessionId, text) => void recordInSession(runtime, { sessionId, text, signal }),
  };
}

/**
 * The account that a platform had when it was last connected. While the platform cannot be reached, messages wait in the
 * outbox of this account.
 */
export async function findStoredAccount(store: GatewayStore, platform: string): Promise<string | undefined> {
  return (await store.listAccounts()).find(({ account }) => account.startsWith(`${platform}:`))?.account;
}

/** Sends messages from a chat. */
export function messagingOf(options: MessagingOptions, { conversation }: ClaimedChat): Messaging {
  const platform = conversation.account.slice(0, conversation.account.indexOf(':'));
  return createMessaging(options, { ...(conversation.source as unknown as ChatTarget), platform });
}

/** An account that does not work until somebody changes its settings. */
export type FailedAccount = { platform: string; error: string };

/**
 * Tells the owner on another platform that an account does not work: in a home channel, or else in the direct chat that
 * an admin used last. Gateways that are started again and again report it once a day.
 */
export async function tellOwner(
  options: MessagingOptions,
  { platform, error }: FailedAccount,
  isOwnerChat: (source: ChatSource) => Promise<boolean>,
): Promise<boolean> {
  const target = await findOwner(options, platform, isOwnerChat);
  if (target === undefined) return false;
  const text = `⚠️ Hermes cannot use ${platform}: ${error} Other platforms are not affected. Restart the gateway when this is fixed.`;
  const day = new Date(options.clock.now()).toISOString().slice(0, 10);
  const account = await options.openAccount(target.platform);
  await enqueue(options, account, { target, text, id: `fatal/${platform}/${day}` });
  return true;
}

const MAX_CHATS = 1000;

async function findOwner(
  { store, listPlatforms }: MessagingOptions,
  failed: string,
  isOwnerChat: (source: ChatSource) => Promise<boolean>,
): Promise<MessageTarget | undefined> {
  const platforms = (await listPlatforms()).filter(({ name }) => name !== failed);
  for (const { name, homeChannel } of platforms)
    if (homeChannel !== undefined) return { platform: name, chatId: homeChannel, name: homeChannel };
  const names = platforms.map(({ name }) => name);
  for (const chat of await store.listGatewayConversations(MAX_CHATS)) {
    const source = chat.source as unknown as ChatSource;
    const { platform, chatId, chatType } = source;
    if (names.includes(platform) && chatType === 'dm' && (await isOwnerChat(source)))
      return { platform, chatId, name: chatId };
  }
  return undefined;
}

const DIRECTORY_MS = 300_000;

/** Keeps `channel_directory.json` current, which other programs read. */
export async function keepDirectory(
  { home, store, clock, listPlatforms }: MessagingOptions,
  { logger, signal }: { logger: Logger; signal: AbortSignal },
): Promise<void> {
  while (!signal.aborted) {
    try {
      const platforms = (await listPlatforms()).map(({ name }) => name);
      await writeDirectory(home, await readDirectory(home, store), { now: clock.now(), platforms });
    } catch (thrown) {
      logger.warn('could not write the channel directory', { error: errorMessage(thrown) });
    }
    await clock.sleep(DIRECTORY_MS, signal).catch(() => undefined);
  }
}
