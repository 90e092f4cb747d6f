import { type Actor, newId, type RunResult } from '../../../base/index.ts';
import type {
  Channel,
  ChatTarget,
  ClaimedChat,
  ConversationChanges,
  GatewayStore,
  InboxMessage,
  InboxTurn,
  Logger,
  NewOutgoing,
  OutgoingKind,
} from '../../../contracts/index.ts';
import { type Conversation, type ConversationTurn, TurnNotStarted } from '../../../conversations/index.ts';
import { type ChatMedia, toFileMessages } from '../media/chat-media.ts';
import { limitAttachments } from '../media/prepare-message.ts';
import { createTurnPreparation, type TurnPreparation } from '../media/turn-preparation.ts';
import { composeText, type PreparedMessage, readChatMessage } from './chat-message.ts';
import { type OutgoingText, toOutgoing } from './outgoing-text.ts';
import type { PresentedIn, Presentation } from './presenter.ts';

/** What a chat needs from the gateway. */
export type ChatHost = {
  store: GatewayStore;
  logger: Logger;
  now(): number;
  /** Undefined if another process holds the account; only its messages are formatted here then. */
  channelOf(account: string): Channel;
  /** Who sent a message; undefined for a stranger. */
  findActor(message: InboxMessage): Promise<Actor | undefined>;
  /** The answer to a stranger; undefined for none. */
  greetStranger(message: InboxMessage): Promise<string | undefined>;
  /** What happens to a message that arrives during a turn. */
  readonly busyMode: 'steer' | 'queue' | 'interrupt';
  /** Whether several people share the session. */
  isShared(message: InboxMessage): boolean;
  /** Runs a task with the conversation of the chat, which stays open until the task is done. */
  useConversation(chat: ClaimedChat, task: (conversation: Conversation) => Promise<void>): Promise<void>;
  /** Runs a command such as `/status`; undefined if the message is not a command. */
  runCommand(message: InboxMessage, actor: Actor, conversation: Conversation): Promise<CommandResult | undefined>;
  /** Whether a message is a command that runs only after the turn. `/new` interrupts the turn. */
  isPostponed(message: InboxMessage, conversation: Conversation): boolean;
  /** Handles a pressed button or a reply to a question. Returns the reply to it; undefined if the message was none. */
  answerQuestion(message: InboxMessage, actor: Actor, conversation: Conversation): Promise<string | undefined>;
  /** Removes the buttons of questions whose turn was abandoned. */
  closeQuestions(chat: ClaimedChat, turnId: string): Promise<void>;
  /** Shows a turn in its chat: typing, progress, the answer while it is written, and questions. */
  present(turn: ConversationTurn, where: PresentedIn): Presentation;
  /** The answer of a turn that ended although its process died; undefined if the turn did not end. */
  findAnswer(sessionId: string, turn: InboxTurn): Promise<string | undefined>;
  /** Whether a turn that was cut off has stored the text of its messages in the session. */
  hasStored(sessionId: string, turn: InboxTurn): Promise<boolean>;
  /** How a turn that did not complete is described. */
  describeResult(result: RunResult): string;
  /** Called after something was added to the outbox. */
  wakeSender(): void;
  /** The files and the text of others in the chat. */
  readonly media: ChatMedia;
};

/** What a command printed, or the text that it sends to the model instead of the message. */
export type CommandResult = { printed: string } | { sent: string };

/** The work on a claimed chat. */
export interface ChatWorker {
  /** Looks for new messages now. */
  wake(): void;
  /** No further turn starts; the running one may end. */
  drain(): void;
  /** The running turn is about to be interrupted; its messages stay unfinished. */
  stop(): void;
  /** Resolves when nothing is left to do, or the claim was lost. After a failure, the claim is still held. */
  readonly done: Promise<'ended' | 'failed'>;
}

/** After this many attempts, a turn is not started again by itself. */
const MAX_ATTEMPTS = 2;
const PARKED =
  'Hermes was interrupted twice while it worked on your last message, so it will not try again by itself. Send a message to continue.';
