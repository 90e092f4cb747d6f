import type { RunResult } from '../../../base/index.ts';
import type { ClaimedChat, InboxMessage, InboxTurn } from '../../../contracts/index.ts';
import type { Conversation } from '../../../conversations/index.ts';
import { limitAttachments } from '../media/prepare-message.ts';
import { composeText, type PreparedMessage, readChatMessage, toInboxBody } from './chat-message.ts';

/**
 * What a command printed, or the message that it stands for. `sent` is sent to the model instead of `text`, for example
 * with the content of a skill; `steers`: the message is for the running turn; `isComposed`: the text names its sender.
 */
export type CommandResult = { printed: string } | Replacement;
export type Replacement = { text: string; sent?: string | undefined; steers?: true; isComposed?: boolean };

/** What the texts of a turn depend on. */
type TurnParts = {
  host: {
    now(): number;
    isShared(message: InboxMessage): boolean;
    hasStored(sessionId: string, turn: InboxTurn): Promise<boolean>;
  };
  conversation: { readonly sessionId: string };
  /** The messages that commands stand for. */
  sent: ReadonlyMap<number, Replacement>;
  preparation: { readonly prepared: ReadonlyMap<number, PreparedMessage> };
};

const RESUMED = '[Hermes was restarted while it worked on the message above. Continue with it.]';

/** The text of a message, or that of the message that its command stands for. */
export function textOfOne({ host, sent, preparation }: TurnParts, message: InboxMessage): string {
  const replacement = sent.get(message.id);
  if (replacement?.isComposed) return replacement.text;
  const body = readChatMessage(message);
  const content = replacement === undefined ? body.content : { ...body.content, text: replacement.text };
  const said = { ...message, body: toInboxBody({ ...body, content }) };
  return composeText([said], {
    now: host.now(),
    isShared: host.isShared(message),
    prepared: preparation.prepared,
  });
}

/** A turn gets at most this much, so that a flood of messages does not fill the context window. */
const MAX_MESSAGES = 50;
const MAX_CHARACTERS = 200_000;

/** The messages of the next turn, at least one. Those of an abandoned turn stay together. */
export function firstOf(messages: readonly InboxMessage[]): readonly InboxMessage[] {
  let characters = 0;
  const end = messages.findIndex((message, index) => {
    characters += readChatMessage(message).content.text.length;
    const isFull = index >= MAX_MESSAGES || characters > MAX_CHARACTERS;
    return index > 0 && isFull && message.turn === undefined;
  });
  return end < 0 ? messages : messages.slice(0, end);
}

/** The text for the model, if a message is the call of a skill; undefined if it is the text of the messages. */
export function withSkills(parts: TurnParts, messages: readonly InboxMessage[]): string | undefined {
  const { sent } = parts;
  if (!messages.some(({ id }) => sent.get(id)?.sent !== undefined)) return undefined;
  return messages.map((message) => sent.get(message.id)?.sent ?? textOfOne(parts, message)).join('\n\n');
}

export function preparedOf(
  { preparation }: Pick<TurnParts, 'preparation'>,
  messages: readonly InboxMessage[],
): PreparedMessage[] {
  return messages.flatMap(({ id }) => preparation.prepared.get(id) ?? []);
}

/** The text and the files of a turn. What a turn that was cut off has stored in the session is not repeated. */
export async function contentOf(parts: TurnParts, messages: readonly InboxMessage[]) {
  const { host, conversation } = parts;
  const unstored: InboxMessage[] = [];
  for (const message of messages) {
    const { turn } = message;
    const isStored = turn !== undefined && (await host.hasStored(conversation.sessionId, turn));
    if (!isStored) unstored.push(message);
  }
  const texts = unstored.map((message) => textOfOne(parts, message)).filter((text) => text !== '');
  const parted = [...(unstored.length < messages.length ? [RESUMED] : []), ...texts];
  const attachments = preparedOf(parts, unstored).flatMap((prepared) => prepared.attachments);
  return { text: parted.join('\n\n'), attachments: limitAttachments(attachments) };
}

/** The ids of the records of commands start with this. */
export const COMMAND = 'command/';

export function isTurnOfCommand({ turn }: InboxMessage): boolean {
  return turn?.id.startsWith(COMMAND) ?? false;
}

/** The record of a command says nothing about the turn that it asks for. */
export function withoutCommandTurn(message: InboxMessage): InboxMessage {
  return isTurnOfCommand(message) ? { ...message, turn: undefined } : message;
}

export function startsNewSession(message: InboxMessage): boolean {
  return /^\/(?:new|reset)(?:\s|$)/i.test(readChatMessage(message).content.text);
}

/** Commands that neither need a turn nor wait for one. */
const NEVER_WAIT = /^\/(?:status|stop|approve|deny|new|reset|help|commands|whoami)(?:[\s@]|$)/i;

export function neverWaits(message: InboxMessage): boolean {
  return message.kind === 'message' && NEVER_WAIT.test(readChatMessage(message).content.text.trim());
}

export function idsOf(messages: readonly InboxMessage[]): number[] {
  return messages.map(({ id }) => id);
}

/** The chat in which a command runs. After `interrupt`, its turn is not answered any more. */
export type CommandOrigin = { chat: ClaimedChat; conversation: Conversation; interrupt(): void };

export function isUnfinished(result: RunResult | Error): boolean {
  return result instanceof Error || result.interrupted;
}
