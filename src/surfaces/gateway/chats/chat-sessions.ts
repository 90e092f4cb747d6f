import type { ResetSettings } from '../../../config/gateway/index.ts';
import type { ChatSource, ClaimedChat, Fill } from '../../../contracts/index.ts';
import { type Conversation, openConversation } from '../../../conversations/index.ts';
import type { AgentBlueprint, Services } from '../../../runtime/index.ts';
import { describeReset, policyFor, resetReason } from './reset-policy.ts';

export type ChatSessionOptions = {
  services: Services;
  resets: ResetSettings;
  blueprint(chat: ClaimedChat): Promise<AgentBlueprint>;
  /** The session that the original used for a chat, by its key. */
  findOriginalSession(key: string): OriginalSession | undefined;
  /** Called with each conversation that is opened; may return another object that is used instead. */
  onOpened(conversation: Conversation, chat: ClaimedChat, session: { isNew: boolean }): Conversation;
};

/** A session of the original. Its owner may have ended it while the program did not run. */
export type OriginalSession = { sessionId: string; updatedAt: number | undefined; isSuspended: boolean };

/** The sessions of chats: which one a chat continues, and when it gets a new one. */
export interface ChatSessions {
  open(chat: ClaimedChat): Promise<Conversation>;
  /** Starts a new session if the policy of the chat says so. Returns the notice for the chat. */
  resetIfDue(chat: ClaimedChat, conversation: Conversation, source: ChatSource): Promise<ResetNotice | undefined>;
  /** Whether no process of an idle conversation runs any more. Its choices apply when it is opened again. */
  mayClose(conversation: Conversation): Promise<boolean>;
  fill(): Fill;
}

export type ResetNotice = {
  /** The session that ended. */
  sessionId: string;
  /** Undefined if the chat gets no notice. */
  text: string | undefined;
};

type Choices = NonNullable<AgentBlueprint['choices']>;

/** Choices such as `/yolo` survive that an idle conversation is closed, but not a restart. */
const MAX_CHOICES = 1000;

export function createChatSessions(options: ChatSessionOptions): ChatSessions {
  const { services, resets } = options;
  const { store, clock } = services;
  const choicesOf = new Map<string, Choices>();

  async function open(chat: ClaimedChat): Promise<Conversation> {
    const sessionId = chat.conversation.sessionId ?? options.findOriginalSession(chat.key)?.sessionId;
    // A process that died before its first turn has named a session that does not exist.
    const isStored = sessionId !== undefined && (await store.getSession(sessionId)) !== undefined;
    const choices = sessionId === undefined ? undefined : choicesOf.get(sessionId);
    const blueprint = await options.blueprint(chat);
    const conversation = await openConversation({
      services,
      key: chat.key,
      blueprint: choices === undefined ? blueprint : { ...blueprint, choices },
      busy: 'refuse',
      hygiene: true,
      // Text that came too late for the turn stays in the inbox and becomes the next one.
      onUndelivered: () => undefined,
      ...(isStored && { session: { resume: sessionId } }),
    });
    return options.onOpened(conversation, chat, { isNew: !isStored });
  }

  function rememberChoices(conversation: Conversation): void {
    choicesOf.delete(conversation.sessionId);
    choicesOf.set(conversation.sessionId, conversation.opened().choices);
    for (const oldest of choicesOf.keys()) if (choicesOf.size > MAX_CHOICES) choicesOf.delete(oldest);
  }

  async function lastActiveAt({ key, conversation }: ClaimedChat, sessionId: string): Promise<number> {
    const known = conversation.settings['activeAt'];
    if (typeof known === 'number') return known;
    const call = await store.getLastCall(sessionId);
    if (call !== undefined) return call.startedAt + call.durationMs;
    const session = await store.getSession(sessionId);
    return options.findOriginalSession(key)?.updatedAt ?? session?.startedAt ?? clock.now();
  }

  return {
    open,
    async resetIfDue(chat, conversation, source) {
      const { sessionId } = conversation;
      const policy = policyFor(source, resets);
      if ((await store.getSession(sessionId)) === undefined) return undefined;
      const isSuspended =
        chat.conversation.sessionId === undefined && options.findOriginalSession(chat.key)?.isSuspended === true;
      const { timeZone } = resets;
      const times = { lastActiveAt: await lastActiveAt(chat, sessionId), now: clock.now(), timeZone };
      const reason = isSuspended ? 'suspended' : resetReason(policy, times);
      if (reason === undefined || !(await isUnused(conversation))) return undefined;
      await conversation.reset('session_reset');
      const isReported = resets.notify && !resets.silentPlatforms.includes(source.platform);
      return { sessionId, text: isReported ? describeReset(reason, policy, sessionId) : undefined };
    },
    async mayClose(conversation) {
      rememberChoices(conversation);
      return isUnused(conversation);
    },
    fill: () => ({ name: 'choices of closed sessions', used: choicesOf.size, limit: MAX_CHOICES }),
  };

  async function isUnused(conversation: Conversation): Promise<boolean> {
    const { agent, environment } = conversation.opened();
    const processes = await services.processes.forSession(agent.sessionId, environment).list();
    return processes.every(({ recovered, ending }) => recovered || ending() !== undefined);
  }
}
