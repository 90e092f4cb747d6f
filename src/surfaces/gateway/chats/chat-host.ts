import { type Actor, errorMessage, HermesError, type RunResult } from '../../../base/index.ts';
import type { ChatSource, ClaimedChat, GatewayStore, InboxMessage, InboxTurn } from '../../../contracts/index.ts';
import type { ChatDisplay, MentionSettings, ResetSettings } from '../../../config/gateway/index.ts';
import { createConversationPool } from '../../../conversations/index.ts';
import type { Services } from '../../../runtime/index.ts';
import { isSlashCommand } from '../../slash/index.ts';
import type { AccountRunner } from '../accounts/account-runner.ts';
import type { ChatMedia } from '../media/chat-media.ts';
import { type AccessRules, findActor } from '../people/access.ts';
import type { Pairing } from '../people/pairing.ts';
import { isShared, type SessionKeyRules } from '../session-key.ts';
import type { ChatBackground } from './chat-background.ts';
import type { ChatCommandCall } from './chat-commands.ts';
import { readChatMessage } from './chat-message.ts';
import { answerQuestion, closeAbandoned } from './chat-questions.ts';
import type { ChatSessions } from './chat-sessions.ts';
import type { ChatHost } from './chat-worker.ts';
import { toOutgoing } from './outgoing-text.ts';
import { presentTurn } from './presenter.ts';
import { readDecision } from './question-buttons.ts';
import type { CommandResult } from './turn-messages.ts';

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
  /** Whether a slash command runs only after the turn. */
  isPostponed(line: string): boolean;
  /** Whether a slash command has no effects, so that it may run again after a crash. */
  mayRunAgain(line: string): boolean;
  runSlashCommand(call: ChatCommandCall): Promise<CommandResult>;
};

const NO_ANSWER = '(no answer)';

export function createChatHost(
  options: ChatHostOptions,
): ChatHost & { readonly openSessions: number; close(): Promise<void> } {
  const { services, store, rules, pairing, sessions } = options;
  const { clock, logger } = services;
  const claimed = new Map<string, ClaimedChat>();
  const pool = createConversationPool({
    clock,
    open: (key) => sessions.open(claimed.get(key) as ClaimedChat),
    idleMs: rules.keepOpenMs,
    mayClose: sessions.mayClose,
  });

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

  const host: ReturnType<typeof createChatHost> = {
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

/** Forwarded text is not a command of the sender, and neither is the correction of an earlier message. */
function isCommand(message: InboxMessage): boolean {
  const { text, forwardedFrom } = readChatMessage(message).content;
  return message.kind === 'message' && forwardedFrom === undefined && isSlashCommand(text);
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
