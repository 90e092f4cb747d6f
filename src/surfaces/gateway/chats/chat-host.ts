import { type Actor, errorMessage, type RunResult } from '../../../base/index.ts';
import type { ChatDisplay } from '../../../config/gateway/index.ts';
import type { ChatSource, ClaimedChat, GatewayStore, InboxMessage, InboxTurn } from '../../../contracts/index.ts';
import { type Conversation, createConversationPool, openConversation } from '../../../conversations/index.ts';
import type { AgentBlueprint, Services } from '../../../runtime/index.ts';
import { isSlashCommand } from '../../slash/index.ts';
import type { AccountRunner } from '../accounts/account-runner.ts';
import type { ChatMedia } from '../media/chat-media.ts';
import { type AccessRules, findActor } from '../people/access.ts';
import type { Pairing } from '../people/pairing.ts';
import { isShared, type SessionKeyRules } from '../session-key.ts';
import { readChatMessage } from './chat-message.ts';
import { answerQuestion, closeAbandoned } from './chat-questions.ts';
import type { ChatHost, CommandResult } from './chat-worker.ts';
import { presentTurn } from './presenter.ts';
import { readDecision } from './question-buttons.ts';

export type ChatRules = {
  keys: SessionKeyRules;
  busyMode: ChatHost['busyMode'];
  /** By platform. A platform without rules lets nobody in. */
  access: ReadonlyMap<string, AccessRules>;
  /** What a stranger in a direct message gets: a pairing code, or nothing. */
  strangers: 'pair' | 'ignore';
  /** What the chats of a platform show of a turn. */
  displayOf(platform: string): ChatDisplay;
};

export type ChatHostOptions = {
  services: Services;
  store: GatewayStore;
  rules: ChatRules;
  pairing: Pairing;
  blueprint(chat: ClaimedChat): AgentBlueprint;
  accountOf(account: string): AccountRunner;
  media: ChatMedia;
  /** Called with each conversation that is opened; may return another object that is used instead. */
  onOpened?(conversation: Conversation, chat: ClaimedChat, session: { isNew: boolean }): Conversation;
  /** Whether a slash command runs only after the turn. */
  isPostponed(line: string): boolean;
  runSlashCommand(line: string, actor: Actor, conversation: Conversation): Promise<CommandResult>;
};

const NO_ANSWER = '(no answer)';

export function createChatHost(options: ChatHostOptions): ChatHost & { close(): Promise<void> } {
  const { services, store, rules, pairing } = options;
  const { clock, logger } = services;
  const claimed = new Map<string, ClaimedChat>();
  const pool = createConversationPool({ clock, open: (key) => open(claimed.get(key) as ClaimedChat) });

  async function open(chat: ClaimedChat): Promise<Conversation> {
    const { sessionId } = chat.conversation;
    // A process that died before its first turn has named a session that does not exist.
    const isStored = sessionId !== undefined && (await services.store.getSession(sessionId)) !== undefined;
    const conversation = await openConversation({
      services,
      key: chat.key,
      blueprint: options.blueprint(chat),
      busy: 'refuse',
      // Text that came too late for the turn stays in the inbox and becomes the next one.
      onUndelivered: () => undefined,
      ...(isStored && { session: { resume: sessionId } }),
    });
    return options.onOpened?.(conversation, chat, { isNew: !isStored }) ?? conversation;
  }

  const sourceOf = (message: InboxMessage): ChatSource => readChatMessage(message).source;

  async function actorOf(message: InboxMessage): Promise<Actor | undefined> {
    const source = sourceOf(message);
    const access = rules.access.get(source.platform);
    if (access === undefined) return undefined;
    const approved = await pairing.listApproved(source.platform);
    return findActor(
      source,
      access,
      approved.map(({ userId }) => userId),
    );
  }

  return {
    store,
    logger,
    now: () => clock.now(),
    busyMode: rules.busyMode,
    channelOf: (account) => options.accountOf(account).channel,
    findActor: actorOf,
    greetStranger: (message) => greet(options, sourceOf(message)),
    isShared: (message) => isShared(sourceOf(message), rules.keys),
    useConversation(chat, task) {
      claimed.set(chat.key, chat);
      return pool.use(chat.key, task).finally(() => {
        if (claimed.get(chat.key) !== chat) return;
        claimed.delete(chat.key);
        options.media.outsideTexts.forget(chat.key);
      });
    },
    async runCommand(message, actor, conversation) {
      const { text } = readChatMessage(message).content;
      if (!isCommand(message)) return undefined;
      try {
        return await options.runSlashCommand(text, actor, conversation);
      } catch (thrown) {
        return { printed: errorMessage(thrown) };
      }
    },
    isPostponed: (message, conversation) => isPostponed(options, message, conversation),
    answerQuestion: (message, actor, conversation) => answerQuestion(options, { message, actor, conversation }),
    closeQuestions: (chat, turnId) => closeAbandoned(options, chat.key, turnId),
    present: (turn, where) => presentTurn({ ...options, logger, displayOf: rules.displayOf }, turn, where),
    findAnswer: (sessionId, turn) => findAnswer(services, sessionId, turn),
    async hasStored(sessionId, { after }) {
      return (await services.store.getMessages(sessionId, { after, limit: 1 })).length > 0;
    },
    describeResult,
    media: options.media,
    wakeSender() {
      for (const chat of claimed.values()) options.accountOf(chat.conversation.account).wake();
    },
    close: () => pool.close(),
  };
}

