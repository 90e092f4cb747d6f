import type { JsonObject } from '../base/index.ts';
import type { Pairing } from './pairing.ts';

/**
 * The durable state of the messaging gateway. Everything that must not be lost between a platform and a turn is a row:
 * a message is stored before its arrival is acknowledged to the platform, and an answer is stored before it is sent.
 */
export interface GatewayStore extends GatewayAccounts, GatewayInbox, GatewayOutbox, GatewayReports {
  /** The people who may use the bot, for a database that several machines share. A home directory has files for them. */
  readonly pairing: Pairing;
  /** Deletes messages that were finished or sent before a time, and the chats of old requests to webhooks. */
  pruneGateway(before: number): Promise<void>;
}

/** A bot account of a platform, held by the one process that receives and sends its messages. */
export type HeldAccount = {
  /** For example `telegram:123456`. */
  account: string;
  token: string;
  /** Where receiving continues, in the format of the platform; undefined at the first start. */
  cursor: JsonObject | undefined;
};

export interface GatewayAccounts {
  /** Undefined if another process holds the account. `holder` says who, for people. */
  holdAccount(account: string, holder: string, ttlMs: number): Promise<HeldAccount | undefined>;
  /** Returns false if another process took the account over. */
  renewAccount(held: HeldAccount, ttlMs: number): Promise<boolean>;
  releaseAccount(held: HeldAccount): Promise<void>;
  /** The processes that hold accounts or chats. */
  listOwners(): Promise<string[]>;
  /** Releases what a process held that died, so that nobody has to wait for the end of its leases. */
  releaseOwner(owner: string): Promise<void>;
}

/** The chat that a message belongs to. */
export type GatewayChat = {
  key: string;
  account: string;
  /** How the platform identifies the chat and the people in it. */
  source: JsonObject;
};

/** `edit` and `deletion` refer to an earlier message; `action` is a pressed button. */
export type InboxKind = 'message' | 'edit' | 'deletion' | 'action';

export type NewInboxMessage = {
  chat: GatewayChat;
  /** The id that the platform gave the event, unique within the account. */
  externalId: string;
  kind: InboxKind;
  /** The stable id of the sender. */
  author: string;
  body: JsonObject;
  sentAt: number;
  receivedAt: number;
};

/** `parked`: the turn failed repeatedly and is not started again by itself. */
export type InboxState = 'waiting' | 'working' | 'done' | 'parked';

export type InboxMessage = Omit<NewInboxMessage, 'chat'> & {
  id: number;
  key: string;
  account: string;
  state: InboxState;
  /** The turn that works on the message, or worked on it last. If it is not running, it was cut off. */
  turn: InboxTurn | undefined;
  /** How many turns have worked on it. */
  attempts: number;
};

/** A turn, and the newest stored message when it was assigned: what the turn stored has greater ids. */
export type InboxTurn = { id: string; after: number };

/** A chat as it is stored. */
export type GatewayConversation = GatewayChat & {
  sessionId: string | undefined;
  /** What the chat remembers, such as its model and its last reset. */
  settings: JsonObject;
  updatedAt: number;
};

/** The exclusive right to run turns for a chat. */
export type ChatClaim = { key: string; token: string };

export type ClaimedChat = ChatClaim & { conversation: GatewayConversation };

/** The end of the work on some messages, stored in one transaction. */
export type FinishedWork = {
  /** Ids of inbox messages. */
  messages: readonly number[];
  state: 'done' | 'parked';
  outgoing: readonly NewOutgoing[];
  changes?: ConversationChanges;
  /** Whether the claim ends. */
  release: boolean;
};

export type AssignedTurn = { turnId: string; sessionId: string };

export type ConversationChanges = {
  sessionId?: string | undefined;
  /** Replaces these keys of the settings and keeps the others; null removes a key. */
  settings?: JsonObject;
};

export interface GatewayInbox {
  /**
   * Stores messages and the new cursor together. Returns the messages that were not stored before, or `not_holder` if
   * another process took the account over; nothing is stored then.
   */
  receive(
    messages: readonly NewInboxMessage[],
    from?: { held: HeldAccount; cursor: JsonObject },
  ): Promise<readonly NewInboxMessage[] | 'not_holder'>;
  /**
   * Claims chats with waiting messages, those that waited longest first, then requests to webhooks, at most
   * `requestLimit` of them. The caller keeps its own claims, even if it could not renew them in time.
   */
  claimChats(options: {
    owner: string;
    limit: number;
    requestLimit?: number;
    /** Claims only chats with a waiting slash command. */
    onlyCommands?: boolean;
    ttlMs: number;
  }): Promise<ClaimedChat[]>;
  /** Returns false if another process took the chat over. */
  renewClaim(claim: ChatClaim, ttlMs: number): Promise<boolean>;
  releaseClaim(claim: ChatClaim): Promise<void>;
  /** The unfinished messages of the chat in order, or `lost` if another process took the chat over. */
  listUnfinished(claim: ChatClaim): Promise<InboxMessage[] | 'lost'>;
  /**
   * Assigns messages to a turn of a session before it starts, so that its answer can be found after a crash. Returns
   * false if another process took the chat over.
   */
  assignMessages(claim: ChatClaim, turn: AssignedTurn, messages: readonly number[]): Promise<boolean>;
  /** The turn did not start, or was interrupted because the process stops: that does not count as an attempt. */
  returnMessages(claim: ChatClaim, messages: readonly number[]): Promise<void>;
  /** Returns false, and changes nothing, if another process took the chat over. */
  finishWork(claim: ChatClaim, work: FinishedWork): Promise<boolean>;
  getGatewayConversation(key: string): Promise<GatewayConversation | undefined>;
}

