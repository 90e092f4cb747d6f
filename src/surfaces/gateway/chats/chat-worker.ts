import { type Actor, newId, type RunResult } from '../../../base/index.ts';
import type { ChatTarget, ClaimedChat, InboxMessage } from '../../../contracts/index.ts';
import { type Conversation, type ConversationTurn, TurnNotStarted } from '../../../conversations/index.ts';
import { toFileMessages } from '../media/chat-media.ts';
import { createTurnPreparation, type TurnPreparation } from '../media/turn-preparation.ts';
import type { ChatHost } from './chat-host.ts';
import { readChatMessage } from './chat-message.ts';
import type { Presentation } from './presenter.ts';
import { NOTHING_DONE, shownIn, withoutShown } from './shown-messages.ts';
import { type Answer, answerWithoutSession, changesAfter, greet, reply, toSend } from './replies.ts';
import {
  COMMAND,
  contentOf,
  firstOf,
  idsOf,
  isTurnOfCommand,
  isUnfinished,
  neverWaits,
  preparedOf,
  type Replacement,
  startsNewSession,
  textOfOne,
  withoutCommandTurn,
  withSkills,
} from './turn-messages.ts';

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

const RESUMED = 'Hermes was interrupted while it worked on your message, and starts again.';

type Running = {
  turn: ConversationTurn;
  messages: readonly InboxMessage[];
  /** Messages that were passed to the running turn, with the text that it got. */
  steered: { message: InboxMessage; text: string }[];
  target: ChatTarget;
  presentation: Presentation;
  /** A command has stopped the turn, so its messages are not answered any more. */
  isDropped: boolean;
};

export function startChatWorker(
  host: ChatHost,
  chat: ClaimedChat,
  { onlyCommands }: { onlyCommands: boolean },
): ChatWorker {
  let waking = Promise.withResolvers<void>();
  let isDraining = onlyCommands;
  let isStopped = false;
  let preparing: TurnPreparation | undefined;

  function wake(): void {
    waking.resolve();
    waking = Promise.withResolvers<void>();
  }

  async function work(conversation: Conversation): Promise<void> {
    const handled = new Set<number>();
    const sent = new Map<number, Replacement>();
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
      const immediate = onlyCommands ? unfinished.filter(neverWaits) : unfinished;
      await handleImmediately(parts, immediate);
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
    // A session is opened only for people who may use it.
    if (await answerWithoutSession({ host, chat }))
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
  /** The messages that commands stand for. */
  sent: Map<number, Replacement>;
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
    const actor = await host.findActor(message);
    if (actor !== undefined && running !== undefined && host.isPostponed(message)) {
      if (startsNewSession(message)) stopTurn(parts, 'a new session was started');
      continue;
    }
    handled.add(message.id);
    if (actor === undefined) await greet(parts, message);
    else if (message.kind === 'deletion') await reply(parts, message, '');
    else {
      const answered = await host.answerQuestion(message, actor, conversation);
      if (answered !== undefined || message.kind === 'action') await reply(parts, message, answered ?? '');
      else if (host.isCommand(message)) await runCommand(parts, message, actor);
      else if (running !== undefined) await passOn(parts, running, message);
    }
  }
}

function stopTurn({ conversation, running }: Parts, reason?: string): void {
  if (running !== undefined) running.isDropped = true;
  conversation.interrupt(reason);
}

const MAY_HAVE_RUN =
  'Hermes was interrupted while it ran this command. It may have run; check, and send it again if necessary.';

/**
 * A command with effects is recorded before it runs. If its process dies before the reply is stored, the command is not
 * repeated.
 */
async function runCommand(parts: Parts, message: InboxMessage, actor: Actor): Promise<void> {
  const { host, chat, conversation, running } = parts;
  if (isTurnOfCommand(message)) return reply(parts, message, MAY_HAVE_RUN);
  const isRecorded = !host.mayRunAgain(message);
  // The command has run, and the turn that it started is abandoned.
  if (isRecorded && message.turn !== undefined) return;
  if (isRecorded) {
    const turn = { turnId: `${COMMAND}${message.id}`, sessionId: conversation.sessionId };
    if (!(await host.store.assignMessages(chat, turn, [message.id]))) return;
  }
  const result = await host.runCommand(message, actor, { chat, conversation, interrupt: () => stopTurn(parts) });
  if ('printed' in result) return reply(parts, message, result.printed);
  if (isRecorded) await host.store.returnMessages(chat, [message.id]);
  parts.sent.set(message.id, result);
  if (running !== undefined && result.steers) steer(parts, running, message);
}

/** A message that arrives during a turn is passed to it, or interrupts it, or waits for the next one. */
async function passOn(parts: Parts, running: Running, message: InboxMessage): Promise<void> {
  const { host, conversation, isDraining } = parts;
  // While the gateway closes, no turn could follow.
  if (host.busyMode === 'interrupt' && !isDraining) conversation.interrupt('a new message arrived');
  // Files and text of others are part of the next turn.
  if (host.busyMode === 'steer' && (await host.media.isPlain(message))) steer(parts, running, message);
}

function steer(parts: Parts, running: Running, message: InboxMessage): void {
  const { conversation } = parts;
  const text = textOfOne(parts, message);
  if (conversation.steer(text)) running.steered.push({ message, text });
}

