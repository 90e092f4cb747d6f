import { errorMessage, startTimer } from '../../base/index.ts';
import type { TranscriptionSettings } from '../../config/gateway/index.ts';
import type {
  Channel,
  ChannelEvent,
  ChannelIdentity,
  ChatSource,
  ClaimedChat,
  Fill,
  GatewayStore,
  Messaging,
  NewInboxMessage,
  Pairing,
  ScheduledJobs,
} from '../../contracts/index.ts';
import type { ForwardedMessage } from '../../platforms/index.ts';
import type { AgentBlueprint, Runtime } from '../../runtime/index.ts';
import { settlesWithin } from '../../util/index.ts';
import type { SlashRegistry } from '../slash/index.ts';
import { type AccountRunner, type AccountStatus, startAccount } from './accounts/account-runner.ts';
import { type ChatBackground, createChatBackground } from './chats/chat-background.ts';
import { blueprintOf } from './chats/chat-blueprint.ts';
import { mayRunAgain, runChatCommand } from './chats/chat-commands.ts';
import { type ChatRules, createChatHost } from './chats/chat-host.ts';
import { readChatMessage, toInboxMessage } from './chats/chat-message.ts';
import { createChatSessions } from './chats/chat-sessions.ts';
import { startChatWorker } from './chats/chat-worker.ts';
import { toOutgoing } from './chats/outgoing-text.ts';
import { startCoordinator } from './coordinator.ts';
import { type ChatMedia, createChatMedia } from './media/chat-media.ts';
import { createFileGate } from './media/file-gate.ts';
import { createMediaCache, type MediaCache } from './media/media-cache.ts';
import { createTranscriber } from './media/transcribe.ts';
import { readOriginalSessions, type SessionsFile, startSessionsFile } from './original-sessions.ts';
import { findActor, isListed } from './people/access.ts';
import { isForBot } from './people/attention.ts';
import { createPairing } from './people/pairing.ts';
import type { GatewayHooks } from './hooks/gateway-hooks.ts';
import { emitCommand, observeChat } from './hooks/observe-turns.ts';
import { releaseDeadProcesses } from './release-processes.ts';
import {
  type FailedAccount,
  gatewayMessaging,
  keepDirectory,
  messagingOf,
  tellOwner,
} from './sending/gateway-messaging.ts';
import { createMessaging, type MessagingOptions } from './sending/messaging.ts';
import { forwardMessage } from './webhooks.ts';

export type GatewayOptions = {
  runtime: Runtime;
  registry: SlashRegistry;
  channels: readonly Channel[];
  rules: ChatRules;
  /** Says who this process is, for people: host and process id. */
  owner: string;
  version: string;
  /** How many chats are worked on at the same time. */
  maxChats: number;
  /** How voice messages are transcribed, and the folders whose files may be sent. */
  media?: { transcription: TranscriptionSettings | undefined; folders: readonly string[] };
  onStatus?(status: AccountStatus): void;
  /** Get the events of chats and turns. */
  hooks?: GatewayHooks;
  /** The ids of the home channels, by platform. They are read for each message, because `/sethome` changes them. */
  readHomes?(): Promise<ReadonlyMap<string, string>>;
  /** The jobs that the agent of a chat can schedule. */
  jobsOf?(chat: ClaimedChat, messaging: Messaging): ScheduledJobs;
  /** Called with what is not valid in the home directory and was ignored. */
  onProblem?(problem: string): void;
};

/** How long finished messages are kept. The ids of older ones could be delivered again, but no platform does that. */
const KEPT_MS = 30 * 24 * 3_600_000;

/** The running gateway: its accounts receive and send, and its coordinator runs the turns. */
export interface Gateway {
  status(): readonly AccountStatus[];
  readonly working: number;
  /** Resolves when every account is connected or has failed to connect. */
  readonly started: Promise<void>;
  readonly messaging: Messaging;
  /** Stores a message of a webhook for a chat of another platform. Throws `ChannelError`. */
  forward(message: ForwardedMessage): Promise<void>;
  /** The number of chats whose sessions are open. */
  readonly openSessions: number;
  /** How full the queues and caches are. */
  listFills(): Fill[];
  /** Events and messages that were refused without a reply, by reason, since the start. */
  readonly refused: Readonly<Record<RefusalReason, number>>;
  /** Lets running turns end, then disconnects. Nothing that was received is lost. */
  close(drainMs: number): Promise<void>;
}