/** In the order in which they are sent. */
export const OUTGOING_KINDS = ['control', 'final', 'question', 'notice'] as const;
export type OutgoingKind = (typeof OUTGOING_KINDS)[number];

export type NewOutgoing = {
  key: string;
  account: string;
  /** Identifies the message: a second one with the same id is not stored. */
  id: string;
  kind: OutgoingKind;
  body: JsonObject;
  createdAt: number;
};

export type OutgoingMessage = NewOutgoing & {
  attempts: number;
  /** Whether an earlier attempt may have succeeded. */
  mayHaveArrived: boolean;
};

/** No message waits longer for its next attempt. One that does was stored before a clock was set back, and is sent now. */
export const MAX_SEND_WAIT_MS = 3_600_000;

/** The outcome of an attempt to send. */
export type SendOutcome =
  | { state: 'sent'; platformIds: readonly string[]; at: number }
  | { state: 'retry'; notBefore: number; error: string; mayHaveArrived: boolean }
  | { state: 'failed' | 'expired'; error: string };

export interface GatewayOutbox {
  /** Stores messages to send. */
  addOutgoing(messages: readonly NewOutgoing[]): Promise<void>;
  /**
   * Takes the next message of each chat of the account, `control` first, unless one of the chat is being sent. What
   * another process was sending when it died is taken again with `mayHaveArrived`.
   */
  takeOutgoing(held: HeldAccount, options: { now: number; limit: number }): Promise<OutgoingMessage[]>;
  settleOutgoing(held: HeldAccount, id: string, outcome: SendOutcome): Promise<void>;
  /** The ids that the platform gave a message; undefined if it was not sent. */
  findPlatformIds(id: string): Promise<readonly string[] | undefined>;
  /** Whether the account has messages that are neither sent nor given up. */
  hasUnsent(account: string): Promise<boolean>;
}

/** Reads what the gateway has stored, for its status and for the targets of messages. */
export interface GatewayReports {
  figures(): Promise<GatewayFigures>;
  /** The number of messages in the inbox that are not finished. */
  countUnfinished(): Promise<number>;
  /** The chats that were used last, newest first, without requests to webhooks. */
  listGatewayConversations(limit: number): Promise<GatewayConversation[]>;
  /** The chats in whose sessions messages were stored after the one with this id, and the newest id of all sessions. */
  findNewMessages(after: number): Promise<NewChatMessages>;
  /** The states of outgoing messages; unknown ids are omitted. */
  getDeliveries(ids: readonly string[]): Promise<OutgoingState[]>;
  listAccounts(): Promise<AccountReport[]>;
  /** Messages that could not be sent so far, or at all, newest first. */
  listSendErrors(limit: number): Promise<SendErrorReport[]>;
  /** The chats in which turns run, those that started first at the start. */
  listWorking(limit: number): Promise<WorkingReport[]>;
}

export type NewChatMessages = { newestId: number; chats: readonly { key: string; sessionId: string }[] };

export type OutgoingState = {
  id: string;
  state: 'pending' | 'sending' | 'sent' | 'failed' | 'expired';
  /** Why the last attempt failed. */
  error: string | undefined;
};

export type AccountReport = {
  account: string;
  /** The process that receives and sends its messages; undefined if none does. */
  holder: string | undefined;
  lastReceivedAt: number | undefined;
  lastSentAt: number | undefined;
  /** Unfinished messages of the inbox and of the outbox. */
  waiting: number;
  unsent: number;
  failed: number;
};

export type SendErrorReport = {
  account: string;
  key: string;
  createdAt: number;
  attempts: number;
  error: string;
  isFinal: boolean;
};

export type WorkingReport = {
  key: string;
  /** When the oldest message of the turn was received. */
  since: number;
  attempts: number;
  /** The process that runs the turn; undefined if it died. */
  owner: string | undefined;
};

/** Numbers for the status of the gateway. Times are those of the oldest message. */
export type GatewayFigures = {
  waiting: number;
  waitingSince: number | undefined;
  parked: number;
  unsent: number;
  unsentSince: number | undefined;
  failed: number;
};