function isPostponed(options: ChatHostOptions, message: InboxMessage, conversation: Conversation): boolean {
  if (!isCommand(message)) return false;
  const { text } = readChatMessage(message).content;
  const isLater = readDecision(text) === undefined && options.isPostponed(text);
  if (isLater && /^\/(?:new|reset)\b/i.test(text)) conversation.interrupt('a new session was started');
  return isLater;
}

/** Forwarded text is not a command of the sender, and neither is the correction of an earlier message. */
function isCommand(message: InboxMessage): boolean {
  const { text, forwardedFrom } = readChatMessage(message).content;
  return message.kind === 'message' && forwardedFrom === undefined && isSlashCommand(text);
}

async function greet({ rules, pairing }: ChatHostOptions, source: ChatSource): Promise<string | undefined> {
  if (rules.strangers === 'ignore' || source.chatType !== 'dm' || source.userId === undefined) return undefined;
  const { platform, userId, userName = '' } = source;
  const made = await pairing.request({ platform, userId, userName });
  if (made.outcome !== 'code') return undefined;
  return `Your pairing code is \`${made.code}\`. It is valid for one hour. To let you in, the owner of this bot runs:\n\n\`hermes pairing approve ${platform} ${made.code}\``;
}

/** The answer of a turn is the last message that it stored: only one turn at a time runs in a session. */
async function findAnswer(
  { store }: Services,
  sessionId: string,
  { id, after }: InboxTurn,
): Promise<string | undefined> {
  const turn = (await store.getTurns(sessionId)).find(({ taskId }) => taskId === id);
  // An interrupted turn is started again.
  if (turn?.exitReason === 'interrupted') return undefined;
  if (turn !== undefined && turn.exitReason !== 'completed')
    return `⚠️ ${turn.error ?? turn.exitReason.replaceAll('_', ' ')}`;
  const last = (await store.getMessages(sessionId, { after })).at(-1)?.message;
  if (last?.role === 'assistant' && (last.toolCalls ?? []).length === 0) return last.content || NO_ANSWER;
  // The process may have died after it stored the answer and before it recorded the turn.
  return turn === undefined ? undefined : NO_ANSWER;
}

function describeResult({ finalResponse, completed, error, exitReason }: RunResult): string {
  if (completed && finalResponse !== '') return finalResponse;
  const reason =
    error === undefined ? exitReason.replaceAll('_', ' ') : [error.message, error.hint].filter(Boolean).join(' ');
  return [finalResponse, `⚠️ ${reason}`].filter((part) => part !== '').join('\n\n');
}