/** Why something was refused without a reply. */
type RefusalReason = 'unreadable_events' | 'strangers';

export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const { runtime, owner } = options;
  const { clock, logger } = runtime;
  const { store, sessionsFile } = await openStore(runtime);
  await store.pruneGateway(clock.now() - KEPT_MS);
  const accounts: AccountRunner[] = [];
  const onProblem = (problem: string) => {
    logger.warn('ignored something in the home directory', { problem });
    options.onProblem?.(problem);
  };
  const { home, storage } = runtime.blueprint.settings;
  const pairing = storage === undefined ? createPairing(home, clock, onProblem) : store.pairing;
  const cache = createMediaCache(home);
  const pruning = pruneRegularly(cache, runtime);
  const accountOf = (account: string) => findAccount(accounts, account);
  const closing = new AbortController();
  const media = openMedia(options, { store, cache, pairing, accountOf });
  const sending = gatewayMessaging({ ...options, store, accounts, signal: closing.signal });
  const blueprint = (chat: ClaimedChat) => openBlueprint(options, chat, { media, sending, pairing });
  const background = openBackground(runtime, { store, accountOf, blueprint });
  const refused = { unreadable_events: 0, strangers: 0 };
  const refuse = (reason: RefusalReason) => void (refused[reason] += 1);
  const host = await openHost(options, { store, accounts, background, media, pairing, blueprint, onProblem, refuse });
  const coordinator = startCoordinator({
    store,
    clock,
    logger,
    owner,
    maxChats: options.maxChats,
    startWorker: (chat, how) => startChatWorker(host, chat, how),
  });
  const onFatal = (failed: FailedAccount) =>
    void reportFatal(options, { sending, pairing, failed, started: starting.done });
  const starting = watchStart(options);
  for (const channel of options.channels) {
    accounts.push(
      startAccount({
        channel,
        store,
        holder: owner,
        clock,
        logger,
        readBlob: async (hash) => (await runtime.store.getBlob(hash))?.bytes,
        toMessage: (event, identity) => toMessage(options, { event, identity, refuse }),
        onReceived: coordinator.wake,
        onStatus: createStatusHandler(options, channel, { onStatus: starting.onStatus, onFatal }),
      }),
    );
  }
  void keepDirectory(sending, { logger, signal: closing.signal });
  return {
    status: () => accounts.map((account) => account.status()),
    get working() {
      return coordinator.working;
    },
    started: starting.done,
    messaging: createMessaging(sending),
    forward: (message) => forwardMessage(sending, message),
    get openSessions() {
      return host.openSessions;
    },
    listFills: () => [
      coordinator.fill(),
      ...[host, background, ...accounts].flatMap((part) => part.listFills()),
      ...(options.hooks?.listFills() ?? []),
    ],
    refused,
    async close(drainMs) {
      clearInterval(pruning);
      closing.abort();
      const elapsed = startTimer(clock);
      await coordinator.close(drainMs, host.close);
      await background.close();
      await closeAccounts(accounts, drainMs - elapsed());
      await sessionsFile?.close();
    },
  };
}

/** The blueprint of a chat's agent, which can send messages and schedule jobs. */
async function openBlueprint(
  { runtime, rules, jobsOf }: GatewayOptions,
  chat: ClaimedChat,
  { media, sending, pairing }: { media: ChatMedia; sending: MessagingOptions; pairing: Pairing },
): Promise<AgentBlueprint> {
  const messaging = messagingOf(sending, chat);
  const own = await blueprintOf(runtime, chat, { media, rules, pairing });
  // The request of a program schedules nothing.
  const jobs = own.attended ? jobsOf?.(chat, messaging) : undefined;
  return { ...own, messaging, ...(jobs && { jobs }) };
}

