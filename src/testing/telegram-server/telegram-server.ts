import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { JsonObject } from '../../base/index.ts';
import { createFaultPlan, type DeliveryFaults, type PlatformFault } from '../platform-faults.ts';
import { createArrivalLog } from '../provider-server/provider-server.ts';
import { BOT, createChats, type TelegramGroup, type TelegramMessage, type TelegramUser } from './chats.ts';
import { createCallHandler, type TelegramCall } from './exchange.ts';
import { createFileStore } from './file-store.ts';
import { listenOnLoopback } from './listen.ts';
import type { MethodContext } from './methods.ts';
import { createUpdates } from './updates.ts';
import { startWebhookSender } from './webhook-sender.ts';
import { createUserActions, type UserEdit, type UserMessage, type UserPress } from './user-actions.ts';

export type TelegramServerOptions = {
  /** Keep the process alive while the server is open. */
  holdProcess?: boolean;
};

/** A fake Telegram: its Bot API over HTTP on loopback, for one bot. */
export type TelegramServer = AsyncDisposable & {
  /** `http://127.0.0.1:<port>`; the Bot API is at `<url>/bot<token>`. */
  readonly url: string;
  readonly token: string;
  readonly bot: { id: number; username: string };
  addUser(options?: { firstName?: string; username?: string }): TelegramUser;
  addGroup(options?: { title?: string; hasTopics?: boolean }): TelegramGroup;
  /** Returns the id of the topic. */
  addTopic(group: TelegramGroup, name: string): number;
  /** A user sends a message. Returns its id. */
  send(message: UserMessage): number;
  edit(edit: UserEdit): void;
  /** A user presses a button. Returns the id of the callback query. */
  press(press: UserPress): string;
  /** A user blocks the bot. */
  block(user: TelegramUser): void;
  /** A group becomes a supergroup. Returns its new id. */
  upgrade(group: TelegramGroup): number;
  /** Adds any update, such as one of an unknown kind. */
  pushUpdate(update: JsonObject): void;
  /** The messages of the bot in a chat, oldest first. */
  messages(chatId: number): TelegramMessage[];
  /** The first messages of the bot in all chats, as soon as there are so many. */
  waitForMessages(count: number): Promise<TelegramMessage[]>;
  /** The reaction of the bot to a message. */
  reactions(chatId: number, messageId: number): string[];
  readonly drafts: readonly { chatId: number; draftId: number; text: string }[];
  /** The answers to pressed buttons. */
  readonly answers: readonly { id: string; text: string }[];
  /** The chats in which the bot has shown that it is typing. */
  readonly typing: readonly number[];
  readonly commands: readonly JsonObject[];
  /** All calls so far, also those that failed. */
  readonly calls: readonly TelegramCall[];
  waitForCalls(count: number): Promise<TelegramCall[]>;
  /** Updates that the bot has not confirmed. */
  readonly pendingUpdates: number;
  /** Another program sets or deletes a webhook. */
  setWebhook(isSet: boolean): void;
  /** Where requests to the webhook of the bot arrive, such as `http://127.0.0.1:8443`: what a reverse proxy would do. */
  proxyWebhook(address: string): void;
  /** The statuses of the requests to the webhook; undefined for those without a response. */
  readonly webhookStatuses: readonly (number | undefined)[];
  /** The next calls of a method fail. */
  failNext(method: string, fault: PlatformFault, times?: number): void;
  /** Chooses a fault for every call. */
  setFaults(choose: (call: TelegramCall) => PlatformFault | undefined): void;
  setDelivery(faults: DeliveryFaults): void;
  /** Every call fails with 401 from now on. */
  revokeToken(): void;
  close(): Promise<void>;
};

const OTHER_WEBHOOK = { url: 'https://other.example/hook', secret: undefined, lastError: undefined };

export async function createTelegramServer(options: TelegramServerOptions = {}): Promise<TelegramServer> {
  const token = `${BOT.id}:AAtest_token_of_the_fake_server_0123456`;
  const [chats, updates, files] = [createChats(), createUpdates(), createFileStore()];
  const calls = createArrivalLog<TelegramCall>('calls');
  const messages = createArrivalLog<TelegramMessage>('messages');
  const faults = createFaultPlan<TelegramCall>();
  const closed = new AbortController();
  let isRevoked = false;
  const state = { drafts: [], answers: [], typing: [], commands: [] } satisfies Partial<MethodContext>;
  const handle = createCallHandler({
    token,
    isRevoked: () => isRevoked,
    calls,
    faults,
    context: { chats, updates, files, onMessage: (message) => messages.add(message), ...state, gone: closed.signal },
  });
  const listener = (incoming: IncomingMessage, response: ServerResponse) => void handle(incoming, response);
  const server = createServer({ keepAliveTimeout: 60_000, requestTimeout: 0, headersTimeout: 0 }, listener);
  const { url, close: stop } = await listenOnLoopback(server, options.holdProcess ?? false);
  const webhook = startWebhookSender(updates, closed.signal);
  const close = () => {
    closed.abort();
    calls.close();
    messages.close();
    return stop();
  };
  return {
    url,
    token,
    bot: { id: BOT.id, username: BOT.username },
    addUser: (user = {}) => chats.addUser(user),
    addGroup: (group = {}) => chats.addGroup(group),
    addTopic: (group, name) => chats.addTopic(group.id, name),
    ...createActions(),
    pushUpdate: (update) => void updates.add(update),
    messages: (chatId) => [...chats.find(chatId).sent.values()],
    waitForMessages: (count) => messages.waitFor(count),
    reactions(chatId, messageId) {
      const reaction = chats.find(chatId).raw.get(messageId)?.['reaction'];
      return typeof reaction === 'string' ? [reaction] : [];
    },
    ...state,
    calls: calls.entries,
    waitForCalls: (count) => calls.waitFor(count),
    get pendingUpdates() {
      return updates.pending;
    },
    setWebhook: (isSet) => updates.setWebhook(isSet ? OTHER_WEBHOOK : undefined),
    proxyWebhook: (address) => webhook.setAddress(address),
    webhookStatuses: webhook.statuses,
    failNext: (method, fault, times = 1) => faults.failNext((call) => call.method === method, fault, times),
    setFaults: (choose) => faults.setFaults(choose),
    setDelivery: (delivery) => updates.setDelivery(delivery),
    revokeToken() {
      isRevoked = true;
    },
    close,
    [Symbol.asyncDispose]: close,
  };

  function createActions() {
    const actions = createUserActions({ chats, updates, files });
    return {
      send: (message: UserMessage) => actions.send(message),
      edit: (edit: UserEdit) => actions.edit(edit),
      press: (press: UserPress) => actions.press(press),
      upgrade: (group: TelegramGroup) => actions.upgrade(group.id),
      block(user: TelegramUser) {
        chats.find(user.id).state = 'blocked';
      },
    };
  }
}
