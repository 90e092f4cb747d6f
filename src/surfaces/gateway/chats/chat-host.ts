import { type Actor, errorMessage, HermesError, type RunResult } from '../../../base/index.ts';
import type {
  Channel,
  ChatSource,
  ClaimedChat,
  Fill,
  GatewayStore,
  InboxMessage,
  InboxTurn,
  Logger,
  MentionSettings,
  Pairing,
  SkillLibrary,
} from '../../../contracts/index.ts';
import type { ChatDisplay, ResetSettings } from '../../../config/gateway/index.ts';
import { type Conversation, type ConversationTurn, createConversationPool } from '../../../conversations/index.ts';
import type { Services } from '../../../runtime/index.ts';
import { isSlashCommand } from '../../slash/index.ts';
import type { AccountRunner } from '../accounts/account-runner.ts';
import type { ChatMedia } from '../media/chat-media.ts';
import { type AccessRules, findActor } from '../people/access.ts';
import { isShared, type SessionKeyRules } from '../session-key.ts';
import type { ChatBackground } from './chat-background.ts';
import type { ChatCommandCall } from './chat-commands.ts';
import { readChatMessage } from './chat-message.ts';
import { answerQuestion, closeAbandoned } from './chat-questions.ts';
import type { ChatSessions } from './chat-sessions.ts';
import { toOutgoing } from './outgoing-text.ts';
import { type PresentedIn, type Presentation, presentTurn } from './presenter.ts';
import { readDecision } from './question-buttons.ts';
import type { CommandOrigin, CommandResult } from './turn-messages.ts';

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
  /** Whether a message is a slash command. */
  isCommand(message: InboxMessage): boolean;
  /** Whether a command has no effects, so that it may run again after a crash. */
  mayRunAgain(message: InboxMessage): boolean;
  runCommand(message: InboxMessage, actor: Actor, from: CommandOrigin): Promise<CommandResult>;
  /** Whether a message is a command that runs only after the turn. */
  isPostponed(message: InboxMessage): boolean;
  /** Prepares the session for a turn that starts with this message: an old session is replaced. */
  prepareTurn(chat: ClaimedChat, conversation: Conversation, message: InboxMessage): Promise<void>;
  /** Handles a pressed button or a reply to a question. Returns the reply to it; undefined if the message was none. */
  answerQuestion(message: InboxMessage, actor: Actor, conversation: Conversation): Promise<string | undefined>;
  /** Removes the buttons of questions whose turn was abandoned. */
  closeQuestions(chat: ClaimedChat, turnId: string): Promise<void>;
  /** Shows a turn in its chat: typing, progress, the answer while it is written, and questions. */
  present(turn: ConversationTurn, where: PresentedIn): Presentation;
  /** The answer of a turn that ended although its process died; undefined if the turn did not end. */
  findAnswer(sessionId: string, turn: InboxTurn): Promise<string | undefined>;
  /** The text for the model if a message comes with skills; undefined if it is the text itself. */
  addSkills(message: InboxMessage, text: string): Promise<string | undefined>;
  /** Whether a turn that was cut off has stored the text of its messages in the session. */
  hasStored(sessionId: string, turn: InboxTurn): Promise<boolean>;
  /** How a turn that did not complete is described. */
  describeResult(result: RunResult): string;
  /** Called after something was added to the outbox. */
  wakeSender(): void;
  /** The files and the text of others in the chat. */
  readonly media: ChatMedia;
};

export type ChatRules = {
  keys: SessionKeyRules;
  busyMode: ChatHost['busyMode'];
  /** By platform. A platform without rules lets nobody in. */
  access: ReadonlyMap<string, AccessRules>;
  /** By platform. */
  mentions: ReadonlyMap<string, MentionSettings>;
  resets: ResetSettings;
  /** How long the session of a chat stays open after its last turn. */
  keepOpenMs: number;
  /** What the chats of a platform show of a turn. */
  displayOf(platform: string): ChatDisplay;
};

export type ChatHostOptions = {
  services: Services;
  store: GatewayStore;
  rules: ChatRules;
  pairing: Pairing;
  sessions: ChatSessions;
  background: ChatBackground;
  accountOf(account: string): AccountRunner;
  media: ChatMedia;
  /** The skills that a message can name. */
  skills(): Pick<SkillLibrary, 'begin'>;
  /** Whether a slash command runs only after the turn. */
  isPostponed(line: string): boolean;
  /** Whether a slash command has no effects, so that it may run again after a crash. */
  mayRunAgain(line: string): boolean;
  /** Called when a stranger gets no answer. */
  onIgnored(): void;
  runSlashCommand(call: ChatCommandCall): Promise<CommandResult>;
};

const NO_ANSWER = '(no answer)';
/** Sessions in which a turn runs, and those that stay open for a while after a turn. */
const POOL = { maxInUse: 100, maxIdle: 200 };