type BackgroundParts = Pick<HostParts, 'store' | 'blueprint'> & Pick<MediaParts, 'accountOf'>;

function openBackground(runtime: Runtime, { store, accountOf, blueprint }: BackgroundParts): ChatBackground {
  return createChatBackground({
    runtime,
    blueprint,
    async tell(chat, message) {
      const { channel, wake } = accountOf(chat.conversation.account);
      await store.addOutgoing(toOutgoing(channel, chat, { ...message, kind: 'final', now: runtime.clock.now() }));
      wake();
    },
  });
}

/**
 * The tables of the gateway, without the leases of processes that died. In a home directory, `sessions.json` follows them
 * for the original.
 */
async function openStore(runtime: Runtime): Promise<{ store: GatewayStore; sessionsFile: SessionsFile | undefined }> {
  const store = await runtime.store.openGatewayStore();
  await releaseDeadProcesses(store);
  const { home, storage } = runtime.blueprint.settings;
  if (storage !== undefined) return { store, sessionsFile: undefined };
  const sessionsFile = startSessionsFile({ ...runtime, home, store, sessions: runtime.store });
  const finishWork: GatewayStore['finishWork'] = async (claim, work) => {
    const isFinished = await store.finishWork(claim, work);
    if (isFinished && work.changes?.sessionId !== undefined) sessionsFile.touch(claim.key);
    return isFinished;
  };
  return { store: { ...store, finishWork }, sessionsFile };
}

type MediaParts = {
  store: GatewayStore;
  cache: MediaCache;
  pairing: Pairing;
  accountOf(account: string): AccountRunner;
};

function openMedia({ runtime, rules, media }: GatewayOptions, parts: MediaParts): ChatMedia {
  const { home } = runtime.blueprint.settings;
  return createChatMedia({
    ...parts,
    services: runtime,
    gate: createFileGate({ home, allowedFolders: media?.folders ?? [] }),
    transcribe: createTranscriber(media?.transcription),
    async isUnlisted(message) {
      const { source } = readChatMessage(message);
      const access = rules.access.get(source.platform);
      if (source.chatType === 'dm' || source.chatType === 'webhook' || access === undefined) return false;
      const approved = await parts.pairing.listApproved(source.platform);
      return !isListed(
        source,
        access,
        approved.map(({ userId }) => userId),
      );
    },
  });
}

const PRUNE_MS = 3_600_000;

/** Deletes received files now and every hour. */
function pruneRegularly(cache: MediaCache, { clock, logger }: Runtime): NodeJS.Timeout {
  const prune = () =>
    void cache.prune(clock.now()).catch((thrown: unknown) => logger.error('could not delete old files', {}, thrown));
  prune();
  return setInterval(prune, PRUNE_MS).unref();
}

/** Knows when every account is connected, or has failed to connect. */
function watchStart({ channels, onStatus }: GatewayOptions) {
  const { promise, resolve } = Promise.withResolvers<void>();
  const settled = new Set<Channel>();
  if (channels.length === 0) resolve();
  return {
    done: promise,
    onStatus(status: AccountStatus, channel: Channel): void {
      if (status.state !== 'connecting') settled.add(channel);
      if (settled.size === channels.length) resolve();
      onStatus?.(status);
    },
  };
}

/** Sends answers that were finished in the meantime, and closes the connections. */
async function closeAccounts(accounts: readonly AccountRunner[], waitMs: number): Promise<void> {
  await settlesWithin(Promise.all(accounts.map((account) => account.flush())), Math.max(0, waitMs));
  await Promise.all(accounts.map((account) => account.close()));
}

type HostParts = {
  store: GatewayStore;
  accounts: readonly AccountRunner[];
  background: ChatBackground;
  media: ChatMedia;
  pairing: Pairing;
  blueprint(chat: ClaimedChat): Promise<AgentBlueprint>;
  onProblem(problem: string): void;
  refuse(reason: RefusalReason): void;
};