const RESUMED = '[Hermes was restarted while it worked on the message above. Continue with it.]';

type Running = {
  turn: ConversationTurn;
  messages: readonly InboxMessage[];
  /** Messages that were passed to the running turn, with the text that it got. */
  steered: { message: InboxMessage; text: string }[];
  target: ChatTarget;
  presentation: Presentation;
};

export function startChatWorker(host: ChatHost, chat: ClaimedChat): ChatWorker {
  let waking = Promise.withResolvers<void>();
  let isDraining = false;
  let isStopped = false;
  let preparing: TurnPreparation | undefined;

  function wake(): void {
    waking.resolve();
    waking = Promise.withResolvers<void>();
  }

  async function work(conversation: Conversation): Promise<void> {
    const handled = new Set<number>();
    const sent = new Map<number, string>();
    const preparation = createTurnPreparation({ media: host.media, logger: host.logger, onReady: wake });
    preparing = preparation;
    let running: Running | undefined;
    for (;;) {
      const woken = waking.promise;
      const unfinished = await host.store.listUnfinished(chat);
      if (unfinished === 'lost') {
        running?.turn.interrupt('another process took the chat over');
        return;
      }
      const parts: Parts = { host, chat, conversation, handled, sent, running, preparation, isDraining };
      await handleImmediately(parts, unfinished);
      running ??= isDraining ? undefined : await startTurn(parts, unfinished);
      if (running === undefined) {
        if (isDraining || !preparation.isWorking()) return;
        await woken;
        continue;
      }
      const ended = running;
      const result = await Promise.race([ended.turn.result.catch(failed), woken]);
      if (result === undefined) continue;
      running = undefined;
      if (isStopped && isUnfinished(result)) {
        if (!(result instanceof Error)) await ended.presentation.end(result);
        return host.store.returnMessages(chat, idsOf(ended.messages));
      }
      await finishTurn(parts, ended, result);
    }
  }

  async function workAndRelease(): Promise<'ended'> {
    await host.useConversation(chat, work).finally(() => preparing?.stop());
    await host.store.releaseClaim(chat);
    return 'ended';
  }

  const done = workAndRelease().catch((thrown: unknown) => {
    host.logger.error('the work on a chat failed', { key: chat.key }, thrown);
    return 'failed' as const;
  });
  return {
    wake,
    drain() {
      isDraining = true;
      wake();
    },
    stop() {
      isStopped = true;
    },
    done,
  };
}

type Parts = {
  host: ChatHost;
  chat: ClaimedChat;
  conversation: Conversation;
  /** The texts that skills send instead of a message. */
  sent: Map<number, string>;
  /** Messages that need nothing more before the next turn. */
  handled: Set<number>;
  running: Running | undefined;
  preparation: TurnPreparation;
  isDraining: boolean;
};

/** Strangers, commands, answers and abandoned turns are handled immediately, also during a turn. */
async function handleImmediately(parts: Parts, unfinished: readonly InboxMessage[]): Promise<void> {
  const { host, conversation, handled, running } = parts;
  for (const message of unfinished) {
    if (handled.has(message.id) || running?.messages.some(({ id }) => id === message.id)) continue;
    if (running !== undefined && host.isPostponed(message, conversation)) continue;
    handled.add(message.id);
    const actor = await host.findActor(message);
    if (actor === undefined) await reply(parts, message, (await host.greetStranger(message)) ?? '');
    else if (message.kind === 'deletion') await reply(parts, message, '');
    else {
      const answered = await host.answerQuestion(message, actor, conversation);
      if (answered !== undefined || message.kind === 'action') {
        await reply(parts, message, answered ?? '');
        continue;
      }
      const result = await host.runCommand(message, actor, conversation);
      if (result !== undefined && 'printed' in result) await reply(parts, message, result.printed);
      else if (result !== undefined) parts.sent.set(message.id, result.sent);
      else if (running !== undefined) await passOn(parts, running, message);
    }
  }
}

