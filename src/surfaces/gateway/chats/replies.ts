import type {
  ClaimedChat,
  ConversationChanges,
  InboxMessage,
  NewOutgoing,
  OutgoingKind,
} from '../../../contracts/index.ts';
import type { Conversation } from '../../../conversations/index.ts';
import { readChatMessage } from './chat-message.ts';
import type { ChatHost } from './chat-host.ts';
import { type OutgoingText, toOutgoing } from './outgoing-text.ts';
import { idsOf } from './turn-messages.ts';

type Chatting = { host: ChatHost; chat: ClaimedChat };

/**
 * Returns whether there are messages that need a session: those of people who may use the bot. All messages of a
 * stranger get one answer, so that a flood of them costs little.
 */
export async function answerWithoutSession(parts: Chatting): Promise<boolean> {
  const { host, chat } = parts;
  const unfinished = await host.store.listUnfinished(chat);
  if (unfinished === 'lost') return false;
  const strange: InboxMessage[] = [];
  let answered = 0;
  for (const message of unfinished) {
    if (await passOnAnswer(parts, message)) answered += 1;
    else if ((await host.findActor(message)) === undefined) strange.push(message);
  }
  const [first, ...others] = strange;
  if (first !== undefined) await greet(parts, first);
  const work = { messages: idsOf(others), state: 'done', outgoing: [], release: false } as const;
  if (others.length > 0) await host.store.finishWork(chat, work);
  return strange.length + answered < unfinished.length;
}

/** Delivers a text that is an answer already. Returns false if a message is none. */
async function passOnAnswer(parts: Chatting, message: InboxMessage): Promise<boolean> {
  const { content } = readChatMessage(message);
  if (content.isAnswer) await reply(parts, message, content.text);
  return content.isAnswer === true;
}

export async function greet({ host, chat }: Chatting, message: InboxMessage): Promise<void> {
  await reply({ host, chat }, message, (await host.greetStranger(message)) ?? '');
}

/** Answers a message without a turn. Without a conversation, the session of the chat does not change. */
export async function reply(
  { host, chat, conversation }: Chatting & { conversation?: Conversation },
  message: InboxMessage,
  text: string,
): Promise<void> {
  const { target } = readChatMessage(message);
  const outgoing = toSend({ host, chat }, 'control', { id: `reply-${message.id}`, text, target });
  // A command such as `/new` may have changed the session.
  const changes = conversation === undefined ? {} : changesAfter(host, chat, conversation);
  await host.store.finishWork(chat, { messages: [message.id], state: 'done', outgoing, changes, release: false });
  host.wakeSender();
}

/** Which session the chat continues, and when it was used. */
export function changesAfter(host: ChatHost, chat: ClaimedChat, { sessionId }: Conversation): ConversationChanges {
  const activeAt = host.now();
  chat.conversation.settings['activeAt'] = activeAt;
  return { sessionId, settings: { activeAt } };
}

export type Answer = Pick<OutgoingText, 'id' | 'text' | 'target' | 'replaces'>;

export function toSend({ host, chat }: Chatting, kind: OutgoingKind, answer: Answer): NewOutgoing[] {
  return toOutgoing(host.channelOf(chat.conversation.account), chat, { ...answer, kind, now: host.now() });
}
