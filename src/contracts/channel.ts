import { HermesError, type JsonObject } from '../base/index.ts';
import type { InboxKind } from './gateway-store.ts';

/**
 * A messaging platform, as its adapter presents it to the gateway. An adapter knows the protocol of its platform and
 * nothing about sessions, agents, roles or commands.
 */
export interface Channel {
  readonly facts: ChannelFacts;
  /** Converts Markdown into messages of the platform, each within `maxText`. Nothing visible gives no message. */
  render(markdown: string): MessageContent[];
  /** Verifies the credentials and returns who the bot is. Throws `ChannelError` if that fails. */
  identify(signal: AbortSignal): Promise<ChannelIdentity>;
  /** Verifies credentials that only receiving needs, where there are such. Throws like `identify`. */
  verifyReceiving?(signal: AbortSignal): Promise<void>;
  /**
   * Receives until the signal is aborted; it then resolves. Throws `ChannelError` if the connection fails: the caller
   * connects again.
   */
  receive(options: ReceiveOptions): Promise<void>;
  /** Sends one piece of text or one file. Throws `ChannelError` only if nothing was sent; see `ChannelFault`. */
  send(message: ChannelMessage, options: SendOptions): Promise<SentMessage>;
  /** Replaces the text of a message that was sent, and removes its buttons. */
  edit(target: ChatTarget, messageId: string, content: MessageContent, signal: AbortSignal): Promise<void>;
  remove?(target: ChatTarget, messageId: string, signal: AbortSignal): Promise<void>;
  /** Shows that an answer is being written, for a few seconds. */
  showTyping?(target: ChatTarget, signal: AbortSignal): Promise<void>;
  /** Sets the reaction of the bot to a message; undefined removes it. */
  react?(target: ChatTarget, messageId: string, reaction: string | undefined, signal: AbortSignal): Promise<void>;
  /** Confirms a pressed button to the platform, and shows a short text to the user who pressed it. */
  acknowledgeAction?(action: ChannelAction, text: string, signal: AbortSignal): Promise<void>;
  /** Shows text that is still being written, if the platform has something better than edits. */
  showDraft?(target: ChatTarget, draft: { id: string; content: MessageContent }, signal: AbortSignal): Promise<void>;
  /** Messages that grow while they are written, if the platform has them. */
  readonly streams?: MessageStreams;
  /** Offers commands to the user, where the platform has a menu of them. */
  offerCommands?(commands: readonly ChannelCommand[], signal: AbortSignal): Promise<void>;
  fetchFile(file: IncomingFile, options: { maxBytes: number; signal: AbortSignal }): Promise<Uint8Array>;
  /** What the adapter keeps in memory between two calls. */
  listFills?(): Fill[];
  close(): Promise<void>;
}

/** Messages to which text is appended while it is written. They are incomplete until they are stopped. */
export interface MessageStreams {
  /** Sends the beginning of a text. `recipientId` is the user who is answered. */
  start(
    target: ChatTarget,
    text: { markdown: string; recipientId: string | undefined },
    signal: AbortSignal,
  ): Promise<SentMessage>;
  append(target: ChatTarget, messageId: string, markdown: string, signal: AbortSignal): Promise<void>;
  /** Ends a message as it is. `edit` and `remove` also do that, so that any process can replace it. */
  stop(target: ChatTarget, messageId: string, signal: AbortSignal): Promise<void>;
}

/** How full a queue, a cache or a table is. */
export type Fill = { name: string; used: number; limit: number };

export type ChannelIdentity = {
  /** The bot account, such as `telegram:123456`. */
  account: string;
  /** What people call the bot, such as `@my_bot`. */
  name: string;
};

/** A slash command, with its name without the slash. */
export type ChannelCommand = { name: string; description: string };

/** What a platform can do. */
export type ChannelFacts = {
  /** The name in configuration, session keys and files. */
  platform: string;
  /** The maximum length of a text, in `textUnit`. */
  maxText: number;
  textUnit: TextUnit;
  /** Whether a message can have buttons. */
  hasButtons: boolean;
  /**
   * How a text is shown while it is being written: `draft`: with `showDraft` in direct messages; `stream`: with `streams`
   * in threads. Both use edits elsewhere.
   */
  streaming: 'draft' | 'stream' | 'edit' | 'none';
  maxUploadBytes: number;
  maxDownloadBytes: number;
  /**
   * How a repeated message is recognised: `key`: the platform refuses a second message with the same key; `lookup`: the
   * adapter finds the first one before it sends again; `none`: the message is marked as possibly repeated.
   */
  repeats: 'key' | 'lookup' | 'none';
  rates: RateRules;
  /** A connection without a sign of life for this time is dead. */
  silenceMs: number;
};

/** How a platform counts the length of a text. */
export type TextUnit = 'utf16' | 'codePoints' | 'bytes';

/** At most `count` messages in `perMs`. */
export type Rate = { count: number; perMs: number };
export type RateRules = { account: Rate; chat: Rate; group?: Rate };

