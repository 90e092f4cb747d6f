import type { Actor, AgentEvent, InteractionAnswer } from '../../../base/index.ts';
import type { ChatTarget, ClaimedChat, GatewayStore, InboxMessage, StoredQuestion } from '../../../contracts/index.ts';
import type { Conversation } from '../../../conversations/index.ts';
import type { Services } from '../../../runtime/index.ts';
import { isSlashCommand } from '../../slash/index.ts';
import type { AccountRunner } from '../accounts/account-runner.ts';
import { type OutgoingBody, toBody } from '../accounts/outbox-sender.ts';
import { readChatMessage } from './chat-message.ts';
import {
  type Decision,
  describeOutcome,
  describeQuestion,
  questionButtons,
  readButton,
  readDecision,
  replyToChoices,
  toAnswer,
} from './question-buttons.ts';

export type QuestionParts = {
  services: Pick<Services, 'store' | 'clock'>;
  store: Pick<GatewayStore, 'addOutgoing' | 'getGatewayConversation'>;
  accountOf(account: string): AccountRunner;
};

type Asked = Extract<AgentEvent, { type: 'request' }>;

/** Sends a question to its chat. A long question needs several messages; the last one has the buttons. */
export async function askInChat(
  { store, services, accountOf }: QuestionParts,
  { requestId, request }: Asked,
  { chat, target }: { chat: ClaimedChat; target: ChatTarget },
): Promise<void> {
  const { key, conversation } = chat;
  const runner = accountOf(conversation.account);
  const { hasButtons } = runner.channel.facts;
  const pieces = runner.channel.render(describeQuestion(request, hasButtons));
  const messages = pieces.map((content, index) => {
    const body: OutgoingBody = { target, isGroup: isGroup(conversation.source), content };
    if (hasButtons && index === pieces.length - 1) body.buttons = questionButtons(requestId, request);
    return {
      key,
      account: conversation.account,
      id: messageIdOf(key, requestId, index),
      kind: 'question' as const,
      body: toBody(body),
      createdAt: services.clock.now(),
    };
  });
  await store.addOutgoing(messages);
  runner.wake();
}

function messageIdOf(key: string, questionId: string, index: number): string {
  return `${key}/question-${questionId}/${index}`;
}

function isGroup(source: { chatType?: unknown }): boolean {
  return source.chatType !== 'dm';
}

/**
 * Removes the buttons of a question that is closed, and says who decided. Can be called several times. `copy` is the
 * platform's id of another message with the same question, which exists if it was unknown whether the first arrived.
 */
export async function closeInChat(parts: QuestionParts, questionId: string, copy?: string): Promise<void> {
  const question = await parts.services.store.getQuestion(questionId);
  const conversation = question && (await parts.store.getGatewayConversation(question.key));
  if (question === undefined || conversation === undefined) return;
  const { key, account, source } = conversation;
  const { chatId, threadId } = source as ChatTarget;
  const runner = parts.accountOf(account);
  const { channel } = runner;
  const { facts } = channel;
  const now = parts.services.clock.now();
  const outcome = describeOutcome(question, now);
  const target: ChatTarget = threadId === undefined ? { chatId } : { chatId, threadId };
  const body: OutgoingBody = { target, isGroup: isGroup(source) };
  const asked = describeQuestion(question.request, facts.hasButtons);
  if (facts.streaming === 'none') {
    // Messages cannot be edited. A user who answered has got a reply.
    if (question.answer !== undefined) return;
    body.content = channel.render(outcome)[0] ?? { text: outcome };
  } else {
    const index = channel.render(asked).length - 1;
    body.content = channel.render(`${describeQuestion(question.request, true)}\n\n${outcome}`).at(-1) ?? {
      text: outcome,
    };
    const asSent = { outgoing: messageIdOf(key, questionId, index), isOptional: true } as const;
    body.replaces = copy === undefined ? asSent : { platformId: copy, isOptional: true };
  }
  const id = `${key}/closed-${questionId}${copy === undefined ? '' : `-${copy}`}`;
  await parts.store.addOutgoing([{ key, account, id, kind: 'question', body: toBody(body), createdAt: now }]);
  runner.wake();
}

/** Closes the questions of a turn whose process died. The turn asks again if it is continued. */
export async function closeAbandoned(parts: QuestionParts, key: string, turnId: string): Promise<void> {
  const open = await parts.services.store.listOpenQuestions({ key });
  for (const question of open) if (question.turnId === turnId) await closeInChat(parts, question.id);
}

export type Answering = { message: InboxMessage; actor: Actor; conversation: Conversation };

/**
 * Answers a question with a pressed button or a reply. Returns the reply to it, which may be empty, or undefined if the
 * message answers no question.
 */