export function createChatHost(
  options: ChatHostOptions,
): ChatHost & { readonly openSessions: number; listFills(): Fill[]; close(): Promise<void> } {
  const { services, store, rules, pairing, sessions } = options;
  const { clock, logger } = services;
  const claimed = new Map<string, ClaimedChat>();
  const pool = createConversationPool({
    clock,
    open: (key) => sessions.open(claimed.get(key) as ClaimedChat),
    idleMs: rules.keepOpenMs,
    ...POOL,
    mayClose: sessions.mayClose,
  });

  const sourceOf = (message: InboxMessage): ChatSource => readChatMessage(message).source;

  async function actorOf(message: InboxMessage): Promise<Actor | undefined> {
    const source = sourceOf(message);
    const access = rules.access.get(source.platform);
    if (access === undefined) return undefined;
    const approved = (await pairing.listApproved(source.platform)).map(({ userId }) => userId);
    return findActor(source, access, approved);
  }

  const host: ReturnType<typeof createChatHost> = {
    store,
    logger,
    now: () => clock.now(),
    busyMode: rules.busyMode,
    channelOf: (account) => options.accountOf(account).channel,
    findActor: actorOf,
    greetStranger: (message) => greetOrIgnore(options, sourceOf(message)),
    isShared: (message) => isShared(sourceOf(message), rules.keys),
    useConversation(chat, task) {
      claimed.set(chat.key, chat);
      return pool.use(chat.key, task).finally(() => {
        if (claimed.get(chat.key) !== chat) return;
        claimed.delete(chat.key);
        options.media.outsideTexts.forget(chat.key);
      });
    },
    ...createCommandMethods(options),
    answerQuestion: (message, actor, conversation) => answerQuestion(options, { message, actor, conversation }),
    closeQuestions: (chat, turnId) => closeAbandoned(options, chat.key, turnId),
    async prepareTurn(chat, conversation, message) {
      const { source, target } = readChatMessage(message);
      const reset = await sessions.resetIfDue(chat, conversation, source);
      if (reset?.text === undefined) return;
      const notice = {
        id: `reset-${reset.sessionId}`,
        kind: 'control',
        text: reset.text,
        target,
        now: clock.now(),
      } as const;
      await store.addOutgoing(toOutgoing(host.channelOf(chat.conversation.account), chat, notice));
      host.wakeSender();
    },
    present: (turn, where) => presentTurn({ ...options, logger, displayOf: rules.displayOf }, turn, where),
    addSkills: (message, text) => addSkills(options, sourceOf(message), text),
    findAnswer: (sessionId, turn) => findAnswer(services, sessionId, turn),
    async hasStored(sessionId, { after }) {
      return (await services.store.getMessages(sessionId, { after, limit: 1 })).length > 0;
    },
    describeResult,
    media: options.media,
    wakeSender() {
      for (const chat of claimed.values()) options.accountOf(chat.conversation.account).wake();
    },
    get openSessions() {
      return pool.size;
    },
    listFills: () => [{ name: 'open sessions', used: pool.size, limit: POOL.maxInUse + POOL.maxIdle }, sessions.fill()],
    close: () => pool.close(),
  };
  return host;
}

function createCommandMethods(
  options: ChatHostOptions,
): Pick<ChatHost, 'runCommand' | 'isCommand' | 'mayRunAgain' | 'isPostponed'> {
  return {
    async runCommand(message, actor, { chat, conversation, interrupt }) {
      const { source, content, target } = readChatMessage(message);
      const background = options.background.of(chat, target);
      try {
        const call = { line: content.text.trim(), actor, source, conversation, background, interrupt };
        return await options.runSlashCommand(call);
      } catch (thrown) {
        return { printed: describeError(thrown) };
      }
    },
    isCommand,
    mayRunAgain: (message) => options.mayRunAgain(readChatMessage(message).content.text),
    isPostponed(message) {
      const { text } = readChatMessage(message).content;
      return isCommand(message) && readDecision(text) === undefined && options.isPostponed(text);
    },
  };
}

function describeError(thrown: unknown): string {
  const hint = thrown instanceof HermesError ? thrown.hint : undefined;
  return [errorMessage(thrown), hint].filter((part) => part !== undefined).join(' ');
}

/**
 * Forwarded text is not a command of the sender, and neither are the correction of an earlier message and the request
 * of a program.
 */
function isCommand(message: InboxMessage): boolean {
  const { content, source } = readChatMessage(message);
  if (message.kind !== 'message' || source.chatType === 'webhook') return false;
  return content.forwardedFrom === undefined && isSlashCommand(content.text);
}

async function greetOrIgnore(options: ChatHostOptions, source: ChatSource): Promise<string | undefined> {
  const greeting = await greet(options, source);
  if (greeting !== undefined) return greeting;
  const { platform, userId, chatId } = source;
  options.onIgnored();
  options.services.logger.info('ignored a message of a stranger', { platform, userId, chatId });
  return undefined;
}

async function greet({ services, rules, pairing }: ChatHostOptions, source: ChatSource): Promise<string | undefined> {
  const { platform, userId = '', userName = '' } = source;
  if (rules.access.get(platform)?.strangers !== 'pair' || source.chatType !== 'dm' || userId === '') return undefined;
  const made = await pairing.request({ platform, userId, userName }).catch((thrown: unknown) => {
    services.logger.warn('could not make a pairing code', { platform, userId, error: errorMessage(thrown) });
    return { outcome: 'failed' as const };
  });
  if (made.outcome !== 'code') return undefined;
  return `Your pairing code is \`${made.code}\`. It is valid for one hour. To let you in, the owner of this bot runs:\n\n\`hermes pairing approve ${platform} ${made.code}\``;
}

/** A skill that cannot be used must not keep the others, and the text, from the model. */
async function addSkills(
  { skills, services: { logger } }: ChatHostOptions,
  source: ChatSource,
  text: string,
): Promise<string | undefined> {
  const library = skills();
  const usable: string[] = [];
  for (const name of source.skills ?? []) {
    const problem = await library.begin([name], '').then(() => undefined, errorMessage);
    if (problem === undefined) usable.push(name);
    else logger.warn('could not use the skill of a webhook', { skill: name, chat: source.chatId, error: problem });
  }
  return usable.length === 0 ? undefined : library.begin(usable, text);
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