/** A message that arrives during a turn is passed to it, or interrupts it, or waits for the next one. */
async function passOn(parts: Parts, running: Running, message: InboxMessage): Promise<void> {
  const { host, conversation, isDraining } = parts;
  // While the gateway closes, no turn could follow.
  if (host.busyMode === 'interrupt' && !isDraining) conversation.interrupt('a new message arrived');
  // Files and text of others are part of the next turn.
  if (host.busyMode !== 'steer' || !(await host.media.isPlain(message))) return;
  const text = composeText([message], { now: host.now(), isShared: host.isShared(message) });
  if (conversation.steer(text)) running.steered.push({ message, text });
}

/** Answers a message without a turn. */
async function reply({ host, chat, conversation }: Parts, message: InboxMessage, text: string): Promise<void> {
  const { target } = readChatMessage(message);
  const outgoing = toSend({ host, chat }, 'control', { id: `reply-${message.id}`, text, target });
  // A command such as `/new` may have changed the session.
  const changes: ConversationChanges = { sessionId: conversation.sessionId };
  await host.store.finishWork(chat, { messages: [message.id], state: 'done', outgoing, changes, release: false });
  host.wakeSender();
}

/** Starts a turn with all messages that are left. */
async function startTurn(parts: Parts, unfinished: readonly InboxMessage[]): Promise<Running | undefined> {
  const { host, chat, conversation } = parts;
  const current = await host.store.listUnfinished(chat);
  if (current === 'lost') return undefined;
  const known = new Set(unfinished.map(({ id }) => id));
  const messages = await settleAbandoned(
    parts,
    current.filter(({ id }) => known.has(id)),
  );
  const [first] = messages;
  const last = messages.at(-1);
  if (first === undefined || last === undefined || !parts.preparation.isReady(messages)) return undefined;
  // What a turn that was cut off contains has been recorded.
  const fresh = messages.filter(({ turn }) => turn === undefined);
  const outside = preparedOf(parts, fresh).flatMap((prepared) => prepared.outside);
  await host.media.outsideTexts.record(chat, conversation.sessionId, outside);
  const turnId = newId('turn');
  const turn = { turnId, sessionId: conversation.sessionId };
  const isAssigned = await host.store.assignMessages(chat, turn, idsOf(messages));
  if (!isAssigned) return undefined;
  const { target, content } = readChatMessage(last);
  const actor = (await host.findActor(last)) ?? { id: last.author, role: 'guest' };
  const { text, attachments } = await contentOf(parts, messages);
  const sent = withSkills(parts, messages);
  const started = conversation.send({ text, attachments, turnId, ...(sent !== undefined && { sent }) }, actor);
  parts.preparation.forget(messages);
  if (started.outcome === 'refused') throw new Error('a turn is already running');
  const presentation = host.present(started.turn, { chat, target, messageId: content.messageId });
  return { turn: started.turn, messages, steered: [], target, presentation };
}

function preparedOf({ preparation }: Parts, messages: readonly InboxMessage[]): PreparedMessage[] {
  return messages.flatMap(({ id }) => preparation.prepared.get(id) ?? []);
}

/** The text for the model, if a message is the call of a skill; undefined if it is the text of the messages. */
function withSkills({ host, sent, preparation }: Parts, messages: readonly InboxMessage[]): string | undefined {
  if (!messages.some(({ id }) => sent.has(id))) return undefined;
  const textOfOne = (message: InboxMessage) =>
    sent.get(message.id) ??
    composeText([message], { now: host.now(), isShared: host.isShared(message), prepared: preparation.prepared });
  return messages.map(textOfOne).join('\n\n');
}

