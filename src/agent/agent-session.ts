import { type Attachment, type Clock, type Message, newSessionId } from '../base/index.ts';
import type {
  AgentToolState,
  AppendDetails,
  CallRecord,
  CompressedMessage,
  KeptMessage,
  PromptContext,
  SessionStore,
  StoredMessage,
} from '../contracts/index.ts';
import type { AgentOptions } from './agent-options.ts';
import { type AttachmentPresenter, createAttachmentPresenter } from './attachments/present-attachments.ts';
import { createHistory, type History } from './history.ts';
import { resumeSession } from './resume-session.ts';
import { createSentRequests, type SentRequests } from './sent-requests.ts';
import { createSessionPrompt, type SessionPrompt } from './session-prompt.ts';
import { measure, type Measured } from './token-figure.ts';

/** The session an agent works on, in memory and in the store; the two change only together. */
export interface AgentSession {
  /** Another one after each compression. */
  readonly id: string;
  /** The oldest session of its lineage: the same before and after a compression. */
  readonly lineageId: string;
  readonly history: readonly Message[];
  readonly callIds: History['callIds'];
  readonly systemPrompt: string;
  readonly toolState: AgentToolState;
  /** What the last call really took; nothing before the first one, and after a compression. */
  readonly measured: Measured | undefined;
  /** A provider could not read some characters; they are left out of later requests. */
  plainText: boolean;
  /** Reasoning that a provider refused to take back is left out of later requests. */
  readonly refusedReasoning: Set<'reasoningDetails' | 'codexReasoningItems'>;
  readonly attachments: AttachmentPresenter;
  readonly sent: SentRequests;
  /** There is something of it, here or in the store. */
  isStored(): Promise<boolean>;
  /** Loads or creates the session; calls that a crash left open are closed. */
  open(prompt: PromptContext, from: OpenFrom): Promise<void>;
  /** The stored conversation was changed on purpose: it counts, and not what is in memory. */
  readAnew(): Promise<void>;
  /** The system prompt is built anew with the next turn. */
  renewPrompt(): void;
  /** Forgets what providers refused or could not hold: others are asked from now on. */
  forgetLessons(): void;
  /** Stores messages, then adds them to the history. */
  append(messages: readonly Message[], call?: CallRecord, details?: AppendDetails): Promise<void>;
  /** Stores what was found out about the attachments of the newest message, before it is first sent. */
  setAttachments(attachments: Attachment[]): Promise<void>;
  /** Ends the session by compression and goes on with these messages in its child: in the store, then here. */
  continueWith(messages: readonly CompressedMessage[]): Promise<void>;
  /** Stores what is sent in the place of the newest message, before it is first sent. */
  setSentContent(sentContent: string): Promise<void>;
}

export type OpenFrom = {
  /** Goes on from these messages instead of the stored ones. */
  history?: readonly Message[];
  /** Another process may have gone on with the session: what is in memory counts no longer. */
  storedChanged?: boolean;
};

/** The session as its parts see it. */
export type SessionParts = {
  readonly store: AgentOptions['store'];
  readonly clock: Clock;
  readonly history: History;
  readonly toolState: AgentToolState;
  readonly prompt: SessionPrompt;
  /** Of a session that is made, where it works for another. */
  readonly parentSessionId: string | undefined;
  /** What is allowed from now on is allowed in every session of the same root. */
  keepApprovals(rootId: string): void;
  /** What changes where it goes on as another session, or is read anew. */
  readonly place: { id: string; lineageId: string; source: string; measured: Measured | undefined };
};

export function createAgentSession(options: AgentOptions, clock: Clock): AgentSession {
  const parts = createParts(options, clock);
  const { store, history, toolState, prompt: systemPrompt, place } = parts;
  const writing = createWriting(parts);
  let opened = false;

  const session: AgentSession = {
    history: history.messages,
    callIds: history.callIds,
    toolState,
    plainText: false,
    refusedReasoning: new Set(),
    attachments: createAttachmentPresenter(store),
    sent: createSentRequests(),
    ...writing,
    get id() {
      return place.id;
    },
    get lineageId() {
      return place.lineageId;
    },
    get measured() {
      return place.measured;
    },
    get systemPrompt() {
      return systemPrompt.text;
    },
    isStored: async () => opened || (await store.getSession(place.id)) !== undefined,
    async open(prompt, { history: given, storedChanged = false }) {
      const stored = opened && !storedChanged ? undefined : await store.getSession(place.id);
      if (stored) await resumeSession(parts, stored, writing.append);
      else if (!opened) await create(parts, prompt);
      if (!stored && !opened && given) await writing.append(given);
      opened = true;
      if (given) {
        history.replace(given);
        place.measured = undefined;
      }
      if (given || stored) delete toolState.seenFiles;
      if ((await systemPrompt.update(prompt)) || given) session.sent.startAnew();
    },
    async readAnew() {
      // Whoever has not read it yet reads it as it is now.
      const stored = opened ? await store.getSession(place.id) : undefined;
      if (stored === undefined) return;
      await resumeSession(parts, stored, writing.append);
      delete toolState.seenFiles;
      session.sent.startAnew();
    },
    renewPrompt: systemPrompt.renew,
    forgetLessons() {
      session.plainText = false;
      session.refusedReasoning.clear();
    },
    continueWith: (messages) => split(parts, messages),
  };
  return session;
}