async function openHost(options: GatewayOptions, { accounts, blueprint, onProblem, ...parts }: HostParts) {
  const { runtime, registry, rules, hooks } = options;
  const { home } = runtime.blueprint.settings;
  const originals = await readOriginalSessions(home, onProblem);
  const commands = { ...options, access: rules.access, accounts: () => accounts.map((account) => account.status()) };
  return createChatHost({
    ...parts,
    services: runtime,
    rules,
    skills: runtime.skills,
    sessions: createChatSessions({
      services: runtime,
      resets: rules.resets,
      blueprint,
      findOriginalSession: (key) => originals.get(key),
      onOpened: (conversation, chat, session) => observeChat(hooks, { conversation, chat, session }),
    }),
    accountOf: (account) => findAccount(accounts, account),
    isPostponed: (line) => registry.duringTurn(line, 'gateway') === 'afterwards',
    mayRunAgain: (line) => mayRunAgain(registry, line),
    onIgnored: () => parts.refuse('strangers'),
    runSlashCommand(call) {
      emitCommand(hooks, call.line, call.actor);
      return runChatCommand(commands, call);
    },
  });
}

/** The message of an event that Hermes reads. An event that cannot be read must not stop those after it. */
function toMessage(
  { runtime, rules }: GatewayOptions,
  { event, identity, refuse }: { event: ChannelEvent; identity: ChannelIdentity; refuse(reason: RefusalReason): void },
): NewInboxMessage | undefined {
  const mentions = rules.mentions.get(event.source.platform);
  try {
    if (mentions === undefined ? !event.content.isAddressed : !isForBot(event, mentions)) return undefined;
    return toInboxMessage(event, identity, { ...rules.keys, receivedAt: runtime.clock.now() });
  } catch (thrown) {
    refuse('unreadable_events');
    runtime.logger.error('could not read an event', { platform: event.source.platform, id: event.id }, thrown);
    return undefined;
  }
}

/** Offers the commands in the menu of the platform as soon as the account is connected. */
function createStatusHandler(
  { registry, runtime }: GatewayOptions,
  channel: Channel,
  {
    onStatus,
    onFatal,
  }: { onStatus(status: AccountStatus, channel: Channel): void; onFatal(failed: FailedAccount): void },
) {
  let isOffered = channel.offerCommands === undefined;
  return (status: AccountStatus) => {
    onStatus(status, channel);
    const { platform, state, error = '' } = status;
    if (state === 'fatal') onFatal({ platform, error });
    if (isOffered || status.state !== 'connected') return;
    isOffered = true;
    const commands = registry.listCommands('gateway').map(({ name, about }) => ({ name, description: about }));
    channel.offerCommands?.(commands, AbortSignal.timeout(OFFER_MS)).catch((thrown: unknown) => {
      runtime.logger.warn('could not offer the commands', { platform: status.platform, error: errorMessage(thrown) });
    });
  };
}

const OFFER_MS = 30_000;

type FatalParts = { sending: MessagingOptions; pairing: Pairing; failed: FailedAccount; started: Promise<void> };

/** The owner hears of an account that does not work on another platform, when that one is connected. */
async function reportFatal(options: GatewayOptions, { sending, pairing, failed, started }: FatalParts): Promise<void> {
  const { rules, runtime } = options;
  const isOwnerChat = async (source: ChatSource) => {
    const access = rules.access.get(source.platform);
    if (access === undefined) return false;
    const approved = (await pairing.listApproved(source.platform)).map(({ userId }) => userId);
    return findActor(source, access, approved)?.role === 'admin';
  };
  await started;
  const isReported = await tellOwner(sending, failed, isOwnerChat).catch((thrown: unknown) => {
    runtime.logger.warn('could not tell the owner about a platform', { ...failed, reason: errorMessage(thrown) });
    return true;
  });
  if (!isReported) runtime.logger.warn('there is no other chat to tell the owner about a platform', failed);
}

function findAccount(accounts: readonly AccountRunner[], account: string): AccountRunner {
  const platform = account.slice(0, account.indexOf(':'));
  const found =
    accounts.find((each) => each.status().account === account) ??
    accounts.find((each) => each.channel.facts.platform === platform);
  if (found === undefined) throw new Error(`no account for ${account}`);
  return found;
}