export async function answerQuestion(parts: QuestionParts, answering: Answering): Promise<string | undefined> {
  const { content, source } = readChatMessage(answering.message);
  const { action, text, forwardedFrom } = content;
  if (source.chatType === 'webhook') return undefined;
  if (action !== undefined) return pressButton(parts, answering);
  // Forwarded text is not an answer of the sender, and neither is the correction of an earlier message.
  if (answering.message.kind !== 'message' || forwardedFrom !== undefined) return undefined;
  const decision = readDecision(text);
  if (decision !== undefined) return decide(parts, answering, decision);
  return isSlashCommand(text) ? undefined : answerInWords(parts, answering, text);
}

async function pressButton(
  parts: QuestionParts,
  { message, actor, conversation }: Answering,
): Promise<string | undefined> {
  const { content, target, source } = readChatMessage(message);
  const { action } = content;
  const button = action && readButton(action.data);
  if (action === undefined || button === undefined) return undefined;
  const question = await parts.services.store.getQuestion(button.id);
  const answer = question && toAnswer(button.value, question.request);
  const isOurs = question !== undefined && (await isOfChat(parts, question, message));
  const outcome =
    answer === undefined || !isOurs ? 'not_found' : await giveAnswer(parts, question, { answer, actor, conversation });
  if (outcome === 'not_open') await closeInChat(parts, button.id, action.messageId);
  const { channel, scheduler } = parts.accountOf(message.account);
  const run = async () => channel.acknowledgeAction?.(action, OUTCOMES[outcome], AbortSignal.timeout(ACKNOWLEDGE_MS));
  const call = { chatId: target.chatId, isGroup: isGroup(source), priority: 'control', isCounted: false } as const;
  // The user sees the answer in the question as well, so the next message does not wait for this.
  void scheduler.schedule({ ...call, run }).catch(() => undefined);
  return '';
}

const ACKNOWLEDGE_MS = 5000;

const OUTCOMES = {
  answered: 'Thank you.',
  forbidden: 'Only an admin may answer this.',
  not_found: 'This question no longer exists.',
  not_open: 'This question is no longer open.',
  wrong_kind: 'This is not an answer to the question.',
} as const;

type GivenAnswer = { answer: InteractionAnswer; actor: Actor; conversation: Conversation };

async function giveAnswer(parts: QuestionParts, { id }: StoredQuestion, { answer, actor, conversation }: GivenAnswer) {
  const outcome = await conversation.answer(id, answer, actor);
  if (outcome === 'answered' || outcome === 'not_open') await closeInChat(parts, id);
  return outcome;
}

/** In a group, members have conversations of their own, and an admin answers the questions of all. */
async function isOfChat({ store }: QuestionParts, question: StoredQuestion, message: InboxMessage): Promise<boolean> {
  if (question.key === message.key) return true;
  const conversation = await store.getGatewayConversation(question.key);
  const { source } = readChatMessage(message);
  return (
    conversation?.account === message.account &&
    conversation.source['chatId'] === source.chatId &&
    conversation.source['threadId'] === source.threadId
  );
}

async function decide(parts: QuestionParts, answering: Answering, { all, ...given }: Decision): Promise<string> {
  const { message, actor, conversation } = answering;
  const open: StoredQuestion[] = [];
  for (const question of await parts.services.store.listOpenQuestions()) {
    if (question.request.kind === 'approval' && (await isOfChat(parts, question, message))) open.push(question);
  }
  let count = 0;
  for (const question of all ? open : open.slice(0, 1)) {
    const answer: InteractionAnswer = { kind: 'approval', ...given };
    const outcome = await giveAnswer(parts, question, { answer, actor, conversation });
    if (outcome === 'forbidden') return OUTCOMES.forbidden;
    if (outcome === 'answered') count += 1;
  }
  if (count === 0) return 'Nothing is waiting for approval.';
  const what = given.answer === 'deny' ? 'Denied' : 'Allowed';
  return count === 1 ? `${what}.` : `${what} ${count} calls.`;
}

/** A message answers the open clarify question of its own conversation. */
async function answerInWords(
  parts: QuestionParts,
  { actor, conversation }: Answering,
  text: string,
): Promise<string | undefined> {
  if (text === '' || conversation.currentTurn() === undefined) return undefined;
  for (const question of await conversation.openQuestions()) {
    if (question.request.kind !== 'clarify') continue;
    const answer: InteractionAnswer = { kind: 'clarify', text: replyToChoices(text, question.request.choices) };
    if ((await giveAnswer(parts, question, { answer, actor, conversation })) === 'answered') return '';
  }
  return undefined;
}