/** Messages of a turn whose process died: they are answered, parked, or left for a new turn. */
async function settleAbandoned(parts: Parts, messages: readonly InboxMessage[]): Promise<InboxMessage[]> {
  const { host, chat, conversation } = parts;
  const left: InboxMessage[] = [];
  for (const message of messages) {
    const { turn } = message;
    if (turn === undefined) left.push(message);
    else {
      await host.closeQuestions(chat, turn.id);
      const answer = await host.findAnswer(conversation.sessionId, turn);
      const { target } = readChatMessage(message);
      if (answer !== undefined) await answerTurn(parts, [message], { id: turn.id, text: answer, target });
      else if (message.attempts >= MAX_ATTEMPTS) {
        const outgoing = toSend(parts, 'notice', { id: `parked-${message.id}`, text: PARKED, target });
        await host.store.finishWork(chat, { messages: [message.id], state: 'parked', outgoing, release: false });
      } else left.push(message);
    }
  }
  return left;
}

/** The text and the files of a turn. What a turn that was cut off has stored in the session is not repeated. */
async function contentOf(parts: Parts, messages: readonly InboxMessage[]) {
  const { host, conversation, preparation } = parts;
  const [first] = messages;
  const isShared = first !== undefined && host.isShared(first);
  const unstored: InboxMessage[] = [];
  for (const message of messages) {
    const { turn } = message;
    const isStored = turn !== undefined && (await host.hasStored(conversation.sessionId, turn));
    if (!isStored) unstored.push(message);
  }
  const text = composeText(unstored, { now: host.now(), isShared, prepared: preparation.prepared });
  const parted = [...(unstored.length < messages.length ? [RESUMED] : []), ...(text === '' ? [] : [text])];
  const attachments = preparedOf(parts, unstored).flatMap((prepared) => prepared.attachments);
  return { text: parted.join('\n\n'), attachments: limitAttachments(attachments) };
}

async function finishTurn(parts: Parts, running: Running, result: RunResult | Error): Promise<void> {
  const { host, chat } = parts;
  const { turn, messages, steered, target, presentation } = running;
  if (result instanceof Error) {
    // The turn did not start, so its messages are part of the next one. If the session is held, that is tried later.
    await host.store.returnMessages(chat, idsOf(messages));
    if (result instanceof TurnNotStarted) return;
    throw result;
  }
  const delivered = steered.filter(({ text }) => !(result.undelivered ?? '').includes(text));
  const done = [...messages, ...delivered.map(({ message }) => message)];
  const { reasoning, replaces } = await presentation.end(result);
  // After an interrupt, the chat hears nothing more of the turn.
  const text = result.interrupted ? '' : host.describeResult(result);
  await answerTurn(parts, done, { id: turn.id, reasoning, text, target, replaces });
}

function isUnfinished(result: RunResult | Error): boolean {
  return result instanceof Error || result.interrupted;
}

function idsOf(messages: readonly InboxMessage[]): number[] {
  return messages.map(({ id }) => id);
}

type Answer = Pick<OutgoingText, 'id' | 'text' | 'target' | 'replaces'>;

/** Stores the answer with its files, and the end of the messages, together. */
async function answerTurn(
  parts: Parts,
  messages: readonly InboxMessage[],
  { id, reasoning = '', target, replaces, ...answer }: Answer & { reasoning?: string },
): Promise<void> {
  const { host, chat, conversation } = parts;
  const { text, files } = await host.media.readAnswer(chat, conversation, { text: answer.text, turnId: id });
  const outgoing = [
    ...toSend(parts, 'final', { id, text: `${reasoning}${text}`, target, ...(replaces && { replaces }) }),
    ...toFileMessages(chat, files, { id, target, now: host.now() }),
  ];
  const changes: ConversationChanges = { sessionId: conversation.sessionId };
  await host.store.finishWork(chat, { messages: idsOf(messages), state: 'done', outgoing, changes, release: false });
  host.wakeSender();
}

function toSend({ host, chat }: Pick<Parts, 'host' | 'chat'>, kind: OutgoingKind, answer: Answer): NewOutgoing[] {
  return toOutgoing(host.channelOf(chat.conversation.account), chat, { ...answer, kind, now: host.now() });
}

function failed(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