export type ReceiveOptions = {
  /** What the last delivery returned; undefined at the first start. */
  cursor: JsonObject | undefined;
  /**
   * Stores events, and returns how many of them were not stored before. Only when it resolves may the adapter
   * acknowledge them to the platform.
   */
  deliver(events: readonly ChannelEvent[], cursor: JsonObject): Promise<number>;
  /** Called with every proof that the connection works, such as an answered ping or an empty poll. */
  onAlive(): void;
  signal: AbortSignal;
};

/** Something that happened in a chat. */
export type ChannelEvent = {
  /** Unique within the account, also across kinds. */
  id: string;
  kind: InboxKind;
  source: ChatSource;
  sentAt: number;
  content: IncomingContent;
  /** Where the answer goes, if not to the chat. */
  delivery?: AnswerDelivery;
};

/** Where an event comes from. The names of fields in files and keys are those of the original. */
export type ChatSource = {
  platform: string;
  chatType: ChatType;
  chatId: string;
  threadId?: string;
  /** The stable id of the sender; never a display name. */
  userId?: string;
  /** A second stable id, where the platform has one. */
  userIdAlt?: string;
  userName?: string;
  chatName?: string;
  chatTopic?: string;
  /** The id that the chat had until the platform moved it, for example when a group became a supergroup. */
  formerChatId?: string;
  /** Only of a `webhook`: the tool sets and the skills of its route, and the URLs that are fields of its prompt. */
  toolsets?: string[];
  skills?: string[];
  urls?: string[];
};

/** `webhook`: a request of another program, which is a chat of its own. */
export type ChatType = 'dm' | 'group' | 'channel' | 'thread' | 'webhook';

export type IncomingContent = {
  /** The id of the message in its chat; replies and edits refer to it. */
  messageId: string;
  text: string;
  files: readonly IncomingFile[];
  /** Whether the message is meant for the bot: a direct message, a mention, or a reply to it. */
  isAddressed: boolean;
  /** Whether another bot sent it. */
  isFromBot?: boolean;
  /** The quoted message. */
  replyTo?: { messageId: string; text: string; author?: string; isOurs: boolean };
  /** Whose text it is, if the sender forwarded it. */
  forwardedFrom?: string;
  /** Messages with the same album were sent as one. */
  albumId?: string;
  /** Set for `action`. */
  action?: ChannelAction;
  /** Text of others to which `text` refers as `{name}`, such as the fields of a request to a webhook. */
  fields?: readonly RequestField[];
  /** The text is delivered as it is, without a turn. */
  isAnswer?: true;
};

export type RequestField = { name: string; value: string };

/** A pressed button. */
export type ChannelAction = { id: string; data: string; messageId: string };

export type IncomingFile = {
  id: string;
  kind: 'image' | 'audio' | 'video' | 'document';
  name?: string;
  mediaType?: string;
  bytes?: number;
  /** Whether it was recorded as a voice message. */
  isVoice?: boolean;
};

/** Where a message goes. */
export type ChatTarget = {
  chatId: string;
  threadId?: string;
  /** The message that is answered. */
  replyTo?: string;
  /** Where the message goes, if not to the chat. */
  delivery?: AnswerDelivery;
};

/** Where the answer to a request goes. `target` names a chat as `Messaging.findTarget` does. */
export type AnswerDelivery =
  | { to: 'log' }
  | { to: 'chat'; target: string }
  | { to: 'github_comment'; repository: string; number: string };

/** A text as the renderer of the platform wrote it, with its formatting in the format of the platform. */
export type MessageContent = { text: string; format?: JsonObject };

export type ChannelButton = { label: string; data: string; style?: 'primary' | 'danger' };

export type ChannelMessage = {
  target: ChatTarget;
  content?: MessageContent;
  buttons?: readonly (readonly ChannelButton[])[];
  file?: { name: string; mediaType: string; bytes: Uint8Array; isVoice?: boolean; caption?: string };
};

export type SendOptions = {
  /** Identifies the message, also after a restart. */
  key: string;
  /** Whether an earlier attempt may have succeeded. */
  mayHaveArrived: boolean;
  signal: AbortSignal;
};

export type SentMessage = { id: string };

/**
 * Why a call failed. `uncertain`: the platform may have done it. `rate_limited`, `transient` and `uncertain` are worth
 * repeating. `fatal`: the account does not work, for example because its token was revoked.
 */
export type ChannelFault = (typeof CHANNEL_FAULTS)[number];

const CHANNEL_FAULTS = [
  'too_long',
  'bad_format',
  'forbidden',
  'not_found',
  'rate_limited',
  'transient',
  'uncertain',
  'fatal',
  'rejected',
] as const;

/** A call to a platform failed. */
export class ChannelError extends HermesError {
  readonly fault: ChannelFault;
  /** How long the platform wants to be left alone. */
  readonly retryAfterMs: number | undefined;

  constructor(
    fault: ChannelFault,
    message: string,
    options: { retryAfterMs?: number; hint?: string; cause?: unknown } = {},
  ) {
    super(message, options);
    this.fault = fault;
    this.retryAfterMs = options.retryAfterMs;
  }

  /** A plugin cannot import this class: any error with a fault counts. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    if (this !== ChannelError) return Function.prototype[Symbol.hasInstance].call(this, value);
    return value instanceof Error && CHANNEL_FAULTS.includes((value as Partial<ChannelError>).fault as ChannelFault);
  }
}
