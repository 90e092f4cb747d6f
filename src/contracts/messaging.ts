/** A chat that messages can be sent to. */
export type MessageTarget = {
  platform: string;
  chatId: string;
  threadId?: string;
  /** What the chat is called, for people. */
  name: string;
};

export type KnownTargets = {
  /** The home channels, by platform. */
  homes: readonly MessageTarget[];
  /** Other chats that the bot has been used in. */
  chats: readonly (MessageTarget & { type: string })[];
  /** The platforms that messages can be sent to. */
  platforms: readonly string[];
};

/** The outcome of a message. `waiting`: it is stored, and will be sent when the platform can be reached. */
export type MessageDelivery = {
  /** The ids of its parts in the outbox. */
  messageIds: readonly string[];
} & ({ outcome: 'delivered' } | { outcome: 'waiting'; reason: string } | { outcome: 'failed'; reason: string });

/** Sends messages to chats of messaging platforms. */
export interface Messaging {
  listTargets(): Promise<KnownTargets>;
  /**
   * Finds the chat of a target: `telegram` is the home channel, `telegram:#name` a chat by its name, and
   * `telegram:123:7` a chat and a thread by their ids. Throws `HermesError` if there is none.
   */
  findTarget(target: string): Promise<MessageTarget>;
  /** Whether a target is the chat that the agent is talking in. */
  isCurrentChat(target: MessageTarget): boolean;
  /** Stores a message in Markdown, and waits some seconds for its delivery. */
  send(target: MessageTarget, text: string, signal: AbortSignal): Promise<MessageDelivery>;
}