function createParts(options: AgentOptions, clock: Clock): SessionParts {
  const { store, source, approvals } = options;
  const id = options.sessionId ?? newSessionId(clock.now());
  const place: SessionParts['place'] = { id, lineageId: id, source, measured: undefined };
  const toolState: AgentToolState = { todos: [], approvedRules: new Set() };
  const prompt = createSessionPrompt(options.prompt, store, () => place.id);
  const keepApprovals = (rootId: string) => {
    if (approvals !== undefined) toolState.approvedRules = approvals.rulesOf(rootId);
  };
  const { parentSessionId } = options;
  return { store, clock, history: createHistory(), toolState, prompt, parentSessionId, keepApprovals, place };
}

async function create(
  { store, clock, prompt, place, keepApprovals, parentSessionId }: SessionParts,
  context: PromptContext,
): Promise<void> {
  const startedAt = clock.now();
  const systemPrompt = await prompt.build(context, startedAt);
  const { id, source } = place;
  await store.createSession({ id, source, startedAt, model: context.model, systemPrompt, parentSessionId });
  keepApprovals(id);
}

/** In the store, then in memory. */
function createWriting({
  store,
  place,
  history,
}: SessionParts): Pick<AgentSession, 'append' | 'setAttachments' | 'setSentContent'> {
  return {
    async append(messages, call, details) {
      await store.appendMessages(place.id, messages, call, details);
      history.add(messages);
      if (call !== undefined) place.measured = measure(call, messages.at(-1), history.messages.length);
    },
    async setAttachments(attachments) {
      await store.setAttachments(place.id, attachments);
      history.setAttachments(attachments);
    },
    async setSentContent(sentContent) {
      await store.setSentContent(place.id, sentContent);
      history.setSentContent(sentContent);
    },
  };
}

async function split(parts: SessionParts, messages: readonly CompressedMessage[]): Promise<void> {
  const { store, clock, history, toolState, prompt, place } = parts;
  const startedAt = clock.now();
  const child = { id: newSessionId(startedAt), source: place.source, startedAt };
  const kept = await keptMessages(store, place.id, history.messages, messages);
  await store.splitSession(place.id, { ...child, model: prompt.model, systemPrompt: prompt.text }, kept);
  place.id = child.id;
  place.measured = undefined;
  history.replace(messagesAfter(history.messages, messages));
  // What was shown before may be gone: nothing may be answered with "you have seen it".
  for (const file of toolState.seenFiles?.values() ?? []) file.shown.clear();
}

/** The messages that a conversation goes on with: the very same objects where nothing about them changed. */
function messagesAfter(history: readonly Message[], compressed: readonly CompressedMessage[]): Message[] {
  return compressed.map((kept) => kept.message ?? (history[(kept as { index: number }).index] as Message));
}

/**
 * The same as the store wants it: what was kept by the id under which it is stored. A history that somebody gave is not
 * stored, and then all messages are new ones.
 */
async function keptMessages(
  store: Pick<SessionStore, 'getMessages'>,
  sessionId: string,
  history: readonly Message[],
  compressed: readonly CompressedMessage[],
): Promise<KeptMessage[]> {
  const stored = await store.getMessages(sessionId);
  const isKnown = isStored(history, stored);
  return compressed.map((kept) => {
    if (!('index' in kept)) return { ...kept, isReplacement: true };
    if (!isKnown) return { message: kept.message ?? (history[kept.index] as Message) };
    const copyOf = (stored[kept.index] as StoredMessage).id;
    return kept.message === undefined ? { copyOf } : { copyOf, message: kept.message };
  });
}

function isStored(history: readonly Message[], stored: readonly StoredMessage[]): boolean {
  if (history.length !== stored.length) return false;
  return history.every(({ role, content }, index) => {
    const { message } = stored[index] as StoredMessage;
    return message.role === role && message.content === content;
  });
}