/** Starts a turn with all messages that are left. */
async function startTurn(parts: Parts, unfinished: readonly InboxMessage[]): Promise<Running | undefined> {
  const { host, chat, conversation } = parts;
  const current = await host.store.listUnfinished(chat);
  if (current === 'lost') return undefined;
  const known = new Set(unfinished.map(({ id }) => id));
  const left = await settleAbandoned(parts, current.filter(({ id }) => known.has(id)).map(withoutCommandTurn));
  const messages = firstOf(await withoutLostCommands(parts, left));
  const last = messages.at(-1);
  if (last === undefined || !parts.preparation.isReady(messages)) return undefined;
  const fresh = messages.filter(({ turn }) => turn === undefined);
  // A turn that was cut off continues in its session.
  if (fresh.length === messages.length) await host.prepareTurn(chat, conversation, last);
  // What a turn that was cut off contains has been recorded.
  const outside = preparedOf(parts, fresh).flatMap((prepared) => prepared.outside);
  await host.media.outsideTexts.record(chat, conversation.sessionId, outside);
  const turnId = newId('turn');
  const turn = { turnId, sessionId: conversation.sessionId };
  const isAssigned = await host.store.assignMessages(chat, turn, idsOf(messages));
  if (!isAssigned) return undefined;
  const { target, content } = readChatMessage(last);
  await reportResumed(parts, messages, target);
  const actor = (await host.findActor(last)) ?? { id: last.author, role: 'guest' };
  const { text, attachments } = await contentOf(parts, messages);
  const sent = withSkills(parts, messages) ?? (fresh.length > 0 ? await host.addSkills(last, text) : undefined);
  const started = conversation.send({ text, attachments, turnId, ...(sent !== undefined && { sent }) }, actor);
  parts.preparation.forget(messages);
  if (started.outcome === 'refused') throw new Error('a turn is already running');
  const presentation = host.present(started.turn, {
    chat,
    target,
    messageId: content.messageId,
    authorId: last.author,
  });
  return { turn: started.turn, messages, steered: [], target, presentation, isDropped: false };
}

/** After a crash, the chat learns why the answer is late, in place of the part of it that was shown. */
async function reportResumed(parts: Parts, messages: readonly InboxMessage[], target: ChatTarget): Promise<void> {
  const cutOff = messages.findLast(({ turn }) => turn !== undefined)?.turn;
  if (cutOff === undefined) return;
  const { host, chat } = parts;
  const notice = { id: `resumed-${cutOff.id}`, text: RESUMED, target, replaces: shownIn(chat) };
  const outgoing = toSend(parts, 'control', notice);
  await host.store.finishWork(chat, { ...NOTHING_DONE, outgoing, changes: { settings: withoutShown(chat) } });
  host.wakeSender();
}

/** A command that started a turn, whose text is no longer known, is not repeated. */
async function withoutLostCommands(parts: Parts, messages: readonly InboxMessage[]): Promise<InboxMessage[]> {
  const isLost = (message: InboxMessage) => parts.host.isCommand(message) && !parts.sent.has(message.id);
  for (const message of messages.filter(isLost)) await reply(parts, message, MAY_HAVE_RUN);
  return messages.filter((message) => !isLost(message));
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
      const replaces = shownIn(chat);
      if (answer !== undefined) await answerTurn(parts, [message], { id: turn.id, text: answer, target, replaces });
      else if (message.attempts >= MAX_ATTEMPTS) {
        const outgoing = toSend(parts, 'notice', { id: `parked-${message.id}`, text: PARKED, target, replaces });
        const changes = { settings: withoutShown(chat) };
        await host.store.finishWork(chat, {
          messages: [message.id],
          state: 'parked',
          outgoing,
          changes,
          release: false,
        });
      } else left.push(message);
    }
  }
  return left;
}

async function finishTurn(parts: Parts, running: Running, result: RunResult | Error): Promise<void> {
  const { host, chat } = parts;
  const { turn, messages, steered, target, presentation } = running;
  if (result instanceof Error) {
    if (running.isDropped && result instanceof TurnNotStarted)
      return answerTurn(parts, messages, { id: turn.id, text: '', target });
    // The turn did not start, so its messages are part of the next one. If the session is held, that is tried later.
    await host.store.returnMessages(chat, idsOf(messages));
    if (result instanceof TurnNotStarted) return;
    throw result;
  }
  const delivered = steered.filter(({ text }) => !(result.undelivered ?? '').includes(text));
  const done = [...messages, ...delivered.map(({ message }) => message)];
  const { reasoning, replaces, notice } = await presentation.end(result);
  // After an interrupt, the chat hears nothing more of the turn.
  const text = notice ?? (result.interrupted ? '' : host.describeResult(result));
  await answerTurn(parts, done, { id: turn.id, reasoning, text, target, replaces });
}

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
  const { settings, ...after } = changesAfter(host, chat, conversation);
  const changes = { ...after, settings: { ...settings, ...withoutShown(chat) } };
  await host.store.finishWork(chat, { messages: idsOf(messages), state: 'done', outgoing, changes, release: false });
  host.wakeSender();
}

function failed(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
